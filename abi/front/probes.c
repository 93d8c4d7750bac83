/* Probes for short messages, and the message that a matched one has found. */
#include "front.h"
#include "mpi.h"
#include "rings.h"

/* look_for is musubi_take_record for a probe, which leaves the message that it has found. */
static enum musubi_taken look_for(struct musubi_lane *l, struct musubi_receive *probe)
{
    struct message m = next_message(l);
    if (m.word == 0)
        return MUSUBI_NOTHING;
    if (!m.is_short || l == musubi_lanes.claimed.lane || musubi_first_waiting(l, m.envelope) || !musubi_is_for(probe, l, m.envelope))
        return musubi_take_record(l);
    musubi_note_sender(probe, l, m.envelope);
    probe->bytes = m.bytes;
    probe->state = MUSUBI_COMPLETE;
    return MUSUBI_TAKEN;
}

/* start_probe sets a probe. It reports false if that is one for the core. */
static int start_probe(struct musubi_receive *probe, int source, int tag, MPI_Comm comm) { return musubi_start(probe, NULL, 0, MPI_BYTE, source, tag, comm); }

static enum musubi_taken look(struct musubi_receive *probe)
{
    return probe->lane ? look_for(probe->lane, probe) : musubi_of_each(probe->of, probe, look_for);
}

/* await_probe waits until a probe has found its message. It reports false if that is for the core. */
static int await_probe(struct musubi_receive *probe)
{
    for (int looks = 0; probe->state == MUSUBI_WAITING;) {
        enum musubi_taken taken = look(probe);
        if (taken == MUSUBI_ANOTHER || (taken == MUSUBI_NOTHING && !musubi_look_again(&looks)))
            return 0;
    }
    return 1;
}

int musubi_short_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct musubi_receive probe;
    if (musubi_is_due_between() || !start_probe(&probe, source, tag, comm) || !await_probe(&probe))
        return 0;
    musubi_put_status(status, probe.source, probe.tag, probe.bytes);
    return 1;
}

/* look_now looks for the message of a probe without waiting for it. It reports false if that is for the core. */
static int look_now(struct musubi_receive *probe)
{
    enum musubi_taken taken = MUSUBI_TAKEN;
    while (probe->state == MUSUBI_WAITING && taken == MUSUBI_TAKEN)
        taken = look(probe);
    return taken != MUSUBI_ANOTHER;
}

int musubi_short_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    struct musubi_receive probe;
    if (!musubi_may_test() || !flag || !start_probe(&probe, source, tag, comm) || !look_now(&probe))
        return 0;
    *flag = probe.state == MUSUBI_COMPLETE;
    if (*flag)
        musubi_put_status(status, probe.source, probe.tag, probe.bytes);
    return 1;
}

/* may_claim reports whether a matched probe may be one for the front, which keeps one message. */
static int may_claim(int source, const MPI_Message *message) { return message && source != MPI_PROC_NULL && !musubi_lanes.claimed.lane; }

/* claim keeps the message that a probe has found. */
static void claim(const struct musubi_receive *probe, MPI_Message *message, MPI_Status *status)
{
    struct musubi_claimed *c = &musubi_lanes.claimed;
    c->lane = probe->of->to[probe->source];
    c->comm = probe->comm;
    c->source = probe->source;
    c->tag = probe->tag;
    *message = (MPI_Message)c->handle;
    musubi_put_status(status, probe->source, probe->tag, probe->bytes);
}

int musubi_short_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    struct musubi_receive probe;
    if (musubi_is_due_between() || !may_claim(source, message) || !start_probe(&probe, source, tag, comm) || !await_probe(&probe))
        return 0;
    claim(&probe, message, status);
    return 1;
}

int musubi_short_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    struct musubi_receive probe;
    if (!musubi_may_test() || !flag || !may_claim(source, message) || !start_probe(&probe, source, tag, comm) || !look_now(&probe))
        return 0;
    *flag = probe.state == MUSUBI_COMPLETE;
    *message = MPI_MESSAGE_NULL;
    if (*flag)
        claim(&probe, message, status);
    return 1;
}

int musubi_short_Mrecv(void *buffer, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
    struct musubi_claimed *c = &musubi_lanes.claimed;
    struct musubi_receive r;
    if (!message || !c->lane || *message != (MPI_Message)c->handle || !musubi_start(&r, buffer, count, datatype, c->source, c->tag, (MPI_Comm)c->comm))
        return 0;
    struct message m = next_message(c->lane);
    if (!musubi_has_room(&r, m.bytes))
        return 0;
    musubi_receive_message(c->lane, &m, &r);
    c->lane = NULL;
    *message = MPI_MESSAGE_NULL;
    musubi_put_status(status, r.source, r.tag, r.bytes);
    return 1;
}

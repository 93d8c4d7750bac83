/* Short messages between ranks that share memory. To go into Go and back takes longer than such a message
 * does. So the core opens lanes when it returns from a call and nothing is under way: until the next call
 * of it the front writes records to the rings, and takes those that a receive waits for, by
 * itself. All that is not plain is for the core: no room, another message than the one that is wanted, a datatype of many
 * different blocks, errors. */
#include "front.h"
#include "mpi.h"
#include "rings.h"

#include <string.h>

struct musubi_lanes musubi_lanes;

static int64_t first; /* of the receives, before which none waits */

static __thread int done_already __attribute__((tls_model("initial-exec")));

int musubi_is_for(const struct musubi_receive *r, const struct musubi_lane *l, uint64_t envelope)
{
    return ((envelope ^ r->envelope) & r->fixed) == 0 && (r->lane == l || !r->lane);
}

struct musubi_receive *musubi_first_waiting(const struct musubi_lane *l, uint64_t envelope)
{
    for (int64_t i = first; i < musubi_lanes.started; i++) {
        struct musubi_receive *r = &musubi_lanes.receives[i];
        if (r->state == MUSUBI_WAITING && musubi_is_for(r, l, envelope))
            return r;
    }
    return NULL;
}

void musubi_note_sender(struct musubi_receive *r, const struct musubi_lane *l, uint64_t envelope)
{
    r->tag = envelope >> TAG_SHIFT;
    if (r->lane)
        return;
    for (r->source = 0; r->of->to[r->source] != l;)
        r->source++;
}

/* receive receives a message. */
static void receive(struct musubi_lane *l, const struct message *m, struct musubi_receive *r)
{
    if (MUSUBI_UNLIKELY(r->type != NULL))
        musubi_unpack(r->type, (void *)r->buffer, m->body + WORD, m->bytes);
    else
        copy((void *)r->buffer, m->body + WORD, m->bytes);
    acknowledge(l->writer, m->word);
    give_back(l, m->lined, WORD + m->bytes);
    musubi_note_sender(r, l, m->envelope);
    r->state = MUSUBI_COMPLETE;
    r->bytes = m->bytes;
    while (first < musubi_lanes.started && musubi_lanes.receives[first].state != MUSUBI_WAITING)
        first++;
    musubi_lanes.messages++;
}

int musubi_has_room(const struct musubi_receive *r, uint64_t bytes)
{
    return bytes <= (uint64_t)r->room && (!MUSUBI_UNLIKELY(r->type != NULL) || bytes % (uint64_t)r->type->whole == 0);
}

/* take_record receives the next message if one of the receives waits for it, or else the one that blocks, if
 * there is one. */
static enum musubi_taken take_record(struct musubi_lane *l, struct musubi_receive *blocking)
{
    struct message m = next_message(l);
    if (m.word == 0)
        return MUSUBI_NOTHING;
    if (!m.is_short || l == musubi_lanes.claimed.lane)
        return MUSUBI_ANOTHER;
    struct musubi_receive *r = musubi_first_waiting(l, m.envelope);
    if (!r && blocking && musubi_is_for(blocking, l, m.envelope))
        r = blocking;
    if (!r || !musubi_has_room(r, m.bytes))
        return MUSUBI_ANOTHER;
    receive(l, &m, r);
    return MUSUBI_TAKEN;
}

enum musubi_taken musubi_of_each(const struct musubi_comm *c, struct musubi_receive *r, enum musubi_taken (*look)(struct musubi_lane *, struct musubi_receive *))
{
    static uint64_t turn;
    for (uint64_t i = 0; i < c->ranks; i++) {
        struct musubi_lane *l = c->to[turn = turn + 1 < c->ranks ? turn + 1 : 0];
        enum musubi_taken taken = l ? look(l, r) : MUSUBI_NOTHING;
        if (taken != MUSUBI_NOTHING)
            return taken;
    }
    return MUSUBI_NOTHING;
}

/* take takes a message from where that of a receive may come. */
static enum musubi_taken take(struct musubi_receive *r, struct musubi_receive *blocking)
{
    return r->lane ? take_record(r->lane, blocking) : musubi_of_each(r->of, blocking, take_record);
}

enum musubi_taken musubi_take(struct musubi_receive *r) { return take(r, NULL); }

int musubi_done_already(void)
{
    int done = done_already;
    done_already = 0;
    return done;
}

int musubi_hand_on(int done)
{
    done_already = done;
    return 0;
}

/* wait_for takes messages until a receive is complete. It reports false if that takes long or something else has
 * come. The core would have to take over all receives, so the front waits for as long as the core would before it
 * lets other programs run. What is sent to whom it waits for is likely to be as long as the last message to it. */
static int wait_for(struct musubi_receive *r, struct musubi_receive *blocking)
{
    for (int looks = 0; r->state == MUSUBI_WAITING;) {
        enum musubi_taken taken = take(r, blocking);
        if (taken == MUSUBI_TAKEN)
            continue;
        if (taken == MUSUBI_ANOTHER || !musubi_look_again(&looks))
            return 0;
        if (r->lane && !musubi_lanes.alone)
            take_lines(r->lane);
    }
    return 1;
}

int musubi_wait_for(struct musubi_receive *r) { return wait_for(r, NULL); }

/* Whom a message goes to, or comes from. */
enum peer { OF_CORE /* the core sees to it */, OF_LANE, OF_ANY, OF_NOBODY };

/* A transfer is what a call says of a message. */
struct transfer {
    enum peer peer;
    struct musubi_comm *of;
    struct musubi_lane *lane;
    uint64_t envelope, fixed, bytes;
    const struct musubi_type *type; /* NULL: it is bytes in a row */
};

static enum peer peer_of(const struct musubi_comm *c, int rank)
{
    if ((unsigned)rank < c->ranks)
        return c->to[rank] ? OF_LANE : OF_CORE;
    if (rank == MPI_PROC_NULL)
        return OF_NOBODY;
    return rank == MPI_ANY_SOURCE && c->reaches_all ? OF_ANY : OF_CORE;
}

MUSUBI_INLINE struct transfer transfer_of(const void *buffer, MPI_Count count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm)
{
    enum { LEAST_ADDRESS = 4096 };
    const MPI_Count most = INT64_C(1) << 48; /* so that the bytes fit into a word */
    struct transfer t = {0};
    if (!(t.of = musubi_comm_of(comm)) || count < 0 || count > most || (tag < 0 && tag != MPI_ANY_TAG))
        return t;
    uintptr_t type = (uintptr_t)datatype - MUSUBI_FIRST_TYPE;
    uint64_t size;
    if (MUSUBI_UNLIKELY(type >= MUSUBI_TYPES)) {
        const struct musubi_type *derived = musubi_derived_for(datatype, count);
        if (!derived)
            return t;
        t.type = derived->is_row ? NULL : derived;
        size = (uint64_t)derived->size;
    } else {
        size = musubi_lanes.sizes[type];
    }
    if (size == 0 || (count > 0 && (uintptr_t)buffer < LEAST_ADDRESS))
        return t;
    if (musubi_lanes.started == 0)
        first = 0;
    musubi_lanes.left--;
    t.peer = peer_of(t.of, rank);
    t.lane = t.peer == OF_LANE ? t.of->to[rank] : NULL;
    t.envelope = t.of->envelope | (uint64_t)(uint32_t)tag << TAG_SHIFT;
    t.fixed = tag == MPI_ANY_TAG ? (UINT64_C(1) << TAG_SHIFT) - 1 : UINT64_MAX;
    t.bytes = (uint64_t)count * size;
    return t;
}

void musubi_end_receive(struct musubi_receive *r)
{
    r->state = MUSUBI_ENDED;
    if (r->made_of) {
        r->made_of->is_active = 0;
        r->made_of = NULL;
        r->handle = r->own_handle;
    }
    if (--musubi_lanes.pending == 0)
        musubi_lanes.started = first = 0;
}

/* note notes that the program sends a message. */
static void note(MPI_Comm comm, int dest, int tag)
{
    struct musubi_sent *sent = &musubi_lanes.log.last[++musubi_lanes.log.count % MUSUBI_SENT];
    sent->comm = (intptr_t)comm;
    sent->to = dest;
    sent->tag = tag;
    sent->take_back = 0;
}

/* write_packed packs data before it sends that. */
static __attribute__((noinline)) int write_packed(struct musubi_lane *l, uint64_t envelope, const void *data, uint64_t bytes, const struct musubi_type *type)
{
    unsigned char packed[MUSUBI_LONGEST_DERIVED];
    if (bytes > sizeof packed)
        return 0;
    musubi_pack(type, data, packed, bytes);
    return write_record(l, envelope, packed, bytes);
}

/* write_message sends a message. It reports false if that is for the core. */
static int write_message(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    struct transfer t = transfer_of(buffer, count, datatype, dest, tag, comm);
    if (t.peer == OF_NOBODY && tag >= 0)
        return 1;
    if (t.peer != OF_LANE || tag < 0 || t.bytes + WORD > t.lane->writer->longest)
        return 0;
    if (!(MUSUBI_UNLIKELY(t.type != NULL) ? write_packed(t.lane, t.envelope, buffer, t.bytes, t.type) : write_record(t.lane, t.envelope, buffer, t.bytes)))
        return 0;
    if (t.lane->sleeping)
        musubi_wake(t.lane->sleeping);
    musubi_lanes.messages++;
    note(comm, dest, tag);
    return 1;
}

int musubi_send(const void *buffer, int64_t count, int64_t type, int rank, int tag, int64_t comm)
{
    return write_message(buffer, count, (MPI_Datatype)type, rank, tag, (MPI_Comm)comm);
}

int musubi_short_Send(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return !musubi_is_due_between() && write_message(buffer, count, datatype, dest, tag, comm);
}

int musubi_short_Rsend(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return musubi_short_Send(buffer, count, datatype, dest, tag, comm);
}

/* fits_buffer reports whether the buffer of the program has room for data. Data that goes at once does not use it, but without room a buffered send
 * is an error. */
static int fits_buffer(MPI_Count count, MPI_Datatype datatype)
{
    uintptr_t type = (uintptr_t)datatype - MUSUBI_FIRST_TYPE;
    const struct musubi_type *derived = type < MUSUBI_TYPES ? NULL : musubi_derived((uintptr_t)datatype);
    int64_t size = type < MUSUBI_TYPES ? musubi_lanes.sizes[type] : derived ? derived->size : 0;
    return size > 0 && count >= 0 && count <= musubi_lanes.buffer / size;
}

int musubi_short_Bsend(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return fits_buffer(count, datatype) && musubi_short_Send(buffer, count, datatype, dest, tag, comm);
}

int musubi_short_Ibsend(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    return fits_buffer(count, datatype) && musubi_short_Isend(buffer, count, datatype, dest, tag, comm, request);
}

/* A message to nobody has the number of one that was sent so long ago that it cannot be cancelled. */
int musubi_short_Isend(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (!write_message(buffer, count, datatype, dest, tag, comm))
        return 0;
    uint64_t number = musubi_lanes.log.count - (dest == MPI_PROC_NULL ? MUSUBI_SENT : 0);
    *request = (MPI_Request)(musubi_lanes.sent | (int64_t)(number << 32));
    return 1;
}

/* start sets a receive. It reports false if it is one for the core. */
MUSUBI_INLINE int start(struct musubi_receive *r, void *buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm)
{
    struct transfer t = transfer_of(buffer, count, datatype, source, tag, comm);
    r->state = t.peer == OF_NOBODY ? MUSUBI_COMPLETE : MUSUBI_WAITING;
    r->comm = (intptr_t)comm;
    r->source = source;
    r->tag = t.peer == OF_NOBODY ? MPI_ANY_TAG : tag;
    r->buffer = (int64_t)buffer;
    r->room = t.bytes;
    r->bytes = 0;
    r->envelope = t.envelope;
    r->fixed = t.fixed;
    r->lane = t.lane;
    r->of = t.of;
    r->type = t.type;
    if (MUSUBI_UNLIKELY(t.type != NULL)) {
        r->type_handle = t.type->handle;
        r->count = count;
    }
    return t.peer != OF_CORE;
}

int musubi_short_Recv(void *buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct musubi_receive r;
    if (musubi_is_due_between() || !start(&r, buffer, count, datatype, source, tag, comm) || !wait_for(&r, &r))
        return 0;
    musubi_put_status(status, r.source, r.tag, r.bytes);
    return 1;
}

int musubi_short_Sendrecv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    struct musubi_receive r;
    if (musubi_is_due_between() || !start(&r, recvbuf, recvcount, recvtype, source, recvtag, comm) || !write_message(sendbuf, sendcount, sendtype, dest, sendtag, comm))
        return 0;
    if (!wait_for(&r, &r))
        return musubi_hand_on(1);
    musubi_put_status(status, r.source, r.tag, r.bytes);
    return 1;
}

/* What is sent has been copied before anything is received. */
int musubi_short_Sendrecv_replace(void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    return musubi_short_Sendrecv(buffer, count, datatype, dest, sendtag, buffer, count, datatype, source, recvtag, comm, status);
}

/* place starts a receive in a place of its own. It returns NULL if that is one for the core. */
MUSUBI_INLINE struct musubi_receive *place(void *buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm)
{
    struct musubi_receive *r = &musubi_lanes.receives[musubi_lanes.started];
    if (!musubi_lanes.open || musubi_lanes.started == MUSUBI_RECEIVES || !start(r, buffer, count, datatype, source, tag, comm))
        return NULL;
    r->sent = 0;
    musubi_lanes.started++;
    musubi_lanes.pending++;
    return r;
}

int musubi_short_Irecv(void *buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    struct musubi_receive *r = place(buffer, count, datatype, source, tag, comm);
    if (!r)
        return 0;
    *request = (MPI_Request)r->handle;
    return 1;
}

struct musubi_receive *musubi_place(void *buffer, int64_t count, int64_t type, int rank, int tag, int64_t comm)
{
    return place(buffer, count, (MPI_Datatype)type, rank, tag, (MPI_Comm)comm);
}

int musubi_start(struct musubi_receive *r, void *buffer, int64_t count, const void *type, int source, int tag, const void *comm)
{
    return start(r, buffer, count, (MPI_Datatype)type, source, tag, (MPI_Comm)comm);
}

enum musubi_taken musubi_take_record(struct musubi_lane *l) { return take_record(l, NULL); }

void musubi_receive_message(struct musubi_lane *l, const struct message *m, struct musubi_receive *r) { receive(l, m, r); }

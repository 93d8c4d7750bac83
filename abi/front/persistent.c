/* Persistent sends and receives of short messages, which the front starts. Those that it has started have places among its
 * receives, under their own handles, also the sends, which are complete. So whoever waits for them need not know. */
#include "front.h"
#include "mpi.h"
#include "short.h"

/* send starts a send. Its place is that of a receive from nobody. */
static struct musubi_receive *send(const struct musubi_persistent *p)
{
    struct musubi_receive *r = musubi_place(NULL, 0, (int64_t)MPI_BYTE, MPI_PROC_NULL, MPI_ANY_TAG, p->comm);
    if (!r)
        return NULL;
    r->source = MPI_ANY_SOURCE;
    if (!musubi_send((void *)p->buffer, p->count, p->type, p->rank, p->tag, p->comm)) {
        musubi_end_receive(r);
        return NULL;
    }
    r->sent = p->rank == MPI_PROC_NULL ? 0 : (int64_t)musubi_lanes.log.count;
    return r;
}

static int start(struct musubi_persistent *p)
{
    struct musubi_receive *r;
    if (!p)
        return 0;
    r = p->receives ? musubi_place((void *)p->buffer, p->count, p->type, p->rank, p->tag, p->comm) : send(p);
    if (!r)
        return 0;
    r->made_of = p;
    r->own_handle = r->handle;
    r->handle = p->handle;
    p->is_active = 1;
    return 1;
}

int musubi_short_Start(MPI_Request *request) { return request && !musubi_is_due_between() && start(musubi_idle_persistent(*request)); }

int musubi_short_Startall(int count, MPI_Request requests[])
{
    if (count < 0 || !requests || musubi_is_due_between())
        return 0;
    for (int i = 0; i < count; i++) {
        if (!start(musubi_idle_persistent(requests[i])))
            return musubi_hand_on(i);
    }
    return 1;
}

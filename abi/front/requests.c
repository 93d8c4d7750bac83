/* Requests of short messages, which the front keeps: what it has sent is complete, and of its receives it takes the messages. A call
 * that names another request is for the core. */
#include "front.h"
#include "mpi.h"
#include "short.h"

#include <string.h>

void musubi_put_status(MPI_Status *status, int source, int tag, int64_t bytes)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    memset(status->MPI_internal, 0, sizeof status->MPI_internal);
    memcpy(status->MPI_internal + 1, &bytes, sizeof bytes);
}

/* put_empty_status tells the program of no message, and of no error (MPI 5.0, section 3.2.5). */
static void put_empty_status(MPI_Status *status)
{
    musubi_put_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = MPI_SUCCESS;
}

/* receive_of returns the receive of a request, NULL if the front keeps none. Most programs wait for requests in the
 * order in which they have started them. */
static struct musubi_receive *receive_of(MPI_Request request)
{
    static int64_t next;
    for (int64_t tried = 0; tried < musubi_lanes.started; tried++, next++) {
        if (next >= musubi_lanes.started)
            next = 0;
        struct musubi_receive *r = &musubi_lanes.receives[next];
        if (r->state != MUSUBI_ENDED && r->handle == (int64_t)request) {
            next++;
            return r;
        }
    }
    return NULL;
}

/* is_sent looks at the lower half of a handle; Fortran keeps no more of it. */
static int is_sent(MPI_Request request) { return (uint32_t)(uintptr_t)request == musubi_lanes.sent && musubi_lanes.sent != 0; }

/* How far a request is. */
enum progress { NONE /* there is no request */, COMPLETE, PENDING, OF_CORE };

/* progress_of takes what has come for a request, and tells how far it is. */
static enum progress progress_of(MPI_Request request)
{
    if (request == MPI_REQUEST_NULL)
        return NONE;
    if (is_sent(request))
        return COMPLETE;
    struct musubi_receive *r = receive_of(request);
    while (r && r->state == MUSUBI_WAITING) {
        switch (musubi_take(r)) {
        case MUSUBI_NOTHING: return PENDING;
        case MUSUBI_ANOTHER: return OF_CORE;
        case MUSUBI_TAKEN: break;
        }
    }
    if (!r)
        return musubi_idle_persistent(request) ? NONE : OF_CORE;
    return COMPLETE;
}

/* How far several requests are. */
struct progresses {
    int complete, pending, of_core;
};

static struct progresses progresses_of(int count, const MPI_Request requests[])
{
    struct progresses all = {0};
    for (int i = 0; i < count && !all.of_core; i++) {
        enum progress p = progress_of(requests[i]);
        all.complete += p == COMPLETE;
        all.pending += p == PENDING;
        all.of_core += p == OF_CORE;
    }
    return all;
}

/* await_one waits until one of the requests is complete, if there are any. It reports false if that is for the core. */
static int await_one(int count, const MPI_Request requests[], struct progresses *all)
{
    for (int looks = 0;;) {
        *all = progresses_of(count, requests);
        if (all->of_core)
            return 0;
        if (all->complete > 0 || all->pending == 0)
            return 1;
        if (!musubi_look_again(&looks))
            return 0;
    }
}

/* is_complete reports whether a request is complete, without a look for more. */
static int is_complete(MPI_Request request)
{
    if (request == MPI_REQUEST_NULL || is_sent(request))
        return request != MPI_REQUEST_NULL;
    struct musubi_receive *r = receive_of(request);
    return r && r->state == MUSUBI_COMPLETE;
}

/* await_request waits for a request. It reports false if that is for the core. */
static int await_request(MPI_Request request)
{
    if (request == MPI_REQUEST_NULL || is_sent(request))
        return 1;
    struct musubi_receive *r = receive_of(request);
    return r ? musubi_wait_for(r) : musubi_idle_persistent(request) != NULL;
}

/* end_request takes a complete request from the program. */
static void end_request(MPI_Request *request, MPI_Status *status)
{
    struct musubi_receive *r = *request == MPI_REQUEST_NULL || is_sent(*request) ? NULL : receive_of(*request);
    if (!r) {
        if (!musubi_idle_persistent(*request))
            *request = MPI_REQUEST_NULL;
        put_empty_status(status);
        return;
    }
    if (!r->made_of)
        *request = MPI_REQUEST_NULL;
    musubi_put_status(status, r->source, r->tag, r->bytes);
    musubi_end_receive(r);
}

static MPI_Status *status_at(MPI_Status statuses[], int i) { return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]; }

/* close_if_due closes the lanes behind a burst, if it is time for a call of the core. */
static int close_if_due(void)
{
    if (musubi_lanes.started == 0 && musubi_is_due())
        musubi_lanes.open = 0;
    return 1;
}

int musubi_short_Wait(MPI_Request *request, MPI_Status *status)
{
    if (!musubi_lanes.open || !request || !await_request(*request))
        return 0;
    end_request(request, status);
    return close_if_due();
}

static int end_all(int count, MPI_Request requests[], MPI_Status statuses[])
{
    for (int i = 0; i < count; i++)
        end_request(&requests[i], status_at(statuses, i));
    return count >= 0;
}

int musubi_short_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    if (!musubi_lanes.open || !requests)
        return 0;
    for (int i = 0; i < count; i++) {
        if (!await_request(requests[i]))
            return 0;
    }
    return end_all(count, requests, statuses) && close_if_due();
}

/* end_any takes the first request that is complete from the program, which gets its index. */
static void end_any(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    for (*index = 0; *index < count; ++*index) {
        if (is_complete(requests[*index])) {
            end_request(&requests[*index], status);
            return;
        }
    }
    *index = MPI_UNDEFINED;
    put_empty_status(status);
}

/* end_some takes all requests that are complete from the program, of which there are any, or there are no requests. */
static void end_some(int count, MPI_Request requests[], int *ended, int indices[], MPI_Status statuses[])
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (is_complete(requests[i])) {
            end_request(&requests[i], status_at(statuses, n));
            indices[n++] = i;
        }
    }
    *ended = n > 0 ? n : MPI_UNDEFINED;
}

int musubi_short_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct progresses all;
    if (!musubi_lanes.open || count < 0 || !requests || !index || !await_one(count, requests, &all))
        return 0;
    end_any(count, requests, index, status);
    return close_if_due();
}

int musubi_short_Waitsome(int count, MPI_Request requests[], int *ended, int indices[], MPI_Status statuses[])
{
    struct progresses all;
    if (!musubi_lanes.open || count < 0 || !requests || !ended || !indices || !await_one(count, requests, &all))
        return 0;
    end_some(count, requests, ended, indices, statuses);
    return close_if_due();
}

int musubi_short_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (!musubi_may_test() || !request || !flag)
        return 0;
    enum progress p = progress_of(*request);
    if (p == OF_CORE)
        return 0;
    *flag = p != PENDING;
    if (*flag)
        end_request(request, status);
    return 1;
}

/* test looks how far requests are. It reports false if that is for the core. */
static int test(int count, const MPI_Request requests[], struct progresses *all)
{
    if (!musubi_may_test() || count < 0 || !requests)
        return 0;
    *all = progresses_of(count, requests);
    return !all->of_core;
}

int musubi_short_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct progresses all;
    if (!flag || !test(count, requests, &all))
        return 0;
    *flag = all.pending == 0;
    return !*flag || end_all(count, requests, statuses);
}

int musubi_short_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct progresses all;
    if (!index || !flag || !test(count, requests, &all))
        return 0;
    *flag = all.complete > 0 || all.pending == 0;
    if (*flag)
        end_any(count, requests, index, status);
    else
        *index = MPI_UNDEFINED;
    return 1;
}

int musubi_short_Testsome(int count, MPI_Request requests[], int *ended, int indices[], MPI_Status statuses[])
{
    struct progresses all;
    if (!ended || !indices || !test(count, requests, &all))
        return 0;
    if (all.complete > 0 || all.pending == 0)
        end_some(count, requests, ended, indices, statuses);
    else
        *ended = 0;
    return 1;
}

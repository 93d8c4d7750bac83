/* The subroutines of Fortran that differ from the functions of C in more than how arguments come:
 * indices count from 1, callbacks are procedures of Fortran, and text has no zero at its end.
 * Attributes are in attributes.c. */
#include "fortran.h"

#include <string.h>

/* The variables in COMMON of programs, aligned as compilers of Fortran want theirs. */
#define COMMON __attribute__((aligned(32)))
COMMON int mpifbottom_, mpifinplace_, mpifautomatic_, mpifstatus_[8], mpifstatuses_[8], mpiferrcodes_[1], mpifunweighted_[1], mpifempty_[1];
COMMON char mpifargv_[1], mpifargvs_[1];

void *musubi_buffer(void *address)
{
    if (address == &mpifbottom_)
        return MPI_BOTTOM;
    if (address == &mpifinplace_)
        return MPI_IN_PLACE;
    if (address == &mpifautomatic_)
        return MPI_BUFFER_AUTOMATIC;
    return address;
}

int *musubi_weights(const int *weights)
{
    if (weights == mpifunweighted_)
        return MPI_UNWEIGHTED;
    return weights == mpifempty_ ? MPI_WEIGHTS_EMPTY : (int *)weights;
}

MPI_Status *musubi_status(const MPI_Status *status)
{
    const void *address = status;
    return address == mpifstatus_ || address == mpifstatuses_ ? MPI_STATUS_IGNORE : (MPI_Status *)status;
}

int64_t *musubi_widen(const MPI_Fint *narrow, int64_t n)
{
    int64_t *wide = malloc((n > 0 ? n : 1) * sizeof *wide);
    for (int64_t i = 0; i < n; i++)
        wide[i] = narrow[i];
    return wide;
}

void musubi_narrow(MPI_Fint *narrow, int64_t *wide, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        narrow[i] = wide[i];
    free(wide);
}

int64_t musubi_peers(MPI_Fint handle, int neighbours, int receives)
{
    MPI_Comm comm = (MPI_Comm)(intptr_t)handle;
    int kind = MPI_UNDEFINED, n = 0, out = 0, weighted, inter = 0;
    if (!neighbours) {
        PMPI_Comm_test_inter(comm, &inter);
        if (inter)
            PMPI_Comm_remote_size(comm, &n);
        else
            PMPI_Comm_size(comm, &n);
        return n;
    }
    PMPI_Topo_test(comm, &kind);
    switch (kind) {
    case MPI_CART:
        PMPI_Cartdim_get(comm, &n);
        return 2 * n;
    case MPI_GRAPH:
        PMPI_Comm_rank(comm, &out);
        PMPI_Graph_neighbors_count(comm, out, &n);
        return n;
    case MPI_DIST_GRAPH:
        PMPI_Dist_graph_neighbors_count(comm, &n, &out, &weighted);
        return receives ? n : out;
    }
    return 0;
}

char *musubi_text(const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == ' ')
        length--;
    while (length > 0 && *text == ' ')
        text++, length--;
    char *copy = malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

static const char unchanged[] = "\377\376";

char *musubi_room(size_t length)
{
    char *room = malloc(length + 1 + MPI_MAX_LIBRARY_VERSION_STRING);
    strcpy(room, unchanged);
    return room;
}

void musubi_pad(char *text, char *room, size_t length)
{
    if (strcmp(room, unchanged) != 0) {
        size_t n = strlen(room);
        memcpy(text, room, n < length ? n : length);
        if (n < length)
            memset(text + n, ' ', length - n);
    }
    free(room);
}

double mpi_wtime_(void) { return PMPI_Wtime(); }
double pmpi_wtime_(void) { return PMPI_Wtime(); }
double mpi_wtick_(void) { return PMPI_Wtick(); }
double pmpi_wtick_(void) { return PMPI_Wtick(); }
MPI_Aint mpi_aint_add_(const MPI_Aint *a, const MPI_Aint *b) { return PMPI_Aint_add(*a, *b); }
MPI_Aint mpi_aint_diff_(const MPI_Aint *a, const MPI_Aint *b) { return PMPI_Aint_diff(*a, *b); }

static int index_of(int index) { return index == MPI_UNDEFINED ? index : index + 1; }

static void shift(int *indices, int n)
{
    for (int i = 0; n != MPI_UNDEFINED && i < n; i++)
        indices[i]++;
}

#pragma weak mpi_waitany_ = pmpi_waitany_
void pmpi_waitany_(int *count, MPI_Fint *requests, int *index, MPI_Status *status, MPI_Fint *ierror)
{
    int64_t *wide = musubi_widen(requests, *count);
    ENDS(PMPI_Waitany(*count, (MPI_Request *)wide, index, musubi_status(status)));
    *index = index_of(*index);
    musubi_narrow(requests, wide, *count);
}

#pragma weak mpi_testany_ = pmpi_testany_
void pmpi_testany_(int *count, MPI_Fint *requests, int *index, int *flag, MPI_Status *status, MPI_Fint *ierror)
{
    int64_t *wide = musubi_widen(requests, *count);
    *index = MPI_UNDEFINED;
    ENDS(PMPI_Testany(*count, (MPI_Request *)wide, index, flag, musubi_status(status)));
    *index = index_of(*index);
    musubi_narrow(requests, wide, *count);
}

#pragma weak mpi_waitsome_ = pmpi_waitsome_
void pmpi_waitsome_(int *count, MPI_Fint *requests, int *done, int *indices, MPI_Status *statuses, MPI_Fint *ierror)
{
    int64_t *wide = musubi_widen(requests, *count);
    *done = 0;
    ENDS(PMPI_Waitsome(*count, (MPI_Request *)wide, done, indices, musubi_status(statuses)));
    shift(indices, *done);
    musubi_narrow(requests, wide, *count);
}

#pragma weak mpi_testsome_ = pmpi_testsome_
void pmpi_testsome_(int *count, MPI_Fint *requests, int *done, int *indices, MPI_Status *statuses, MPI_Fint *ierror)
{
    int64_t *wide = musubi_widen(requests, *count);
    *done = 0;
    ENDS(PMPI_Testsome(*count, (MPI_Request *)wide, done, indices, musubi_status(statuses)));
    shift(indices, *done);
    musubi_narrow(requests, wide, *count);
}

#pragma weak mpi_request_get_status_any_ = pmpi_request_get_status_any_
void pmpi_request_get_status_any_(int *count, MPI_Fint *requests, int *index, int *flag, MPI_Status *status, MPI_Fint *ierror)
{
    int64_t *wide = musubi_widen(requests, *count);
    *index = MPI_UNDEFINED;
    ENDS(PMPI_Request_get_status_any(*count, (MPI_Request *)wide, index, flag, musubi_status(status)));
    *index = index_of(*index);
    free(wide);
}

#pragma weak mpi_request_get_status_some_ = pmpi_request_get_status_some_
void pmpi_request_get_status_some_(int *count, MPI_Fint *requests, int *done, int *indices, MPI_Status *statuses, MPI_Fint *ierror)
{
    int64_t *wide = musubi_widen(requests, *count);
    *done = 0;
    ENDS(PMPI_Request_get_status_some(*count, (MPI_Request *)wide, done, indices, musubi_status(statuses)));
    shift(indices, *done);
    free(wide);
}

/* Generalised requests. Their functions get the program's own variable, as those of C get what its pointer names. */
struct generalised {
    void (*query)(MPI_Aint *extra, MPI_Status *status, MPI_Fint *ierror);
    void (*release)(MPI_Aint *extra, MPI_Fint *ierror);
    void (*cancel)(MPI_Aint *extra, int *complete, MPI_Fint *ierror);
    MPI_Aint *extra;
};

static int query(void *state, MPI_Status *status)
{
    struct generalised *g = state;
    MPI_Fint code = MPI_SUCCESS;
    g->query(g->extra, status, &code);
    return code;
}

static int release(void *state)
{
    struct generalised *g = state;
    MPI_Fint code = MPI_SUCCESS;
    g->release(g->extra, &code);
    free(g);
    return code;
}

static int cancel(void *state, int complete)
{
    struct generalised *g = state;
    MPI_Fint code = MPI_SUCCESS;
    g->cancel(g->extra, &complete, &code);
    return code;
}

void pmpi_grequest_start_(void *ask, void *drop, void *stop, MPI_Aint *extra, MPI_Fint *request, MPI_Fint *ierror)
{
    struct generalised *g = malloc(sizeof *g);
    MPI_Request made = MPI_REQUEST_NULL;
    g->query = ask;
    g->release = drop;
    g->cancel = stop;
    g->extra = extra;
    ENDS(PMPI_Grequest_start(query, release, cancel, g, &made));
    *request = (intptr_t)made;
}

void mpi_grequest_start_(void *ask, void *drop, void *stop, MPI_Aint *extra, MPI_Fint *request, MPI_Fint *ierror)
    __attribute__((weak, alias("pmpi_grequest_start_")));

/* Statuses of both kinds are the same numbers. */
void mpi_status_f082f_(const MPI_F08_status *from, MPI_Fint *to, MPI_Fint *ierror) { ENDS(MPI_Status_f082f(from, to)); }
void mpi_status_f2f08_(const MPI_Fint *from, MPI_F08_status *to, MPI_Fint *ierror) { ENDS(MPI_Status_f2f08(from, to)); }

/* The length that Fortran gives and gets does not count the zero at the end. */
#pragma weak mpi_info_get_string_ = pmpi_info_get_string_
void pmpi_info_get_string_(MPI_Fint *info, const char *key, MPI_Fint *buflen, char *value, MPI_Fint *flag, MPI_Fint *ierror, size_t key_length, size_t value_length)
{
    int length = *buflen > 0 ? (size_t)*buflen < value_length ? *buflen + 1 : (int)value_length + 1 : 0;
    char *key_ = musubi_text(key, key_length), *value_ = musubi_room(value_length);
    int code = PMPI_Info_get_string((MPI_Info)(intptr_t)*info, key_, &length, value_, flag);
    if (code == MPI_SUCCESS && *flag)
        *buflen = length - 1;
    musubi_pad(value, value_, value_length);
    free(key_);
    if (ierror)
        *ierror = code;
}

/* The front: what all calls of a program pass on their way to who carries them out. */
#ifndef MUSUBI_FRONT_H
#define MUSUBI_FRONT_H

#include "mpi.h"
#include "notes.h"

#include <stdint.h>

/* musubi_call carries out a function, by its number, with its arguments as words. */
int64_t musubi_call(int number, int64_t *arguments, int count);

/* musubi_ask is musubi_call of a function that does not communicate: lanes stay as they are. */
int64_t musubi_ask(int number, int64_t *arguments, int count);

/* Numbers of a program: int or, in functions for large counts, MPI_Count or MPI_Aint. */
struct musubi_list {
    const void *at; /* NULL: there are none */
    int is_large;
};

static inline struct musubi_list musubi_ints(const int *at) { return (struct musubi_list){at, 0}; }
static inline struct musubi_list musubi_counts(const int64_t *at) { return (struct musubi_list){at, 1}; }

static inline int64_t musubi_in(struct musubi_list list, uint64_t i)
{
    return list.is_large ? ((const int64_t *)list.at)[i] : ((const int *)list.at)[i];
}

/* Functions that the front carries out by itself where it can (short.c, probes.c, requests.c, persistent.c, answers.c, notes.c, near.c, combine.c, windows.c) return whether they have. */
int musubi_short_Send(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int musubi_short_Recv(void *buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status);
int musubi_short_Isend(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request);
int musubi_short_Irecv(void *buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request);
int musubi_short_Sendrecv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status);
int musubi_short_Bsend(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int musubi_short_Ibsend(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request);
int musubi_short_Rsend(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int musubi_short_Sendrecv_replace(void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status);
int musubi_short_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
int musubi_short_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int musubi_short_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);
int musubi_short_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status);
int musubi_short_Mrecv(void *buffer, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status);
int musubi_short_Wait(MPI_Request *request, MPI_Status *status);
int musubi_short_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int musubi_short_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status);
int musubi_short_Waitsome(int count, MPI_Request requests[], int *ended, int indices[], MPI_Status statuses[]);
int musubi_short_Test(MPI_Request *request, int *flag, MPI_Status *status);
int musubi_short_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]);
int musubi_short_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status);
int musubi_short_Testsome(int count, MPI_Request requests[], int *ended, int indices[], MPI_Status statuses[]);
int musubi_short_Start(MPI_Request *request);
int musubi_short_Startall(int count, MPI_Request requests[]);
int musubi_short_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count);
int musubi_short_Get_count_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count);
int musubi_short_Type_size(MPI_Datatype datatype, int *size);
int musubi_short_Type_size_c(MPI_Datatype datatype, MPI_Count *size);
int musubi_short_Type_get_extent(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent);
int musubi_short_Type_get_extent_c(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent);
int musubi_short_Status_set_source(MPI_Status *status, int source);
int musubi_short_Status_set_tag(MPI_Status *status, int tag);
int musubi_short_Status_set_error(MPI_Status *status, int error);
int musubi_short_Status_get_source(const MPI_Status *status, int *source);
int musubi_short_Status_get_tag(const MPI_Status *status, int *tag);
int musubi_short_Status_get_error(const MPI_Status *status, int *error);
int musubi_short_Comm_size(MPI_Comm comm, int *size);
int musubi_short_Comm_rank(MPI_Comm comm, int *rank);
int musubi_short_Comm_get_attr(MPI_Comm comm, int key, void *value, int *flag);
int musubi_short_Comm_test_inter(MPI_Comm comm, int *flag);
int musubi_short_Barrier(MPI_Comm comm);
int musubi_short_Bcast(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm);
int musubi_short_Gather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int musubi_short_Allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int musubi_short_Allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, struct musubi_list recvcounts, struct musubi_list displs, MPI_Datatype recvtype, MPI_Comm comm);
int musubi_short_Scatter(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int musubi_short_Scatterv(const void *sendbuf, struct musubi_list sendcounts, struct musubi_list displs, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int musubi_short_Alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int musubi_short_Allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int musubi_short_Scan(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int musubi_short_Exscan(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int musubi_short_Reduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm);
int musubi_short_Gatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, struct musubi_list recvcounts, struct musubi_list displs, MPI_Datatype recvtype, int root, MPI_Comm comm);
int musubi_short_Alltoallv(const void *sendbuf, struct musubi_list sendcounts, struct musubi_list sdispls, MPI_Datatype sendtype, void *recvbuf, struct musubi_list recvcounts, struct musubi_list rdispls, MPI_Datatype recvtype, MPI_Comm comm);
int musubi_short_Reduce_scatter(const void *sendbuf, void *recvbuf, struct musubi_list recvcounts, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int musubi_short_Reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int musubi_short_Neighbor_allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int musubi_short_Neighbor_allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, struct musubi_list recvcounts, struct musubi_list displs, MPI_Datatype recvtype, MPI_Comm comm);
int musubi_short_Neighbor_alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int musubi_short_Neighbor_alltoallv(const void *sendbuf, struct musubi_list sendcounts, struct musubi_list sdispls, MPI_Datatype sendtype, void *recvbuf, struct musubi_list recvcounts, struct musubi_list rdispls, MPI_Datatype recvtype, MPI_Comm comm);
int musubi_short_Neighbor_alltoallw(const void *sendbuf, struct musubi_list sendcounts, struct musubi_list sdispls, const MPI_Datatype sendtypes[], void *recvbuf, struct musubi_list recvcounts, struct musubi_list rdispls, const MPI_Datatype recvtypes[], MPI_Comm comm);
int musubi_short_Reduce_local(const void *in, void *inout, MPI_Count count, MPI_Datatype datatype, MPI_Op op);
int musubi_short_Put(const void *origin, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count target_count, MPI_Datatype target_type, MPI_Win win);
int musubi_short_Get(void *origin, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count target_count, MPI_Datatype target_type, MPI_Win win);
int musubi_short_Win_flush(int rank, MPI_Win win);
int musubi_short_Win_flush_local(int rank, MPI_Win win);
int musubi_short_Win_flush_all(MPI_Win win);
int musubi_short_Win_flush_local_all(MPI_Win win);
int musubi_short_Win_sync(MPI_Win win);
int musubi_short_Win_lock(int lock_type, int rank, int assert, MPI_Win win);
int musubi_short_Win_unlock(int rank, MPI_Win win);
int musubi_short_Win_lock_all(int assert, MPI_Win win);
int musubi_short_Win_unlock_all(MPI_Win win);
int musubi_short_Accumulate(const void *origin, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win);
int musubi_short_Get_accumulate(const void *origin, MPI_Count count, MPI_Datatype type, void *result, MPI_Count result_count, MPI_Datatype result_type, int rank, MPI_Aint disp, MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win);
int musubi_short_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op, MPI_Win win);
int musubi_short_Compare_and_swap(const void *origin, const void *compare, void *result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Win win);

/* musubi_put_status tells the program of a message. */
void musubi_put_status(MPI_Status *status, int source, int tag, int64_t bytes);

/* A combination combines elements into others. It reports false if the core is to do that: then it has changed nothing. */
typedef int musubi_combination(enum musubi_kind kind, const void *in, void *inout, uint64_t bytes);

/* musubi_combination_of returns that of an operation on elements of a kind; NULL: it is for the core. */
musubi_combination *musubi_combination_of(MPI_Op op, enum musubi_kind kind);

/* musubi_pair_bytes returns the bytes of an element of a kind, as it lies in memory, if that is a value and an int; else 0. */
uint64_t musubi_pair_bytes(enum musubi_kind kind);

/* musubi_put_pairs copies such elements to the program. What is between the value and the int, or behind them, stays. */
void musubi_put_pairs(enum musubi_kind kind, void *into, const void *from, uint64_t bytes);

/* musubi_kind_of returns the kind of the elements of a datatype, 0 if reductions of it are for the core. */
enum musubi_kind musubi_kind_of(MPI_Datatype datatype);

/* musubi_reduce_wide combines n numbers of a type that Go does not have into others. */
void musubi_reduce_wide(int64_t op, const void *in, void *inout, int64_t n, int64_t type);

double musubi_Wtime(void);
double musubi_Wtick(void);

extern const int musubi_number_of_Wtime;

/* What the other side asks the program's process to do: call a function of the program with words
 * of a, or something that only C can. The result is that of the function, and some words of a. */
enum musubi_request {
    MUSUBI_REDUCE = 1,     /* a: function, in, inout, length, datatype, whether the length is an MPI_Count */
    MUSUBI_COPY_ATTRIBUTE, /* a: function, handle, keyval, extra state, value; gives the new value in a[0], the flag in a[1] */
    MUSUBI_DELETE_ATTRIBUTE, /* a: function, handle, keyval, value, extra state */
    MUSUBI_HANDLE_ERROR,   /* a: function, handle, error code; gives the code in a[0] */
    MUSUBI_ALLOCATE,       /* a: bytes */
    MUSUBI_FREE,           /* a: address */
    MUSUBI_EXIT,           /* a: status */
    MUSUBI_QUERY,          /* a: function, extra state, address of a status */
    MUSUBI_RELEASE,        /* a: function, extra state */
    MUSUBI_CANCEL,         /* a: function, extra state, whether it is complete */
    MUSUBI_REDUCE_WIDE,    /* a: operation, in, inout, elements, datatype: reduces numbers that Go does not have */
    MUSUBI_MAP_SHARED,     /* a: file descriptor of the simulator's process, its process, bytes */
    MUSUBI_UNMAP_SHARED,   /* a: address, bytes */
    MUSUBI_DONE_ALREADY    /* what the front has carried out of the call */
};

#endif

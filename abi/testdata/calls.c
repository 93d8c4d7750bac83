/* Calls of each kind; each rank prints what it has got. */
#include <mpi.h>
#include <stdio.h>

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
    int rank, ranks, length;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    int from = -1, sum, own_sum;
    MPI_Status status;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 7, &from, 1, MPI_INT, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, &status);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(&rank, &own_sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);

    MPI_Datatype every_second;
    MPI_Type_vector(4, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    int numbers[8];
    for (int i = 0; i < 8; i++)
        numbers[i] = rank == 0 ? i : -1;
    MPI_Bcast(numbers, 1, every_second, 0, MPI_COMM_WORLD);
    MPI_Type_free(&every_second);

    MPI_Comm half;
    int half_rank;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &half_rank);
    MPI_Comm_free(&half);

    MPI_Request requests[2];
    MPI_Status statuses[2];
    double value = rank, got = -1;
    int count;
    MPI_Irecv(&got, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    if (ranks > 1) { // nobody has sent yet, as the ranks meet below
        int index = 0, flag = 1;
        MPI_Request_get_status_any(1, requests, &index, &flag, MPI_STATUS_IGNORE);
        if (flag || index != MPI_UNDEFINED)
            return 2;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(&value, 1, MPI_DOUBLE, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Get_count(&statuses[0], MPI_DOUBLE, &count);

    double before = -1, next = rank; // a request that is complete has brought its data, whoever has asked
    MPI_Irecv(&before, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&next, 1, MPI_DOUBLE, (rank + 1) % ranks, 4, MPI_COMM_WORLD, &requests[1]);
    for (int done = 0; !done;)
        MPI_Request_get_status_all(2, requests, &done, MPI_STATUSES_IGNORE);
    if (before != got)
        return 3;
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = PMPI_Send(&rank, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD);
    MPI_Error_string(code, text, &length);
    printf("%d of %d: from %d=%d, sums %d and %d, numbers %d %d %d, half %d, got %g with tag %d, %d element; %s\n", rank, ranks, status.MPI_SOURCE, from, sum, own_sum,
           numbers[0], numbers[1], numbers[6], half_rank, got, statuses[0].MPI_TAG, count, text);
    MPI_Finalize();
    return requests[0] != MPI_REQUEST_NULL;
}

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

/* alone duplicates the communicator of rank 0 alone while the duplicate of all is in its second round, which rank 1 delays.
   It returns whether a message in one of them is seen in the other one. */
static int alone(int rank)
{
    int token = 0, done = 0, seen = 0;
    MPI_Comm dups[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, message;
    MPI_Comm_idup(MPI_COMM_WORLD, &dups[0], &requests[0]);
    if (rank == 0) {
        MPI_Recv(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 10; i++)
            MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
        MPI_Comm_idup(MPI_COMM_SELF, &dups[1], &requests[1]);
    }
    if (rank == 1) {
        MPI_Send(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        usleep(20000);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) {
        MPI_Isend(&token, 1, MPI_INT, 0, 7, dups[1], &message);
        MPI_Iprobe(0, 7, dups[0], &seen, MPI_STATUS_IGNORE);
        MPI_Recv(&token, 1, MPI_INT, 0, 7, seen ? dups[0] : dups[1], MPI_STATUS_IGNORE);
        MPI_Wait(&message, MPI_STATUS_IGNORE);
        MPI_Comm_free(&dups[1]);
    }
    MPI_Comm_free(&dups[0]);
    return seen;
}

/* Duplicates that are begun in different orders, beside messages and a blocking duplicate. */
int main(int argc, char **argv)
{
    int rank, size, token = 0, ok = 1;
    MPI_Comm pair, dups[5], blocking;
    MPI_Request requests[5];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1)
        ok = !alone(rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &pair);

    /* rank 0 begins its duplicates only when the last rank has begun its own */
    if (rank == 0 && size > 1)
        MPI_Recv(&token, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm from[5] = {MPI_COMM_WORLD, pair, MPI_COMM_WORLD, MPI_COMM_SELF, pair};
    int order[2][5] = {{0, 1, 2, 3, 4}, {1, 3, 0, 4, 2}};
    for (int i = 0; i < 5; i++) {
        int k = order[rank % 2][i];
        MPI_Comm_idup(from[k], &dups[k], &requests[k]);
    }
    if (rank == size - 1 && size > 1)
        MPI_Send(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &blocking);
    for (int i = 4; i >= 0; i--)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);

    /* messages of each arrive in it */
    MPI_Request in[6], out[6];
    int got[6];
    for (int k = 0; k < 6; k++) {
        MPI_Comm c = k < 5 ? dups[k] : blocking;
        int me, n;
        MPI_Comm_rank(c, &me);
        MPI_Comm_size(c, &n);
        MPI_Irecv(&got[k], 1, MPI_INT, (me + n - 1) % n, 7, c, &in[k]);
    }
    for (int k = 5; k >= 0; k--) {
        MPI_Comm c = k < 5 ? dups[k] : blocking;
        int me, n;
        MPI_Comm_rank(c, &me);
        MPI_Comm_size(c, &n);
        MPI_Isend(&(int){k}, 1, MPI_INT, (me + 1) % n, 7, c, &out[k]);
        MPI_Wait(&out[k], MPI_STATUS_IGNORE);
    }
    MPI_Waitall(6, in, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 6; k++)
        ok = ok && got[k] == k;
    printf("%d: %s\n", rank, ok ? "all in their communicators" : "wrong");
    MPI_Finalize();
    return 0;
}

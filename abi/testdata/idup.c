#include <mpi.h>
#include <stdio.h>

/* Duplicates that are begun in different orders, beside messages and a blocking duplicate. */
int main(int argc, char **argv)
{
    int rank, size, token = 0, ok = 1;
    MPI_Comm pair, dups[5], blocking;
    MPI_Request requests[5];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
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

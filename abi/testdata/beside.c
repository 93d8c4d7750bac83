/* A rank in C of a job that also has ranks in Go: beside/main.go does the same. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, ranks, count, halves;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    long one = rank + 1, sum;
    MPI_Allreduce(&one, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    double mine[3] = {rank + 0.5, 20, 30}, got[3];
    MPI_Status status;
    MPI_Sendrecv(mine, 3, MPI_DOUBLE, (rank + 1) % ranks, 7, got, 3, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    char text[8] = "";
    if (rank == 0)
        sprintf(text, "from C ");
    MPI_Bcast(text, 7, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_size(half, &halves);
    MPI_Barrier(half);
    MPI_Comm_free(&half);
    printf("C %d: sum %ld, %d from %d with %g, %s, %d in a half\n", rank, sum, count, status.MPI_SOURCE, got[0], text, halves);
    MPI_Finalize();
    return 0;
}

/* Rank 0 tells how long a loop takes, in microseconds. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    volatile double sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double begin = MPI_Wtime();
    for (int i = 0; i < 100000; i++)
        sum += i;
    double end = MPI_Wtime();
    if (rank == 0)
        printf("%.3f\n", 1e6 * (end - begin));
    MPI_Finalize();
    return 0;
}

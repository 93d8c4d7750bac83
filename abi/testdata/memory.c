/* Rank 0 prints how many pages of memory it has come to need in very many short calls, which should take the same memory again
 * and again: a page costs more than such a call. */
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>

enum { ROUNDS = 2000, WARM = 100 };

static long pages(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_minflt;
}

int main(int argc, char **argv)
{
    static int in[64], out[64];
    int rank, size, ones[16], places[16];
    long before = 0;
    MPI_Request request;
    MPI_Win win;
    int *memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 16; i++)
        ones[i] = 1, places[i] = i;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < ROUNDS + WARM; i++) {
        if (i == WARM)
            before = pages();
        MPI_Gatherv(in, 1, MPI_INT, out, ones, places, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Scatterv(in, ones, places, MPI_INT, out, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Alltoallv(in, ones, places, MPI_INT, out, ones, places, MPI_INT, MPI_COMM_WORLD);
        MPI_Reduce_scatter(in, out, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Iallgather(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Get_accumulate(in, 1, MPI_INT, out, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_flush_all(win);
    }
    if (rank == 0)
        printf("%ld pages in %d calls\n", pages() - before, 10 * ROUNDS);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}

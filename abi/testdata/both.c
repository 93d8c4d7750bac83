/* Two ranks send bursts to each other at the same time, as osu_bibw does. Rank 1 is slow at first, so that the core of
 * rank 0 takes over. Rank 0 prints how many messages came wrong, and how many of all that both have sent and received
 * since then have gone by lanes. */
#include "../front/short.h"
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { WINDOWS = 2000, WINDOW = 64, SLOW = 20 };

int main(int argc, char **argv)
{
    static long out[WINDOW], in[WINDOW];
    MPI_Request sends[WINDOW], receives[WINDOW];
    struct timespec moment = {0, 1000000};
    long mine[2] = {0}, all[2], before = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int w = 0; w < WINDOWS; w++) {
        if (w < SLOW && rank == w % 2)
            nanosleep(&moment, NULL);
        if (w == SLOW)
            before = musubi_lanes.messages;
        for (int i = 0; i < WINDOW; i++) {
            MPI_Irecv(&in[i], 1, MPI_LONG, 1 - rank, 10, MPI_COMM_WORLD, &receives[i]);
            out[i] = w * WINDOW + i;
        }
        for (int i = 0; i < WINDOW; i++)
            MPI_Isend(&out[i], 1, MPI_LONG, 1 - rank, 10, MPI_COMM_WORLD, &sends[i]);
        MPI_Waitall(WINDOW, sends, MPI_STATUSES_IGNORE);
        MPI_Waitall(WINDOW, receives, MPI_STATUSES_IGNORE);
        for (int i = 0; i < WINDOW; i++)
            mine[0] += in[i] != w * WINDOW + i;
    }
    mine[1] = musubi_lanes.messages - before;
    MPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld wrong, %ld of %d by lanes\n", all[0], all[1], 4 * WINDOW * (WINDOWS - SLOW));
    MPI_Finalize();
    return 0;
}

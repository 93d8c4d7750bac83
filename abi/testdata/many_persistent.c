/* Two ranks have more persistent requests than the front has places, so that several want the same one. Those that are left when most are
 * freed have one each: rank 0 prints whether the front has carried out most of an exchange by these. */
#include "../front/short.h"
#include <mpi.h>
#include <stdio.h>

enum { ALL = 3 * MUSUBI_PERSISTENT, ROUNDS = 2000 };

int main(int argc, char **argv)
{
    int rank, in = 0, out = 0, wrong = 0;
    MPI_Request all[ALL];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < ALL; i++) {
        if (i % (2 * MUSUBI_PERSISTENT) < MUSUBI_PERSISTENT)
            MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &all[i]);
        else
            MPI_Send_init(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &all[i]);
    }
    for (int i = 0; i < ALL; i++) {
        if (i % MUSUBI_PERSISTENT > 0)
            MPI_Request_free(&all[i]);
    }
    MPI_Request pair[] = {all[0], all[MUSUBI_PERSISTENT]};
    unsigned long long before = 0;
    for (int i = 0; i < 2 * ROUNDS; i++) {
        if (i == ROUNDS)
            before = musubi_lanes.messages;
        out = 2 * i + rank;
        MPI_Startall(2, pair);
        MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
        wrong += in != 2 * i + 1 - rank;
    }
    if (rank == 0)
        printf("%d wrong, %s by the front\n", wrong, musubi_lanes.messages - before > ROUNDS ? "most" : "few");
    MPI_Finalize();
    return 0;
}

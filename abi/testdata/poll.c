/* Two ranks send words to each other and ask with MPI_Test whether they have come. One of them is late, so that it is asked in vain. Rank 0
 * prints how many answers were wrong, and whether most were given without the core, which closes the lanes. */
#include "../front/short.h"
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 2000 };

static int wrong, asked, without;

/* test asks once. */
static int test(MPI_Request *request, MPI_Status *status)
{
    int flag = -1;
    MPI_Test(request, &flag, status);
    if (flag != (*request == MPI_REQUEST_NULL))
        wrong++;
    asked++;
    without += musubi_lanes.open != 0;
    return flag;
}

static void expect(const MPI_Status *status, int source, int tag, int bytes)
{
    int count = -1;
    MPI_Get_count(status, MPI_BYTE, &count);
    wrong += status->MPI_SOURCE != source || status->MPI_TAG != tag || count != bytes;
}

int main(int argc, char **argv)
{
    int rank, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS; round++) {
        long in = -1, out = round * 10 + rank;
        MPI_Request receive, send, none = MPI_REQUEST_NULL;
        MPI_Status status;
        MPI_Irecv(&in, sizeof in, MPI_BYTE, other, round % 3, MPI_COMM_WORLD, &receive);
        if (round % 100 == rank)
            nanosleep(&(struct timespec){0, 200000}, NULL);
        MPI_Isend(&out, sizeof out, MPI_BYTE, other, round % 3, MPI_COMM_WORLD, &send);
        while (!test(&receive, &status))
            ;
        expect(&status, other, round % 3, sizeof in);
        wrong += in != round * 10 + other;
        while (!test(&send, MPI_STATUS_IGNORE))
            ;
        if (!test(&none, &status))
            wrong++;
        expect(&status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    }
    int sums[3] = {wrong, asked, without}, all[3];
    MPI_Reduce(sums, all, 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong, %s\n", all[0], all[2] > all[1] / 2 ? "most without the core" : "most by the core");
    MPI_Finalize();
    return 0;
}

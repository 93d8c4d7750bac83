/* Rank 0 sends ever more messages to rank 1, which looks at none of them before rank 0 waits for an answer: so the ring between them
 * is full to every degree while rank 0 waits. Rank 1 checks each byte. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LONGEST = 16000, MOST = 6 << 20 /* bytes, more than a ring has */ };

static unsigned char memory[LONGEST];

static void send(int n, int length)
{
    for (int i = 0; i < n; i++) {
        memset(memory, 1 + (n + i) % 250, length);
        MPI_Send(memory, length, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Recv(memory, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* receive returns how many bytes are wrong. */
static int receive(int n, int length)
{
    struct timespec moment = {0, 200 * 1000};
    int wrong = 0;
    nanosleep(&moment, NULL);
    for (int i = 0; i < n; i++) {
        MPI_Recv(memory, length, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int at = 0; at < length; at++)
            wrong += memory[at] != 1 + (n + i) % 250;
    }
    MPI_Send(memory, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    return wrong;
}

int main(int argc, char **argv)
{
    static const int lengths[] = {500, 3000, LONGEST};
    int rank, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        for (int n = 1; n * lengths[i] < MOST; n += 1 + n / 16) {
            if (rank == 0)
                send(n, lengths[i]);
            if (rank == 1)
                wrong += receive(n, lengths[i]);
        }
    }
    if (rank == 1)
        printf("%d bytes are wrong\n", wrong);
    MPI_Finalize();
    return 0;
}

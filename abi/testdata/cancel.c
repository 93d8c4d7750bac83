/* Sends that are cancelled are taken back unless a receive has matched them, and buffered messages to oneself stay
 * in the buffer until they are received. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 100000, TAKEN_BACK = 9, NEXT = 10 };

static char memory[LONG];

static int was_cancelled(MPI_Request *request)
{
    MPI_Status status;
    int flag;
    MPI_Cancel(request);
    MPI_Wait(request, &status);
    MPI_Test_cancelled(&status, &flag);
    return flag;
}

/* Nobody receives these: a long one, a short synchronous one, and one to oneself. */
static int unmatched(int rank, int other)
{
    MPI_Request request;
    int taken = 0, found = 0;
    if (rank == 0) {
        MPI_Isend(memory, LONG, MPI_CHAR, other, TAKEN_BACK, MPI_COMM_WORLD, &request);
        taken += was_cancelled(&request);
        MPI_Issend(memory, 4, MPI_CHAR, other, TAKEN_BACK, MPI_COMM_WORLD, &request);
        taken += was_cancelled(&request);
        MPI_Issend(memory, 4, MPI_CHAR, 0, TAKEN_BACK, MPI_COMM_WORLD, &request);
        taken += was_cancelled(&request);
        MPI_Send(&taken, 1, MPI_INT, other, NEXT, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&taken, 1, MPI_INT, 0, NEXT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Iprobe(0, TAKEN_BACK, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    }
    return taken == 3 && !found;
}

/* Short messages are gone when they are sent. Of five with one tag the second and the last two are taken back, by requests
 * that were started in the ways there are; the receiver gets the others, in order. One that is received is not taken back. */
static int eager(int rank, int other)
{
    MPI_Request requests[5];
    int sent[5] = {10, 11, 12, 13, 14}, got[2] = {0}, taken = 0, found = 0;
    char buffer[sizeof(int) + MPI_BSEND_OVERHEAD];
    void *detached;
    int bytes = sizeof buffer;
    if (rank == 0) {
        MPI_Buffer_attach(buffer, bytes);
        MPI_Isend(&sent[0], 1, MPI_INT, other, TAKEN_BACK, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&sent[1], 1, MPI_INT, other, TAKEN_BACK, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&sent[2], 1, MPI_INT, other, TAKEN_BACK, MPI_COMM_WORLD, &requests[2]);
        MPI_Send_init(&sent[3], 1, MPI_INT, other, TAKEN_BACK, MPI_COMM_WORLD, &requests[3]);
        MPI_Start(&requests[3]);
        MPI_Ibsend(&sent[4], 1, MPI_INT, other, TAKEN_BACK, MPI_COMM_WORLD, &requests[4]);
        taken += was_cancelled(&requests[3]);
        taken += was_cancelled(&requests[1]);
        taken += was_cancelled(&requests[4]);
        MPI_Request_free(&requests[3]);
        MPI_Buffer_detach(&detached, &bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        taken += 10 * was_cancelled(&requests[2]); /* it has been received */
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(&got[0], 1, MPI_INT, 0, TAKEN_BACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&got[1], 1, MPI_INT, 0, TAKEN_BACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Iprobe(0, TAKEN_BACK, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return rank == 0 ? taken == 3 : got[0] == 10 && got[1] == 12 && !found;
}

/* A receive waits for these. */
static int matched(int rank, int other)
{
    MPI_Request request;
    int right = 1;
    for (int n = 4; n <= LONG; n += LONG - 4) {
        if (rank == 0) {
            memset(memory, 'a', n);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Issend(memory, n, MPI_CHAR, other, TAKEN_BACK, MPI_COMM_WORLD, &request);
            right &= !was_cancelled(&request);
        } else {
            memset(memory, 'b', n);
            MPI_Irecv(memory, n, MPI_CHAR, 0, TAKEN_BACK, MPI_COMM_WORLD, &request);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            right &= memory[0] == 'a' && memory[n - 1] == 'a';
        }
    }
    return right;
}

/* A buffer for one message holds one. */
static int buffered(int rank)
{
    int bytes = LONG / 4 + MPI_BSEND_OVERHEAD, class, done;
    char *buffer = malloc(bytes), *gone;
    MPI_Request flushed;
    MPI_Buffer_attach(buffer, bytes);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Bsend(memory, LONG / 4, MPI_CHAR, rank, 1, MPI_COMM_WORLD);
    MPI_Error_class(MPI_Bsend(memory, LONG / 4, MPI_CHAR, rank, 1, MPI_COMM_WORLD), &class);
    MPI_Buffer_iflush(&flushed);
    MPI_Test(&flushed, &done, MPI_STATUS_IGNORE);
    MPI_Recv(memory, LONG / 4, MPI_CHAR, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&flushed, MPI_STATUS_IGNORE);
    int again = MPI_Bsend(memory, LONG / 4, MPI_CHAR, rank, 2, MPI_COMM_WORLD);
    MPI_Recv(memory, LONG / 4, MPI_CHAR, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&gone, &bytes);
    free(buffer);
    return class == MPI_ERR_BUFFER && !done && again == MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int first = unmatched(rank, 1 - rank), second = matched(rank, 1 - rank), third = buffered(rank), fourth = eager(rank, 1 - rank);
    printf("%d: taken back %d, matched %d, buffered %d, eager %d\n", rank, first, second, third, fourth);
    MPI_Finalize();
    return 0;
}

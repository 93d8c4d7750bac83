/* Ranks send out of buffers that they attach: short and long messages, of which they change the data at once, by all calls that there are, while the
 * others are late, so that messages wait. Without room a call is an error, whoever carries it out. Rank 0 prints what was wrong, and whether
 * most of many short messages to rank 1 went without the core. */
#include "../front/short.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 1000, MOST = 100000, ROOM = 4 * MOST };

static const int lengths[] = {0, 1, 8, 100, 1000, 4000, 16000, 16384, 16385, 40000, MOST};
static unsigned char data[MOST], got[MOST], buffer[ROOM + 64 * MPI_BSEND_OVERHEAD], of_comm[ROOM];
static int rank, size, wrong;

static unsigned char given(int step, int from, int i) { return (unsigned char)(step * 31 + from * 7 + i); }

static void expect(const char *what, int code, int want)
{
    int class;
    MPI_Error_class(code, &class);
    if (class != want && wrong++ < 5)
        printf("rank %d: %s gives class %d; expected %d\n", rank, what, class, want);
}

static void receive(int step, int from, int bytes)
{
    MPI_Status status;
    int n;
    MPI_Recv(got, MOST, MPI_BYTE, from, step, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &n);
    int bad = n != bytes;
    for (int i = 0; i < bytes && !bad; i++)
        bad = got[i] != given(step, from, i);
    if (bad && wrong++ < 5)
        printf("rank %d, step %d: %d bytes of rank %d, or wrong ones; expected %d\n", rank, step, n, from, bytes);
}

/* Each rank sends to the next one, up to three messages before it receives as many. */
static void step(int number)
{
    int after = (rank + 1) % size, before = (rank + size - 1) % size, several = 1 + number % 3;
    if (number % 100 == rank) {
        struct timespec t = {0, 300000};
        nanosleep(&t, NULL);
    }
    for (int k = 0; k < several; k++) {
        int bytes = lengths[(number * 5 + k * 3) % (int)(sizeof lengths / sizeof *lengths)], tag = number * 3 + k;
        MPI_Request request;
        for (int i = 0; i < bytes; i++)
            data[i] = given(tag, rank, i);
        if (number % 2) {
            expect("MPI_Bsend", MPI_Bsend(data, bytes, MPI_BYTE, after, tag, MPI_COMM_WORLD), MPI_SUCCESS);
        } else {
            expect("MPI_Ibsend", MPI_Ibsend(data, bytes, MPI_BYTE, after, tag, MPI_COMM_WORLD, &request), MPI_SUCCESS);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        memset(data, 0xee, bytes);
    }
    for (int k = 0; k < several; k++)
        receive(number * 3 + k, before, lengths[(number * 5 + k * 3) % (int)(sizeof lengths / sizeof *lengths)]);
}

/* room checks which messages there is room for; they go to nobody but one. */
static void room(int bytes)
{
    int after = (rank + 1) % size, before = (rank + size - 1) % size, next = 3 * STEPS;
    MPI_Request request;
    for (int i = 0; i < 3; i++) { /* the second time the front could */
        expect("MPI_Bsend of too much", MPI_Bsend(data, bytes + 1, MPI_BYTE, after, next, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        expect("MPI_Ibsend of too much", MPI_Ibsend(data, bytes + 1, MPI_BYTE, after, next, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
        for (int k = 0; k < bytes; k++)
            data[k] = given(next, rank, k);
        if (bytes > 0)
            expect("MPI_Bsend", MPI_Bsend(data, bytes, MPI_BYTE, after, next, MPI_COMM_WORLD), MPI_SUCCESS);
        else
            MPI_Send(data, bytes, MPI_BYTE, after, next, MPI_COMM_WORLD);
        receive(next, before, bytes);
    }
}

/* quick sends short messages from rank 0 to rank 1, and returns how many of them the front has sent. */
static int quick(void)
{
    enum { TIMES = 100, MESSAGES = 20 };
    long by_front = 0;
    for (int i = 0; i < TIMES && rank < 2 && size > 1; i++) {
        long before = (long)musubi_lanes.messages;
        for (int k = 0; k < MESSAGES; k++) {
            if (rank == 0)
                MPI_Bsend(data, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        }
        by_front += (long)musubi_lanes.messages - before;
        for (int k = 0; k < MESSAGES; k++) {
            if (rank == 1)
                MPI_Recv(got, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (rank == 0)
            MPI_Recv(got, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(data, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    return by_front > TIMES * MESSAGES / 2;
}

int main(int argc, char **argv)
{
    void *at;
    int bytes, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    room(0);
    MPI_Buffer_attach(buffer, sizeof buffer);
    for (int i = 0; i < STEPS; i++)
        step(i);
    int most = quick();
    MPI_Buffer_detach(&at, &bytes);
    if (at != buffer || bytes != sizeof buffer)
        wrong++;
    room(0);
    MPI_Buffer_attach(buffer, 100 + MPI_BSEND_OVERHEAD);
    room(100 + MPI_BSEND_OVERHEAD);
    MPI_Comm_attach_buffer(MPI_COMM_WORLD, of_comm, 20);
    room(20);
    MPI_Comm_detach_buffer(MPI_COMM_WORLD, &at, &bytes);
    room(100 + MPI_BSEND_OVERHEAD);
    MPI_Buffer_detach(&at, &bytes);
    MPI_Reduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong, %s\n", sum, most ? "most short ones without the core" : "most by the core");
    MPI_Finalize();
    return 0;
}

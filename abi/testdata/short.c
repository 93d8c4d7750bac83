/* Ranks exchange messages of many lengths, in all ways of sending and receiving, one after another and in
 * bursts, as a number tells all of them alike. So calls that the front carries out itself and calls of the core
 * follow each other in any order. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 4000, BURST = 40, LONGEST = 70000, COMMS = 3, SHORT = 22 /* lengths of a burst */, LONGEST_SHORT = 16384 };

static const int lengths[] = {0, 1, 4, 8, 8, 8, 15, 16, 17, 24, 56, 100, 1000, 2048, 4080, 4089, 4096, 5000, 8192, 12000, 16376, LONGEST_SHORT, 20000, LONGEST};
static MPI_Comm comms[COMMS];
static unsigned long long state = 88172645463325252ULL;
static int messages, wrong;

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static unsigned char *memory_of(int step, int n)
{
    unsigned char *memory = malloc(n + 1);
    for (int i = 0; i < n; i++)
        memory[i] = step * 31 + i;
    return memory;
}

static void check(int step, const unsigned char *memory, int n, const MPI_Status *status, int from, int tag)
{
    unsigned char *want = memory_of(step, n);
    int count;
    MPI_Get_count(status, MPI_BYTE, &count);
    messages++;
    if (count != n || status->MPI_SOURCE != from || status->MPI_TAG != tag || memcmp(memory, want, n) != 0) {
        if (wrong++ < 5)
            printf("step %d: %d bytes from %d with tag %d; expected %d from %d with tag %d\n", step, count, status->MPI_SOURCE, status->MPI_TAG, n, from, tag);
    }
    free(want);
}

static void send(int step, int n, int to, int tag, MPI_Comm comm, int way)
{
    unsigned char *memory = memory_of(step, n);
    MPI_Request request;
    switch (way) {
    case 0: MPI_Ssend(memory, n, MPI_BYTE, to, tag, comm); break;
    case 1:
        MPI_Isend(memory, n, MPI_BYTE, to, tag, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    default: MPI_Send(memory, n, MPI_CHAR, to, tag, comm);
    }
    free(memory);
}

static void receive(int step, int n, int from, int tag, MPI_Comm comm, int way)
{
    unsigned char *memory = malloc(LONGEST + 1);
    MPI_Status status;
    MPI_Request request;
    int flag = 0;
    switch (way) {
    case 0:
        MPI_Irecv(memory, n, MPI_BYTE, from, tag, comm, &request);
        while (!flag)
            MPI_Test(&request, &flag, &status);
        break;
    case 1:
        MPI_Irecv(memory, LONGEST, MPI_BYTE, from, tag, comm, &request);
        MPI_Wait(&request, &status);
        break;
    case 2: MPI_Recv(memory, LONGEST, MPI_BYTE, from, MPI_ANY_TAG, comm, &status); break;
    case 3:
        MPI_Probe(from, tag, comm, &status);
        MPI_Recv(memory, n, MPI_BYTE, from, tag, comm, &status);
        break;
    case 4: MPI_Sendrecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, memory, LONGEST, MPI_CHAR, from, tag, comm, &status); break;
    default: MPI_Recv(memory, n, MPI_UINT8_T, from, tag, comm, &status);
    }
    check(step, memory, n, &status, from, tag);
    free(memory);
}

static void exchange(int step, int n, int other, int tag, MPI_Comm comm)
{
    unsigned char *out = memory_of(step, n), *in = malloc(LONGEST + 1);
    MPI_Status status;
    MPI_Sendrecv(out, n, MPI_BYTE, other, tag, in, LONGEST, MPI_CHAR, other, tag, comm, &status);
    check(step, in, n, &status, other, tag);
    free(in);
    free(out);
}

/* burst sends many messages before the other rank waits for any, and lets it receive them in another order. */
static void burst(int step, int sends, int other, MPI_Comm comm, int way)
{
    static unsigned char memory[BURST][LONGEST_SHORT];
    MPI_Request requests[BURST];
    MPI_Status statuses[BURST];
    int n = lengths[draw(SHORT)], turn = draw(2), index, flag = 0, tag;
    for (int i = 0; i < BURST; i++) {
        tag = turn && !sends ? (BURST - 1 - i) % 8 : i % 8;
        if (sends) {
            unsigned char *data = memory_of(step + i % 8, n);
            memcpy(memory[i], data, n);
            free(data);
            MPI_Isend(memory[i], n, MPI_BYTE, other, tag, comm, &requests[i]);
        } else {
            MPI_Irecv(memory[i], n, MPI_BYTE, other, tag, comm, &requests[i]);
        }
    }
    switch (way) {
    case 0:
        for (int i = 0; i < BURST; i++) {
            MPI_Status one;
            MPI_Waitany(BURST, requests, &index, &one);
            statuses[index] = one;
        }
        break;
    case 1:
        while (!flag)
            MPI_Testall(BURST, requests, &flag, statuses);
        break;
    case 2:
        for (int i = BURST - 1; i >= 0; i--)
            MPI_Wait(&requests[i], &statuses[i]);
        break;
    default: MPI_Waitall(BURST, requests, statuses);
    }
    for (int i = 0; i < BURST; i++) {
        tag = turn ? (BURST - 1 - i) % 8 : i % 8;
        if (requests[i] != MPI_REQUEST_NULL)
            wrong++;
        if (!sends)
            check(step + tag, memory[i], n, &statuses[i], other, tag);
    }
}

static void step(int number, int rank, int size)
{
    int c = draw(8) ? 0 : draw(COMMS), from = draw(size), to = (from + 1 + draw(size - 1)) % size;
    int n = lengths[draw(sizeof lengths / sizeof *lengths)], tag = draw(4), out = draw(6), in = draw(12), kind = draw(20);
    unsigned long long before = state;
    int mine;
    MPI_Comm_rank(comms[c], &mine);
    if (kind == 0)
        MPI_Barrier(comms[c]);
    if (kind == 1) {
        if (mine == from || mine == to)
            burst(number, mine == from, mine == from ? to : from, comms[c], in % 5);
    } else if (kind < 5 && (mine == from || mine == to)) {
        exchange(number, n, mine == from ? to : from, tag, comms[c]);
    } else if (mine == from) {
        send(number, n, to, tag, comms[c], out);
    } else if (mine == to) {
        receive(number, n, from, tag, comms[c], in);
    }
    state = before + number; /* those that were not in a burst have drawn less */
    (void)rank;
}

/* A message that is too long is an error, and the next one comes as if it had not been. */
static void truncated(int rank)
{
    int data[4] = {1, 2, 3, 4}, code, class = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        if (rank == 0) {
            MPI_Send(data, 4, MPI_INT, 1, 5, MPI_COMM_WORLD);
            MPI_Send(&i, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        } else if (rank == 1) {
            code = MPI_Recv(data, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Error_class(code, &class);
            MPI_Recv(data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (class != MPI_ERR_TRUNCATE || data[0] != i)
                wrong++;
        }
    }
}

int main(int argc, char **argv)
{
    int rank, size, all[2], mine[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comms[2]);
    for (int i = 0; i < STEPS; i++)
        step(i, rank, size);
    truncated(rank);
    mine[0] = messages, mine[1] = wrong;
    MPI_Reduce(mine, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d messages, %d wrong\n", all[0], all[1]);
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
    MPI_Finalize();
    return 0;
}

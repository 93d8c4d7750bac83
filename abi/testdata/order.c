/* Each rank sends each other one a sequence of numbers, on every tag of each of two communicators: short and long messages,
 * in all ways of sending, of datatypes with and without gaps. The receiver takes them in as many ways, with probes and
 * wildcards. Whatever way a message goes, those of a rank, a tag and a communicator come in the order in which they were sent. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = 1000, TAGS = 3, COMMS = 2, LONGEST = 40000, OPEN = 16, MOST_RANKS = 8 };

static const int lengths[] = {8, 8, 8, 8, 12, 16, 24, 64, 500, 4088, 4096, 9000, 16384, LONGEST};
static MPI_Comm comms[COMMS];
static MPI_Datatype gaps; /* a byte of each two */
static unsigned long long state;
static int rank, size, wrong, received;
static int sent_number[MOST_RANKS][COMMS][TAGS], next_number[MOST_RANKS][COMMS][TAGS];

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20) % below;
}

/* sends are those that are open: their memory and their requests. */
static struct {
    unsigned char *memory;
    MPI_Request request;
} sends[OPEN];

static int take(int c);

/* room waits for a send to be complete, and receives meanwhile, as other ranks may wait for this one. */
static unsigned char *room(void)
{
    static int turn;
    int done = 0;
    turn = (turn + 1) % OPEN;
    for (MPI_Test(&sends[turn].request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&sends[turn].request, &done, MPI_STATUS_IGNORE))
        take(draw(COMMS));
    if (!sends[turn].memory)
        sends[turn].memory = malloc(2 * LONGEST);
    return memset(sends[turn].memory, turn, 2 * LONGEST);
}

static MPI_Request *request_of(const unsigned char *memory)
{
    for (int i = 0; i < OPEN; i++)
        if (sends[i].memory == memory)
            return &sends[i].request;
    abort();
}

static void send(int to)
{
    int tag = draw(TAGS), c = draw(4) ? 0 : 1, n = lengths[draw(sizeof lengths / sizeof *lengths)], way = draw(10);
    unsigned char *memory = room();
    MPI_Request *request = request_of(memory);
    MPI_Datatype type = way == 9 ? gaps : MPI_BYTE;
    int number = sent_number[to][c][tag]++;
    for (int i = 0; i < 4; i++)
        memory[way == 9 ? 2 * i : i] = number >> 8 * i;
    switch (way) {
    case 0: MPI_Issend(memory, n, type, to, tag, comms[c], request); break;
    case 1:
    case 2: /* a message that may have to wait would wait for ever if all did */
        if (n <= 4096)
            MPI_Send(memory, n, type, to, tag, comms[c]);
        else
            MPI_Isend(memory, n, type, to, tag, comms[c], request);
        break;
    default: MPI_Isend(memory, n, type, to, tag, comms[c], request);
    }
}

static void check(const unsigned char *memory, const MPI_Status *status, int c)
{
    int number = memory[0] | memory[1] << 8 | memory[2] << 16 | memory[3] << 24;
    int *expected = &next_number[status->MPI_SOURCE][c][status->MPI_TAG];
    if (number != *expected && wrong++ < 5)
        printf("rank %d: message %d from %d with tag %d; expected %d\n", rank, number, status->MPI_SOURCE, status->MPI_TAG, *expected);
    *expected = number + 1;
    received++;
}

/* take receives what has come, in a way that does not wait for what has not. It reports whether there was anything. */
static int take(int c)
{
    static unsigned char memory[LONGEST];
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int flag = 0, from = draw(3) ? MPI_ANY_SOURCE : (int)draw(size), tag = draw(3) ? MPI_ANY_TAG : (int)draw(TAGS);
    if (draw(3) == 0) {
        MPI_Improbe(from, tag, comms[c], &flag, &message, &status);
        if (flag)
            MPI_Mrecv(memory, LONGEST, MPI_BYTE, &message, &status);
    } else {
        MPI_Iprobe(from, tag, comms[c], &flag, &status);
        if (flag && draw(2)) {
            MPI_Recv(memory, LONGEST, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comms[c], &status);
        } else if (flag) {
            MPI_Irecv(memory, LONGEST, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comms[c], &request);
            MPI_Wait(&request, &status);
        }
    }
    if (flag)
        check(memory, &status, c);
    return flag;
}

/* take_many receives several messages of a tag, of which each has to come. The number of each is in their order. */
static void take_many(int from, int tag, int count)
{
    static unsigned char memory[OPEN][LONGEST];
    MPI_Request requests[OPEN];
    MPI_Status statuses[OPEN];
    int index;
    for (int i = 0; i < count; i++)
        MPI_Irecv(memory[i], LONGEST, MPI_BYTE, from, tag, comms[0], &requests[i]);
    if (draw(2)) {
        MPI_Waitall(count, requests, statuses);
    } else {
        for (int i = 0; i < count; i++) {
            MPI_Status one;
            MPI_Waitany(count, requests, &index, &one);
            statuses[index] = one;
        }
    }
    for (int i = 0; i < count; i++)
        check(memory[i], &statuses[i], 0);
}

/* rounds of short messages to and fro, and in bursts, go by themselves: nothing else is under way. */
static void play(int other)
{
    static unsigned char memory[64];
    int n = lengths[draw(6)], turns = 1 + draw(40);
    for (int i = 0; i < turns; i++) {
        MPI_Status status;
        int number = sent_number[other][0][0]++;
        memcpy(memory, &number, sizeof number);
        if (rank < other)
            MPI_Send(memory, n, MPI_BYTE, other, 0, MPI_COMM_WORLD);
        MPI_Recv(memory, sizeof memory, MPI_BYTE, other, 0, MPI_COMM_WORLD, &status);
        check(memory, &status, 0);
        memcpy(memory, &number, sizeof number);
        if (rank > other)
            MPI_Send(memory, n, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    }
}

/* settle ends all that is under way between the ranks: each has received what all others have sent. */
static void settle(void)
{
    static int given[MOST_RANKS][COMMS * TAGS], all[MOST_RANKS][COMMS * TAGS];
    MPI_Request counts;
    int done = 0, open = 1;
    memcpy(given, sent_number, sizeof given);
    MPI_Ialltoall(given, COMMS * TAGS, MPI_INT, all, COMMS * TAGS, MPI_INT, MPI_COMM_WORLD, &counts);
    while (!done) {
        MPI_Test(&counts, &done, MPI_STATUS_IGNORE);
        for (int c = 0; c < COMMS; c++)
            take(c);
    }
    while (open) {
        open = 0;
        for (int from = 0; from < size; from++) {
            for (int i = 0; i < COMMS * TAGS; i++)
                open += all[from][i] - next_number[from][i / TAGS][i % TAGS];
            int left = all[from][0] - next_number[from][0][0];
            if (left > 2 && draw(2))
                take_many(from, 0, left < OPEN ? left : OPEN);
        }
        for (int c = 0; c < COMMS; c++)
            take(c);
    }
    for (int i = 0; i < OPEN; i++)
        MPI_Wait(&sends[i].request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int mine[2], all[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_create_resized(MPI_BYTE, 0, 2, &gaps);
    MPI_Type_commit(&gaps);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    for (int i = 0; i < OPEN; i++)
        sends[i].request = MPI_REQUEST_NULL;
    for (int i = 0; i < MESSAGES / 100; i++) {
        state = 88172645463325252ULL * (rank + 1) + i;
        for (int j = 0; j < 100; j++) {
            int to = draw(size);
            if (to != rank)
                send(to);
            if (draw(2))
                take(draw(COMMS));
        }
        settle();
        state = 362436069ULL + i; /* alike at all */
        if ((rank ^ 1) < size)
            play(rank ^ 1);
    }
    settle();
    mine[0] = received, mine[1] = wrong;
    MPI_Reduce(mine, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d messages, %d out of order\n", all[0], all[1]);
    fflush(stdout);
    while (argc > 1 && access(argv[1], F_OK) != 0) /* until whoever watches has seen enough */
        usleep(1000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comms[1]);
    MPI_Type_free(&gaps);
    MPI_Finalize();
    return 0;
}

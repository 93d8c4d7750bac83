/* Threads that call MPI at once, most of the time one of them: short messages go on their own way then. Each exchanges messages with
   that of the next rank, in many ways, and does collective operations in a communicator of its own. All data is checked. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 1000, BURSTS = 300, MOST = 5000 };

static int rank, size;
static MPI_Comm comms[THREADS];
static pthread_barrier_t together;

struct worker {
    pthread_t thread;
    int me, wrong;
    unsigned random;
};

static unsigned draw(struct worker *w) { return (w->random = w->random * 1664525 + 1013904223) >> 8; }

static void fill(int *data, int n, int seed)
{
    for (int i = 0; i < n; i++)
        data[i] = seed * 7919 + i;
}

static void check(struct worker *w, const int *data, int n, int seed)
{
    for (int i = 0; i < n; i++)
        w->wrong += data[i] != seed * 7919 + i;
}

/* The same numbers at all ranks: what to do, and how long the data is. */
static void exchange(struct worker *w, int what, int n, int round)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, tag = w->me, flag = 0, got = 0;
    int out[MOST], in[MOST];
    MPI_Request r[2];
    MPI_Status s[2];
    fill(out, n, rank + round);
    memset(in, 0, sizeof in);
    switch (what) {
    case 0:
        MPI_Sendrecv(out, n, MPI_INT, to, tag, in, MOST, MPI_INT, from, tag, MPI_COMM_WORLD, &s[0]);
        MPI_Get_count(&s[0], MPI_INT, &got);
        break;
    case 1:
        MPI_Irecv(in, n, MPI_INT, from, tag, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(out, n, MPI_INT, to, tag, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, s);
        MPI_Get_count(&s[0], MPI_INT, &got);
        break;
    case 2:
        MPI_Isend(out, n, MPI_INT, to, tag, MPI_COMM_WORLD, &r[0]);
        MPI_Probe(from, tag, MPI_COMM_WORLD, &s[0]);
        MPI_Get_count(&s[0], MPI_INT, &got);
        MPI_Recv(in, got, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        break;
    case 3:
        MPI_Irecv(in, n, MPI_INT, from, tag, MPI_COMM_WORLD, &r[0]);
        MPI_Send(out, n < 100 ? n : (n = 100), MPI_INT, to, tag, MPI_COMM_WORLD);
        while (!flag)
            MPI_Test(&r[0], &flag, &s[0]);
        MPI_Get_count(&s[0], MPI_INT, &got);
        break;
    case 4: /* in a communicator in which no other thread has receives from anybody */
        MPI_Isend(out, n, MPI_INT, to, 1000, comms[w->me], &r[0]);
        MPI_Recv(in, n, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[w->me], &s[0]);
        MPI_Get_count(&s[0], MPI_INT, &got);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        break;
    }
    w->wrong += got != n;
    check(w, in, n, from + round);
}

static void collect(struct worker *w, int what, int round)
{
    int root = round % size, value = rank + round, sum = 0, all[16] = {0};
    MPI_Comm comm = comms[w->me];
    switch (what) {
    case 5:
        MPI_Barrier(comm);
        break;
    case 6:
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
        w->wrong += sum != size * round + size * (size - 1) / 2;
        break;
    case 7:
        MPI_Bcast(&value, 1, MPI_INT, root, comm);
        w->wrong += value != root + round;
        break;
    case 8:
        MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, comm);
        for (int i = 0; i < size; i++)
            w->wrong += all[i] != i + round;
        break;
    }
}

/* Threads send bursts at the same time, while the other rank sleeps and leaves its processor. No thread waits in a call then, so
   they all have the lanes. */
static void burst(struct worker *w, int round)
{
    enum { BURST = 200 };
    int to = rank + 1, from = rank - 1, tag = 100 + w->me, value = 0;
    pthread_barrier_wait(&together);
    if (rank % 2 == 0 && to < size) {
        for (int i = 0; i < BURST; i++) {
            value = round + i;
            MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
        }
        pthread_barrier_wait(&together);
        MPI_Recv(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank % 2 == 1) {
        usleep(50);
        for (int i = 0; i < BURST; i++) {
            MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            w->wrong += value != round + i;
        }
        MPI_Send(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD);
        pthread_barrier_wait(&together);
    }
}

/* A thread waits alone in a call, until another one of its rank calls: that sends what it waits for. */
static void *call_late(void *argument)
{
    usleep(20000);
    MPI_Send(argument, 1, MPI_INT, rank, 500, MPI_COMM_WORLD);
    return NULL;
}

static void wait_for_thread(struct worker *w, int round)
{
    pthread_t other;
    int value = 0;
    pthread_create(&other, NULL, call_late, &round);
    MPI_Recv(&value, 1, MPI_INT, rank, 500, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    w->wrong += value != round;
    pthread_join(other, NULL);
}

static void *work(void *argument)
{
    struct worker *w = argument;
    for (int round = 0; round < BURSTS; round++)
        burst(w, round);
    w->random = 12345 + w->me;
    for (int round = 0; round < ROUNDS; round++) {
        int what = draw(w) % 9, n = draw(w) % 16 == 0 ? MOST : 1 + draw(w) % 30;
        if (what < 5)
            exchange(w, what, n, round);
        else
            collect(w, what, round);
        if (draw(w) % 64 == 0) /* at one rank before the other */
            usleep(rank * 300 + w->me * 500);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, wrong = 0, all = 0;
    static struct worker workers[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int round = 1; round <= 5; round++)
        wait_for_thread(&workers[0], round);
    pthread_barrier_init(&together, NULL, 1);
    work(&workers[0]);
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 1; i < THREADS; i++) {
        workers[i].me = i;
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    work(&workers[0]);
    for (int i = 0; i < THREADS; i++) {
        if (i > 0)
            pthread_join(workers[i].thread, NULL);
        wrong += workers[i].wrong;
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all);
    MPI_Finalize();
    return 0;
}

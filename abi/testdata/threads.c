/* Threads that call MPI at once: each exchanges messages with that of the next rank by blocking calls,
   sends to another thread of its own rank, and does collective operations in a communicator of its own. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 50 };

int rank, size, sums[THREADS];
MPI_Comm comms[THREADS];

static void *work(void *argument)
{
    int me = (int)(long)argument, got = 0, other = me ^ 1, main_thread;
    MPI_Is_thread_main(&main_thread);
    if (main_thread)
        sums[me] += 1000000;
    for (int i = 0; i < ROUNDS; i++) {
        int all = 0, mine = rank + i;
        if (me % 2)
            MPI_Ssend(&mine, 1, MPI_INT, (rank + 1) % size, me, MPI_COMM_WORLD);
        MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, me % 2 ? 100 + me : 1 + me, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (me % 2 == 0)
            MPI_Ssend(&mine, 1, MPI_INT, (rank + 1) % size, 100 + me + 1, MPI_COMM_WORLD);
        MPI_Allreduce(&got, &all, 1, MPI_INT, MPI_SUM, comms[me]);
        sums[me] += all;
        if (me % 2)
            MPI_Send(&i, 1, MPI_INT, rank, 200 + me, MPI_COMM_WORLD);
        else
            MPI_Recv(&got, 1, MPI_INT, rank, 200 + other, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Comm twin;
    MPI_Comm_dup(comms[me], &twin);
    MPI_Barrier(twin);
    MPI_Comm_free(&twin);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided == MPI_THREAD_MULTIPLE) {
        for (int i = 0; i < THREADS; i++)
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        for (long i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, work, (void *)i);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < THREADS; i++)
            MPI_Comm_free(&comms[i]);
    }
    printf("%d: %s: %d %d %d %d\n", rank, provided == MPI_THREAD_MULTIPLE ? "multiple" : "serialized", sums[0], sums[1], sums[2], sums[3]);
    MPI_Finalize();
    return 0;
}

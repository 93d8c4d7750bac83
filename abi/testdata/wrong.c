/* Programs that go wrong in a way that the first argument names. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* write_to_slot writes over the memory by which a simulated rank hands over its calls. */
static void write_to_slot(void)
{
    char line[512];
    unsigned long from, to;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "musubi call slot") && sscanf(line, "%lx-%lx", &from, &to) == 2)
            memset((void *)from, 0x55, 64);
    if (maps)
        fclose(maps);
}

/* access_killed lets rank 0 access the window of rank 1, which is killed meanwhile. */
static void access_killed(int rank)
{
    long one = 1, *memory;
    MPI_Win win;
    MPI_Win_allocate(sizeof one, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    for (long i = 0; rank == 0 || i < 1000; i++) {
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_flush(1, win);
    }
    raise(SIGKILL);
}

int main(int argc, char **argv)
{
    int rank, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *what = argv[1];
    if (!strcmp(what, "hang"))
        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(what, "accessed"))
        access_killed(rank);
    if (!strcmp(what, "late")) {
        MPI_Win win;
        void *memory;
        MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
        MPI_Finalize();
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    }
    if (!strcmp(what, "late-size")) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
        MPI_Type_size(MPI_INT, &number);
    }
    if (!strcmp(what, "late-rank")) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    if (!strcmp(what, "failed")) {
        printf("rank %d fails\n", rank);
        MPI_Finalize();
        exit(4);
    }
    if (!strcmp(what, "refused"))
        MPI_Close_port("");
    if (rank == 1) {
        if (!strcmp(what, "crash"))
            *(volatile int *)8 = 1;
        if (!strcmp(what, "slot"))
            write_to_slot();
        if (!strcmp(what, "killed"))
            raise(SIGKILL);
        if (!strcmp(what, "exit"))
            exit(3);
        if (!strcmp(what, "abort"))
            MPI_Abort(MPI_COMM_WORLD, 5);
        if (!strcmp(what, "wild"))
            MPI_Send((void *)64, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (!strcmp(what, "null"))
            MPI_Allreduce(&number, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (!strcmp(what, "alias")) {
            int both = 1;
            MPI_Allreduce(&both, &both, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        if (!strcmp(what, "handle"))
            MPI_Barrier((MPI_Comm)0x12345678);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* What communicators and windows have from the communicators that they are made of, and what they have for themselves. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void handle(MPI_Comm *comm, int *code, ...) {}

/* windows looks at the error handler of a window, which is not that of its communicator. */
static void windows(void)
{
    int byte;
    MPI_Comm comm;
    MPI_Win win;
    MPI_Errhandler mine, is;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handle, &mine);
    MPI_Comm_set_errhandler(comm, mine);
    MPI_Win_create(&byte, 1, 1, MPI_INFO_NULL, comm, &win);
    MPI_Win_get_errhandler(win, &is);
    wrong += is != MPI_ERRORS_ARE_FATAL;
    MPI_Win_free(&win);
    MPI_Errhandler_free(&mine);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int rank, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    windows();
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all);
    MPI_Finalize();
    return 0;
}

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

/* set_hint gives a communicator a hint. */
static void set_hint(MPI_Comm comm, const char *value)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "hint", value);
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
}

static void expect_hint(MPI_Comm comm, const char *want)
{
    char is[8] = "";
    int flag;
    MPI_Info info;
    MPI_Comm_get_info(comm, &info);
    MPI_Info_get(info, "hint", sizeof is - 1, is, &flag);
    wrong += !flag || strcmp(is, want);
    MPI_Info_free(&info);
}

/* hints sets those of communicators and of the info of which they have them: each has its own. */
static void hints(void)
{
    MPI_Comm first, second;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "hint", "1");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &first);
    MPI_Info_set(info, "hint", "2");
    expect_hint(first, "1");
    MPI_Comm_dup(first, &second);
    expect_hint(second, "1");
    set_hint(second, "3");
    expect_hint(first, "1");
    expect_hint(second, "3");
    MPI_Info_free(&info);
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
}

int main(int argc, char **argv)
{
    int rank, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    windows();
    hints();
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all);
    MPI_Finalize();
    return 0;
}

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

static int copies;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    copies++;
    *flag = 1;
    *(void **)out = in;
    return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int key, void *value, void *extra)
{
    copies--;
    return MPI_SUCCESS;
}

static int fail(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) { return MPI_ERR_OTHER; }

/* failed_copies makes more duplicates than there can be, each of which fails, as an attribute is not copied. Nothing is left of them. */
static void failed_copies(void)
{
    int copied, not_copied;
    MPI_Comm comm, none;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(copy, drop, &copied, NULL);
    MPI_Comm_create_keyval(fail, MPI_COMM_NULL_DELETE_FN, &not_copied, NULL);
    MPI_Comm_set_attr(comm, copied, NULL);
    MPI_Comm_set_attr(comm, not_copied, NULL);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < 5000; i++)
        wrong += MPI_Comm_dup(comm, &none) == MPI_SUCCESS;
    wrong += copies != 0;
    MPI_Comm_delete_attr(comm, not_copied);
    wrong += MPI_Comm_dup(comm, &none) != MPI_SUCCESS;
    MPI_Comm_free(&none);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&copied);
    MPI_Comm_free_keyval(&not_copied);
}

int main(int argc, char **argv)
{
    int rank, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    windows();
    hints();
    failed_copies();
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all);
    MPI_Finalize();
    return 0;
}

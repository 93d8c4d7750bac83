#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files: each rank prints nothing; rank 0 prints how many checks have failed. */

static int rank, size, wrong;

static void check(int ok, int line)
{
    if (!ok) {
        fprintf(stderr, "rank %d: line %d\n", rank, line);
        wrong++;
    }
}

#define CHECK(x) check(!!(x), __LINE__)
#define OK(x) check((x) == MPI_SUCCESS, __LINE__)

static int elements(MPI_Status *status, MPI_Datatype type)
{
    int n;
    MPI_Get_count(status, type, &n);
    return n;
}

static MPI_Offset size_of(MPI_File f)
{
    MPI_Offset n = -1;
    OK(MPI_File_get_size(f, &n));
    return n;
}

/* Blocks of ranks at explicit offsets, and at their own pointers. */
static void offsets(const char *name)
{
    MPI_File f;
    MPI_Status status;
    MPI_Offset at;
    int data[100], got[100], mode;
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
    OK(MPI_File_get_amode(f, &mode));
    CHECK(mode == (MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR));
    for (int i = 0; i < 100; i++)
        data[i] = 1000 * rank + i;
    OK(MPI_File_write_at(f, 400 * rank, data, 100, MPI_INT, &status));
    CHECK(elements(&status, MPI_INT) == 100);
    MPI_Barrier(MPI_COMM_WORLD);
    int next = (rank + 1) % size;
    OK(MPI_File_read_at_all(f, 400 * next, got, 100, MPI_INT, &status));
    CHECK(elements(&status, MPI_INT) == 100 && got[0] == 1000 * next && got[99] == 1000 * next + 99);
    CHECK(size_of(f) == 400 * size);

    OK(MPI_File_seek(f, -40, MPI_SEEK_END));
    OK(MPI_File_read(f, got, 100, MPI_INT, &status)); /* what is left */
    CHECK(elements(&status, MPI_INT) == 10 && got[9] == 1000 * (size - 1) + 99);
    OK(MPI_File_get_position(f, &at));
    CHECK(at == 400 * size);
    OK(MPI_File_read(f, got, 1, MPI_INT, &status));
    CHECK(elements(&status, MPI_INT) == 0);
    OK(MPI_File_seek(f, 8, MPI_SEEK_SET));
    OK(MPI_File_seek(f, 8, MPI_SEEK_CUR));
    OK(MPI_File_read_all(f, got, 1, MPI_INT, &status));
    CHECK(got[0] == 4);
    CHECK(MPI_File_seek(f, -1000, MPI_SEEK_CUR) == MPI_ERR_ARG);

    MPI_Datatype gaps; /* in memory */
    MPI_Type_vector(50, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    memset(got, 0, sizeof got);
    OK(MPI_File_read_at_c(f, 400 * next, got, 1, gaps, &status));
    CHECK(elements(&status, gaps) == 1 && got[0] == 1000 * next && got[1] == 0 && got[98] == 1000 * next + 49);
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_File_write_at(f, 400 * rank, data, 1, gaps, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at(f, 400 * rank, got, 50, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(got[1] == 1000 * rank + 2 && got[49] == 1000 * rank + 98);
    MPI_Type_free(&gaps);
    MPI_Barrier(MPI_COMM_WORLD);

    OK(MPI_File_set_size(f, 40));
    CHECK(size_of(f) == 40);
    OK(MPI_File_preallocate(f, 4000));
    CHECK(size_of(f) == 4000);
    OK(MPI_File_preallocate(f, 400));
    CHECK(size_of(f) == 4000);
    OK(MPI_File_sync(f));

    MPI_Group group;
    int members;
    OK(MPI_File_get_group(f, &group));
    MPI_Group_size(group, &members);
    CHECK(members == size);
    MPI_Group_free(&group);
    OK(MPI_File_close(&f));
    CHECK(f == MPI_FILE_NULL);
}

/* What is refused, and by which error. */
static void refusals(const char *name)
{
    MPI_File f;
    int x = 5, code;
    CHECK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, MPI_INFO_NULL, &f) == MPI_ERR_FILE_EXISTS);
    CHECK(MPI_File_open(MPI_COMM_WORLD, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &f) == MPI_ERR_NO_SUCH_FILE);
    CHECK(MPI_File_open(MPI_COMM_WORLD, ".", MPI_MODE_RDONLY, MPI_INFO_NULL, &f) == MPI_ERR_BAD_FILE);
    CHECK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &f) == MPI_ERR_AMODE);
    CHECK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_RDWR, MPI_INFO_NULL, &f) == MPI_ERR_AMODE);
    CHECK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE, MPI_INFO_NULL, &f) == MPI_ERR_AMODE);
    CHECK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &f) == MPI_ERR_AMODE);
    if (size > 1) {
        code = MPI_File_open(MPI_COMM_WORLD, name, rank == 0 ? MPI_MODE_RDONLY : MPI_MODE_RDWR, MPI_INFO_NULL, &f);
        CHECK(code == (rank == 0 ? MPI_ERR_NOT_SAME : MPI_ERR_NOT_SAME));
    }
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
    CHECK(MPI_File_write_at(f, 0, &x, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_ERR_READ_ONLY);
    CHECK(MPI_File_set_size(f, 0) == MPI_ERR_READ_ONLY);
    CHECK(MPI_File_read_at(f, -1, &x, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_ERR_ARG);
    CHECK(MPI_File_read_at(f, 0, &x, -1, MPI_INT, MPI_STATUS_IGNORE) == MPI_ERR_COUNT);
    CHECK(MPI_File_seek(f, 0, 77) == MPI_ERR_ARG);
    OK(MPI_File_close(&f));
    CHECK(MPI_File_close(&f) == MPI_ERR_FILE);
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY, MPI_INFO_NULL, &f));
    CHECK(MPI_File_read_at(f, 0, &x, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_ERR_ACCESS);
    OK(MPI_File_close(&f));
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_File_open(MPI_COMM_SELF, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
    MPI_Error_string(MPI_ERR_NO_SUCH_FILE, text, &length);
    CHECK(strstr(text, "no/such/file: no such file or directory"));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        OK(MPI_File_delete(name, MPI_INFO_NULL));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_File_delete(name, MPI_INFO_NULL) == MPI_ERR_NO_SUCH_FILE);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *name = argc > 1 ? argv[1] : "files.data";
    offsets(name);
    refusals(name);
    int all;
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all);
    MPI_Finalize();
    return 0;
}

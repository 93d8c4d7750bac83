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
        CHECK(code == MPI_ERR_NOT_SAME);
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
    OK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &f));
    CHECK(MPI_File_write(f, &x, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_ERR_NO_SPACE);
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

static MPI_File opened(const char *name, int mode)
{
    MPI_File f;
    OK(MPI_File_open(MPI_COMM_WORLD, name, mode | MPI_MODE_CREATE, MPI_INFO_NULL, &f));
    return f;
}

static int byte_of(long place) { return (place * 2654435761u >> 13) & 255; }

/* Each rank writes its columns of a table, of some bytes each, beside those of the others, at the same time; then it reads the whole. */
static void columns(const char *name, int bytes, int rows, int atomic)
{
    MPI_File f = opened(name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Datatype column, whole;
    MPI_Status status;
    MPI_Offset at;
    long n = (long)bytes * rows, width = (long)bytes * size;
    unsigned char *data = malloc(2 * n), *all = malloc(n * size + 10);
    OK(MPI_File_set_atomicity(f, atomic));
    OK(MPI_File_get_atomicity(f, &(int){0}));
    MPI_Type_contiguous(bytes, MPI_BYTE, &whole);
    MPI_Type_create_resized(whole, 0, width, &column); /* one cell, and then those of the others */
    MPI_Type_commit(&column);
    OK(MPI_File_set_view(f, 3 + (long)bytes * rank, MPI_BYTE, column, "native", MPI_INFO_NULL));
    for (long i = 0; i < n; i++)
        data[i] = byte_of(i / bytes * width + rank * bytes + i % bytes);
    OK(MPI_File_write_all(f, data, n / 2, MPI_BYTE, &status));
    CHECK(elements(&status, MPI_BYTE) == n / 2);
    OK(MPI_File_write(f, data + n / 2, n - n / 2, MPI_BYTE, &status));
    OK(MPI_File_get_position(f, &at));
    CHECK(at == n);
    OK(MPI_File_get_byte_offset(f, bytes, &at));
    CHECK(at == 3 + (long)bytes * rank + width);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(data, 0, n);
    OK(MPI_File_read_at(f, 0, data, 2 * n, MPI_BYTE, &status)); /* beyond the end */
    CHECK(elements(&status, MPI_BYTE) == n);
    int same = 1;
    for (long i = 0; i < n; i++)
        same = same && data[i] == byte_of(i / bytes * width + rank * bytes + i % bytes);
    CHECK(same);
    OK(MPI_File_seek(f, 0, MPI_SEEK_END));
    OK(MPI_File_get_position(f, &at));
    CHECK(at == n);
    OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    CHECK(size_of(f) == 3 + n * size);
    OK(MPI_File_read_at_all(f, 3, all, n * size + 7, MPI_BYTE, &status));
    CHECK(elements(&status, MPI_BYTE) == n * size);
    for (long i = 0; i < n * size; i++)
        same = same && all[i] == byte_of(i);
    CHECK(same);
    MPI_Type_free(&whole);
    MPI_Type_free(&column);
    OK(MPI_File_close(&f));
    free(data);
    free(all);
}

/* Blocks of a matrix, through subarrays in file and memory, with large counts, split and nonblocking. */
static void matrix(const char *name)
{
    enum { n = 60, border = 2 };
    MPI_File f = opened(name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    int dims[2] = {0, 0};
    MPI_Dims_create(size, 2, dims);
    int rows = n / dims[0], cols = n / dims[1], row = rank / dims[1] * rows, col = rank % dims[1] * cols;
    int inner[2] = {rows + 2 * border, cols + 2 * border}, first[2] = {border, border};
    MPI_Datatype block, mine, etype, filetype;
    MPI_Type_create_subarray(2, (int[]){n, n}, (int[]){rows, cols}, (int[]){row, col}, MPI_ORDER_C, MPI_DOUBLE, &block);
    MPI_Type_create_subarray(2, inner, (int[]){rows, cols}, first, MPI_ORDER_C, MPI_DOUBLE, &mine);
    MPI_Type_commit(&block);
    MPI_Type_commit(&mine);
    double *in = calloc(inner[0] * inner[1], sizeof(double)), *out = calloc(inner[0] * inner[1], sizeof(double));
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            out[(i + border) * inner[1] + j + border] = (row + i) * n + col + j;
    OK(MPI_File_set_view(f, 16, MPI_DOUBLE, block, "native", MPI_INFO_NULL));
    MPI_Offset begin;
    char representation[MPI_MAX_DATAREP_STRING];
    OK(MPI_File_get_view(f, &begin, &etype, &filetype, representation));
    int bytes, combiner, unused;
    MPI_Type_size(filetype, &bytes);
    MPI_Type_get_envelope(filetype, &unused, &unused, &unused, &combiner);
    CHECK(begin == 16 && etype == MPI_DOUBLE && bytes == 8 * rows * cols && !strcmp(representation, "native") && combiner != MPI_COMBINER_NAMED);
    MPI_Type_free(&filetype);
    MPI_Type_free(&block);
    MPI_Status status;
    MPI_Request request;
    OK(MPI_File_write_all_begin(f, out, 1, mine));
    CHECK(MPI_File_read_all_begin(f, in, 1, mine) == MPI_ERR_IO);
    CHECK(MPI_File_read_all_end(f, in, &status) == MPI_ERR_IO);
    OK(MPI_File_write_all_end(f, out, &status));
    CHECK(elements(&status, mine) == 1 && elements(&status, MPI_DOUBLE) == rows * cols);
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_File_iread_at_all_c(f, 0, in, 1, mine, &request));
    MPI_Wait(&request, &status);
    CHECK(request == MPI_REQUEST_NULL && elements(&status, mine) == 1 && !memcmp(in, out, 8 * inner[0] * inner[1]));
    double x = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_File_iwrite_at(f, 1, &x, 1, MPI_DOUBLE, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    OK(MPI_File_read_at(f, 1, in, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
    CHECK(in[0] == -1);
    CHECK(MPI_File_read_at(f, 0, in, 3, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_ERR_IO); /* no multiple of an etype */
    OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OK(MPI_File_read_at_all(f, 16 + 8 * (n * n - 1), &x, 8, MPI_BYTE, &status));
    CHECK(x == (dims[0] * rows == n && dims[1] * cols == n ? n * n - 1 : x));
    MPI_Type_free(&mine);
    OK(MPI_File_close(&f));
    free(in);
    free(out);
}

/* The pointer that all ranks share. */
static void shared(const char *name)
{
    enum { times = 50 };
    MPI_File f = opened(name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Offset at;
    MPI_Status status;
    MPI_Request request;
    OK(MPI_File_set_view(f, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    for (int i = 0; i < times; i++) {
        int pair[2] = {rank, i};
        if (i % 2)
            OK(MPI_File_write_shared(f, pair, 2, MPI_INT, &status));
        else {
            OK(MPI_File_iwrite_shared(f, pair, 2, MPI_INT, &request));
            MPI_Wait(&request, &status);
        }
        CHECK(elements(&status, MPI_INT) == 2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_File_get_position_shared(f, &at));
    CHECK(at == 2 * times * size);
    int *all = malloc(8 * times * size), *next = calloc(size, sizeof(int)), in_order = 1;
    OK(MPI_File_read_at(f, 0, all, 2 * times * size, MPI_INT, &status));
    for (int i = 0; i < times * size; i++) /* each rank's in its order, and none is lost */
        in_order = in_order && all[2 * i] >= 0 && all[2 * i] < size && all[2 * i + 1] == next[all[2 * i]]++;
    CHECK(in_order);
    OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
    int taken = 0, sum, pair[2];
    for (;;) { /* each pair is read once */
        OK(MPI_File_read_shared(f, pair, 2, MPI_INT, &status));
        if (elements(&status, MPI_INT) < 2)
            break;
        taken += 1000 * pair[0] + pair[1];
    }
    MPI_Allreduce(&taken, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == 1000 * times * size * (size - 1) / 2 + size * times * (times - 1) / 2);

    /* in the order of the ranks, each another number */
    OK(MPI_File_seek_shared(f, 1, MPI_SEEK_SET));
    for (int i = 0; i <= rank; i++)
        all[i] = 100 * rank + i;
    OK(MPI_File_write_ordered(f, all, rank + 1, MPI_INT, &status));
    CHECK(elements(&status, MPI_INT) == rank + 1);
    OK(MPI_File_write_ordered_begin(f, all, 1, MPI_INT));
    OK(MPI_File_write_ordered_end(f, all, &status));
    OK(MPI_File_get_position_shared(f, &at));
    CHECK(at == 1 + size * (size + 1) / 2 + size);
    OK(MPI_File_seek_shared(f, 1 - at, MPI_SEEK_CUR));
    memset(all, 0, 4 * (rank + 1));
    OK(MPI_File_read_ordered(f, all, rank + 1, MPI_INT, &status));
    CHECK(all[0] == 100 * rank && all[rank] == 101 * rank);
    OK(MPI_File_read_ordered(f, all, 1, MPI_INT, &status));
    CHECK(all[0] == 100 * rank);
    OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    OK(MPI_File_get_position_shared(f, &at));
    CHECK(at == 0);
    OK(MPI_File_close(&f));

    /* files that are read or written from begin to end only */
    f = opened(name, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL | MPI_MODE_DELETE_ON_CLOSE);
    OK(MPI_File_write_ordered(f, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_set_view(f, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    OK(MPI_File_get_view(f, &at, &(MPI_Datatype){0}, &(MPI_Datatype){0}, (char[MPI_MAX_DATAREP_STRING]){0}));
    CHECK(at == 4 * size);
    CHECK(MPI_File_write_at(f, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(MPI_File_seek(f, 0, MPI_SEEK_SET) == MPI_ERR_UNSUPPORTED_OPERATION);
    OK(MPI_File_close(&f));
    free(all);
    free(next);
}

/* Appending, infos, external32, error handlers and handles. */
static int handled;

static void handler(MPI_File *f, int *code, ...)
{
    handled += *code == MPI_ERR_AMODE || *f != MPI_FILE_NULL;
}

static void rest(const char *name)
{
    MPI_File f = opened(name, MPI_MODE_WRONLY);
    MPI_Offset at;
    MPI_Status status;
    int data[2] = {rank, 0x01020304}, got[2];
    OK(MPI_File_write_at_all(f, 8 * rank, data, 2, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&f));
    f = opened(name, MPI_MODE_RDWR | MPI_MODE_APPEND);
    OK(MPI_File_get_position(f, &at));
    CHECK(at == 8 * size);
    OK(MPI_File_get_position_shared(f, &at));
    CHECK(at == 8 * size);
    OK(MPI_File_close(&f));

    MPI_Info info;
    int flag;
    char value[20];
    MPI_Info_create(&info);
    MPI_Info_set(info, "access_style", "random");
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &f));
    MPI_Info_free(&info);
    OK(MPI_File_get_info(f, &info));
    MPI_Info_get(info, "access_style", 19, value, &flag);
    CHECK(flag && !strcmp(value, "random"));
    MPI_Info_free(&info);

    OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    OK(MPI_File_write_at(f, 2 * rank, data, 2, MPI_INT, &status));
    CHECK(elements(&status, MPI_INT) == 2);
    OK(MPI_File_read_at(f, 2 * rank, got, 2, MPI_INT, &status));
    CHECK(elements(&status, MPI_INT) == 2 && got[0] == rank && got[1] == 0x01020304);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Aint extent;
    OK(MPI_File_get_type_extent(f, MPI_LONG, &extent));
    CHECK(extent == 4);
    OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "internal", MPI_INFO_NULL));
    unsigned char raw[8];
    OK(MPI_File_read_at_all(f, 8 * rank, raw, 8, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(raw[3] == rank && raw[4] == 1 && raw[5] == 2 && raw[6] == 3 && raw[7] == 4);
    OK(MPI_File_set_view(f, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
    long wide[2] = {-rank, 7}, back[2];
    OK(MPI_File_write_at(f, 2 * rank, wide, 2, MPI_LONG, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at(f, 2 * rank, back, 2, MPI_LONG, &status));
    CHECK(elements(&status, MPI_LONG) == 2 && back[0] == -rank && back[1] == 7);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Datatype row; /* in which the file ends */
    long some[4] = {-1, -1, -1, -1};
    MPI_Type_contiguous(4, MPI_LONG, &row);
    MPI_Type_commit(&row);
    OK(MPI_File_seek(f, 2 * size - 2, MPI_SEEK_SET));
    OK(MPI_File_read(f, some, 1, row, &status));
    int parts;
    MPI_Get_elements(&status, row, &parts);
    CHECK(parts == 2 && some[0] == 1 - size && some[1] == 7 && some[2] == -1);
    OK(MPI_File_get_position(f, &at));
    CHECK(at == 2 * size);
    MPI_Type_free(&row);
    CHECK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "foreign", MPI_INFO_NULL) == MPI_ERR_UNSUPPORTED_DATAREP);

    MPI_Datatype back_and_forth;
    MPI_Type_indexed(2, (int[]){1, 1}, (int[]){3, 0}, MPI_INT, &back_and_forth);
    MPI_Type_commit(&back_and_forth);
    CHECK(MPI_File_set_view(f, 0, MPI_INT, back_and_forth, "native", MPI_INFO_NULL) == MPI_ERR_IO);
    MPI_Type_free(&back_and_forth);
    CHECK(MPI_File_set_view(f, -5, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) == MPI_ERR_ARG);

    MPI_Errhandler own, was;
    OK(MPI_File_get_errhandler(f, &was));
    CHECK(was == MPI_ERRORS_RETURN);
    MPI_File_create_errhandler(handler, &own);
    OK(MPI_File_set_errhandler(f, own));
    MPI_File_seek(f, 0, 77);
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, own));
    MPI_File g;
    MPI_File_open(MPI_COMM_WORLD, name, 0, MPI_INFO_NULL, &g);
    CHECK(handled == 2);
    OK(MPI_File_call_errhandler(f, MPI_ERR_IO));
    CHECK(handled == 3);
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    MPI_Errhandler_free(&own);
    CHECK(MPI_File_fromint(MPI_File_toint(f)) == f && MPI_File_f2c(MPI_File_c2f(f)) == f);
    OK(MPI_File_close(&f));
    CHECK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &f) == MPI_ERR_NO_SUCH_FILE);
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
    columns(name, 1, 7, 0);
    columns(name, 3, 3000, 0);
    columns(name, 4, 3000, 1);
    columns(name, 8, 40000, 0);
    columns(name, 700, 900, 0);
    columns(name, 5000, 20, 0);
    matrix(name);
    shared(name);
    rest(name);
    int all;
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all);
    MPI_Finalize();
    return 0;
}

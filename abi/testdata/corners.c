#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    double value;
    int place;
};

/* A persistent broadcast and a barrier that ranks start in different orders. */
static int persistent(int rank)
{
    int n = rank == 0 ? 42 : -1;
    MPI_Request r[2];
    MPI_Bcast_init(&n, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    for (int round = 0; round < 2; round++) {
        MPI_Start(&r[rank % 2]);
        MPI_Start(&r[1 - rank % 2]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    return n;
}

/* The largest of the ranks' pairs, in places 0, 1 and 3 of a window; nothing is added with a type without data. */
static void pairs(int rank, struct pair *at)
{
    struct pair mine[4];
    MPI_Datatype vector, none;
    MPI_Win win;
    for (int i = 0; i < 4; i++) {
        mine[i] = (struct pair){rank + i, 10 * rank + i};
        at[i] = (struct pair){-1, -1};
    }
    int lengths[2] = {2, 1}, places[2] = {0, 3};
    MPI_Type_indexed(2, lengths, places, MPI_DOUBLE_INT, &vector);
    MPI_Type_commit(&vector);
    MPI_Type_contiguous(0, MPI_INT, &none);
    MPI_Type_commit(&none);
    MPI_Win_create(at, 4 * sizeof *at, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(mine, 1, vector, 0, 0, 1, vector, MPI_MAXLOC, win);
    MPI_Accumulate(NULL, 1, none, 0, 0, 1, none, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Type_free(&vector);
    MPI_Type_free(&none);
}

/* A sum of long doubles that doubles do not have. The memory goes before the window. */
static int sum(int rank, int size)
{
    long double *at = malloc(1 << 22), mine = rank == 0 ? 1 : 0x1p-60L;
    MPI_Win win;
    MPI_Win_create(at, 1 << 22, sizeof *at, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    at[0] = 0;
    MPI_Win_fence(0, win);
    MPI_Accumulate(&mine, 1, MPI_LONG_DOUBLE, 0, 0, 1, MPI_LONG_DOUBLE, MPI_SUM, win);
    MPI_Win_fence(0, win);
    int right = rank != 0 || at[0] == 1 + (size - 1) * 0x1p-60L;
    free(at);
    MPI_Win_free(&win);
    return right;
}

/* The groups of even and odd ranks split, while a receive waits for any message of the other group. */
static int split(int rank, int size)
{
    MPI_Comm own, between, part;
    MPI_Request any;
    int n = -1, there;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &between);
    MPI_Irecv(&n, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, between, &any);
    MPI_Comm_split(between, 0, rank, &part);
    MPI_Comm_remote_size(part, &there);
    MPI_Comm_rank(own, &size);
    MPI_Send(&rank, 1, MPI_INT, size, 3, between);
    MPI_Wait(&any, MPI_STATUS_IGNORE);
    MPI_Comm_free(&part);
    MPI_Comm_free(&between);
    MPI_Comm_free(&own);
    return 10 * there + n;
}

/* The sum of the ranks' numbers, which have gaps between them. */
static int sum_with_gaps(int rank, int size)
{
    int mine[6] = {rank, -7, rank + 1, -7, rank + 2, -7}, all[6] = {0, 5, 0, 5, 0, 5}, right = 1;
    MPI_Datatype wide;
    MPI_Request r;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &wide);
    MPI_Type_commit(&wide);
    MPI_Iallreduce(mine, all, 3, wide, MPI_SUM, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++)
        right = right && all[2 * i] == size * (size - 1) / 2 + i * size && all[2 * i + 1] == 5;
    MPI_Type_free(&wide);
    return right;
}

/* Waits by the clock. */
static void wait_for(double seconds)
{
    double begin = MPI_Wtime();
    while (MPI_Wtime() - begin < seconds)
        ;
}

int main(int argc, char **argv)
{
    int rank, size, dims[3] = {0, 0, 0};
    long number = -2, back = 0;
    char packed[16];
    MPI_Aint bytes = 0, read = 0;
    struct pair at[4];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Pack_external("external32", &number, 1, MPI_LONG, packed, sizeof packed, &bytes);
    MPI_Unpack_external("external32", packed, sizeof packed, &read, &back, 1, MPI_LONG);
    MPI_Dims_create(76908, 3, dims);
    int n = persistent(rank), right = sum(rank, size) && sum_with_gaps(rank, size), groups = split(rank, size);
    pairs(rank, at);
    wait_for(0.002);
    printf("%d: %d, %d, %d, %ld in %d, %d x %d x %d", rank, n, right, groups, back, (int)bytes, dims[0], dims[1], dims[2]);
    for (int i = 0; i < 4 && rank == 0; i++)
        printf(", %g at %d", at[i].value, at[i].place);
    printf("\n");
    return MPI_Finalize();
}

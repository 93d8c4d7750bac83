/* Ranks give and take parts of different lengths, as they may: on both sides of every length at which an operation goes
   another way. Each prints how many bytes were wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 8
#define ROOM 40000

static const int lengths[] = {0, 1, 1000, 1024, 1025, 5000, 30000};
static int rank, size, round_, wrong;
static unsigned char in[MOST * ROOM], out[MOST * ROOM];

/* length of what a rank has for another in this round */
static int length(int from, int to)
{
    unsigned hash = round_ * 2654435761u + from * 40503u + to * 9973u;
    return lengths[(hash >> 7) % (1 + round_ % 7)];
}

static unsigned char byte(int from, int to, int i) { return round_ * 7 + from * 31 + to * 17 + i; }

static void fill(unsigned char *at, int from, int to)
{
    for (int i = 0; i < length(from, to); i++)
        at[i] = byte(from, to, i);
}

static void check(const unsigned char *at, int from, int to)
{
    for (int i = 0; i < length(from, to); i++)
        wrong += at[i] != byte(from, to, i);
}

static void clear(void) { memset(out, 0xee, sizeof out); }

/* gather_scatter: a root takes a part of each rank and gives one to each; its own may be where it is. */
static void gather_scatter(MPI_Comm comm, int root, int in_place)
{
    int counts[MOST], at[MOST];
    for (int r = 0; r < size; r++) {
        counts[r] = length(r, size);
        at[r] = r * ROOM;
    }
    clear();
    fill(in, rank, size);
    if (rank == root)
        fill(out + at[rank], rank, size);
    MPI_Gatherv(rank == root && in_place ? MPI_IN_PLACE : (void *)in, length(rank, size), MPI_BYTE, out, counts, at, MPI_BYTE, root, comm);
    for (int r = 0; rank == root && r < size; r++)
        check(out + at[r], r, size);
    clear();
    for (int r = 0; r < size; r++) {
        counts[r] = length(root, r);
        fill(in + at[r], root, r);
    }
    MPI_Scatterv(in, counts, at, MPI_BYTE, rank == root && in_place ? MPI_IN_PLACE : (void *)out, length(root, rank), MPI_BYTE, root, comm);
    if (rank != root || !in_place)
        check(out, root, rank);
}

/* all_parts: each rank has a part that all take, and then one for each. */
static void all_parts(MPI_Comm comm, int in_place)
{
    int counts[MOST], at[MOST], sent[MOST], from[MOST];
    MPI_Datatype types[MOST];
    for (int r = 0; r < size; r++) {
        counts[r] = length(r, size);
        at[r] = r * ROOM;
        types[r] = MPI_BYTE;
    }
    clear();
    fill(in, rank, size);
    fill(out + at[rank], rank, size);
    MPI_Allgatherv(in_place ? MPI_IN_PLACE : (void *)in, length(rank, size), MPI_BYTE, out, counts, at, MPI_BYTE, comm);
    for (int r = 0; r < size; r++)
        check(out + at[r], r, size);
    for (int each = 0; each < 2; each++) {
        clear();
        for (int r = 0; r < size; r++) {
            sent[r] = length(rank, r);
            counts[r] = length(r, rank);
            from[r] = r * ROOM;
            fill(in + from[r], rank, r);
        }
        if (each)
            MPI_Alltoallw(in, sent, from, types, out, counts, at, types, comm);
        else
            MPI_Alltoallv(in, sent, from, MPI_BYTE, out, counts, at, MPI_BYTE, comm);
        for (int r = 0; r < size; r++)
            check(out + at[r], r, rank);
    }
}

/* sums: each takes another number of sums. */
static void sums(MPI_Comm comm)
{
    int counts[MOST], total = 0, mine = 0, *give = (int *)in, *take = (int *)out;
    for (int r = 0; r < size; r++) {
        counts[r] = length(r, size) / sizeof(int);
        if (r < rank)
            mine += counts[r];
        total += counts[r];
    }
    for (int i = 0; i < total; i++)
        give[i] = i + rank;
    MPI_Reduce_scatter(give, take, counts, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < counts[rank]; i++)
        wrong += take[i] != size * (mine + i) + size * (size - 1) / 2;
}

/* between: the ranks of two groups give parts to those of the other. Parts are named by ranks of all. */
static void between(MPI_Comm inter, int first, int others, int root)
{
    int counts[MOST], at[MOST], sent[MOST], is_root = rank == root, root_here = (root < 1) == (rank < 1);
    int to = is_root ? MPI_ROOT : root_here ? MPI_PROC_NULL : root < 1 ? 0 : root - 1;
    for (int r = 0; r < others; r++) {
        counts[r] = length(first + r, root);
        at[r] = r * ROOM;
    }
    clear();
    fill(in, rank, root);
    MPI_Gatherv(in, length(rank, root), MPI_BYTE, out, counts, at, MPI_BYTE, to, inter);
    for (int r = 0; is_root && r < others; r++)
        check(out + at[r], first + r, root);
    clear();
    for (int r = 0; r < others; r++) {
        counts[r] = length(root, first + r);
        fill(in + at[r], root, first + r);
    }
    MPI_Scatterv(in, counts, at, MPI_BYTE, out, length(root, rank), MPI_BYTE, to, inter);
    if (!root_here)
        check(out, root, rank);
    for (int r = 0; r < others; r++)
        counts[r] = length(first + r, size);
    clear();
    fill(in, rank, size);
    MPI_Allgatherv(in, length(rank, size), MPI_BYTE, out, counts, at, MPI_BYTE, inter);
    for (int r = 0; r < others; r++)
        check(out + at[r], first + r, size);
    clear();
    for (int r = 0; r < others; r++) {
        sent[r] = length(rank, first + r);
        counts[r] = length(first + r, rank);
        fill(in + at[r], rank, first + r);
    }
    MPI_Alltoallv(in, sent, at, MPI_BYTE, out, counts, at, MPI_BYTE, inter);
    for (int r = 0; r < others; r++)
        check(out + at[r], first + r, rank);
}

int main(int argc, char **argv)
{
    MPI_Comm half, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int low = rank < 1; /* the first rank is alone */
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? 1 : 0, 5, &inter);
    for (round_ = 0; round_ < 40; round_++) {
        gather_scatter(MPI_COMM_WORLD, round_ % size, round_ / 7 % 2);
        all_parts(MPI_COMM_WORLD, round_ / 7 % 2);
        sums(MPI_COMM_WORLD);
        between(inter, low ? 1 : 0, low ? size - 1 : 1, round_ % 2 ? 0 : size - 1);
    }
    printf("%d: %d wrong\n", rank, wrong);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}

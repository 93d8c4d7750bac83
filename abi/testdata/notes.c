/* Ranks carry out collective operations on short and long data, in any order, as a number tells all of them alike. Some ranks
 * come late, so that operations of the front are handed on to the core, and ranks go by both in one operation. Rank 0 prints how
 * many results there were, how many were wrong, and how many operations the fronts of all ranks have carried out. */
#include "../front/short.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 6000, COMMS = 3, LONGEST = 3000, RANKS = 8 };

static const int counts[] = {1, 1, 1, 2, 3, 5, 16, 64, 100, 128, 129, 256, 257, 300, 341, 342, 512, 513, LONGEST, 0};
static MPI_Comm comms[COMMS];
static int ranks[COMMS]; /* this one's; calls that ask for it would close the lanes */
static unsigned long long state = 88172645463325252ULL;
static int results, wrong, all;

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/* What rank gives as element i of a step. */
static long given(int step, int rank, int i) { return (step * 31 + rank * 7 + i * 3) % 101 - 40; }

static void pause_for(long ns)
{
    struct timespec t = {0, ns};
    nanosleep(&t, NULL);
}

#define TYPES(with) \
    with(char, MPI_CHAR) with(short, MPI_SHORT) with(int, MPI_INT) with(long, MPI_LONG) with(float, MPI_FLOAT) with(double, MPI_DOUBLE) \
    with(unsigned, MPI_UNSIGNED)

/* A value is put into and read from memory as a type has it. */
static void put(void *at, MPI_Datatype type, int i, long v)
{
#define PUT(c, t) if (type == t) ((c *)at)[i] = (c)v;
    TYPES(PUT)
}

static int is(const void *at, MPI_Datatype type, int i, long v)
{
#define IS(c, t) if (type == t) return ((const c *)at)[i] == (c)v;
    TYPES(IS)
    return 0;
}

static void check(const char *what, int step, const void *at, MPI_Datatype type, int i, long want)
{
    results++;
    if (!is(at, type, i, want) && wrong++ < 5)
        printf("step %d: %s: element %d is not %ld\n", step, what, i, want);
}

static const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};

/* draw_op draws an operation that elements of a type have. Products of floats are not exact. */
static MPI_Op draw_op(MPI_Datatype type) { return ops[draw(type == MPI_FLOAT ? 3 : type == MPI_DOUBLE ? 4 : sizeof ops / sizeof *ops)]; }

/* The result of an operation on what all ranks give. Large values wrap around alike in all types. */
static long combined(MPI_Op op, MPI_Datatype type, int step, int ranks, int i)
{
    long all = given(step, 0, i);
    unsigned large = (unsigned)all;
    for (int r = 1; r < ranks; r++) {
        long v = given(step, r, i);
        int more = type == MPI_UNSIGNED ? (unsigned)v > large : v > all;
        if (op == MPI_SUM)
            all += v;
        else if (op == MPI_PROD)
            all *= v;
        else if (op == MPI_LAND)
            all = all && v;
        else if (op == MPI_LOR)
            all = all || v;
        else if (op == MPI_LXOR)
            all = !all != !v;
        else if (op == MPI_BAND)
            all &= v;
        else if (op == MPI_BOR)
            all |= v;
        else if (op == MPI_BXOR)
            all ^= v;
        else if (v != all && more == (op == MPI_MAX))
            all = v;
        large = (unsigned)all;
    }
    return all;
}

/* A value of a rank in a reduction of pairs, and its place. Values come more than once. */
static int value_of(int step, int rank, int i) { return (step + rank * 5 + i * 3) % 7; }
static int place_of(int step, int rank, int i) { return (step * 3 + rank * 11 + i) % 13; }

/* Pairs are combined to the largest or smallest value, and of equal ones that with the smallest place. Gaps stay. */
#define PAIRS_OF(c, t) \
    if (type == t) { \
        struct { c value; int place; } *a = (void *)in, *b = (void *)out, same; \
        for (int i = 0; i < n; i++) { \
            memset(&a[i], 0x77, sizeof *a); \
            a[i].value = (c)value_of(number, rank, i); \
            a[i].place = place_of(number, rank, i); \
        } \
        memset(out, 0x55, sizeof out); \
        if (in_place) { \
            memcpy(out, in, n * sizeof *a); \
            a = (void *)MPI_IN_PLACE; \
        } \
        if (number % 2) \
            MPI_Allreduce(a, out, n, t, op, comm); \
        else \
            MPI_Reduce(in_place && rank != root ? (void *)in : a, out, n, t, op, root, comm); \
        for (int i = 0; (number % 2 || rank == root) && i < n; i++) { \
            int value = value_of(number, 0, i), place = place_of(number, 0, i); \
            for (int r = 1; r < size; r++) { \
                int v = value_of(number, r, i), p = place_of(number, r, i); \
                if (op == MPI_MAXLOC ? v > value : v < value) { \
                    value = v; \
                    place = p; \
                } else if (v == value && p < place) { \
                    place = p; \
                } \
            } \
            memset(&same, in_place ? 0x77 : 0x55, sizeof same); \
            same.value = (c)value; \
            same.place = place; \
            results++; \
            if (memcmp(&same, &b[i], sizeof same) != 0 && wrong++ < 5) \
                printf("step %d: pair %d is %g at %d; expected %d at %d\n", number, i, (double)b[i].value, b[i].place, value, place); \
        } \
    }

static void pairs(int number, int rank, int size, int n, int root, int in_place, MPI_Comm comm)
{
    static double in[2 * (LONGEST + RANKS)], out[2 * (LONGEST + RANKS)];
    static const MPI_Datatype types[] = {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_2INT};
    MPI_Datatype type = types[draw(5)];
    MPI_Op op = draw(2) ? MPI_MAXLOC : MPI_MINLOC;
    PAIRS_OF(float, MPI_FLOAT_INT)
    PAIRS_OF(double, MPI_DOUBLE_INT)
    PAIRS_OF(long, MPI_LONG_INT)
    PAIRS_OF(short, MPI_SHORT_INT)
    PAIRS_OF(int, MPI_2INT)
}

/* copy_elements copies n elements of so many bytes from one place to another. */
static void copy_elements(void *to, int at, const void *from, int begin, int n, int width)
{
    memcpy((char *)to + (size_t)at * width, (const char *)from + (size_t)begin * width, (size_t)n * width);
}

static void step(int number)
{
    static const MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_LONG, MPI_FLOAT, MPI_DOUBLE, MPI_UNSIGNED};
    static double in[RANKS * (LONGEST + RANKS)], out[RANKS * (LONGEST + RANKS)];
    static const int widths[] = {sizeof(char), sizeof(short), sizeof(int), sizeof(long), sizeof(float), sizeof(double), sizeof(unsigned)};
    int c = draw(30) ? 0 : draw(COMMS), of = draw(sizeof types / sizeof *types), rank = ranks[c], size = all, width = widths[of];
    MPI_Comm comm = comms[c];
    MPI_Datatype type = types[of];
    MPI_Op op = draw_op(type);
    int what = draw(16), n = counts[draw(sizeof counts / sizeof *counts)], late = draw(200), in_place = draw(4) == 0;
    int root = draw(size), lengths[RANKS], places[RANKS];
    for (int i = 0; i < (n + RANKS) * size; i++)
        put(in, type, i, given(number, rank, i));
    memset(out, 0x55, (size_t)(n + RANKS) * size * width);
    if (late == rank)
        pause_for(500000);
    void *given_in = in_place ? MPI_IN_PLACE : in, *root_in = in_place && rank == root ? MPI_IN_PLACE : in;
    switch (what) {
    case 0: MPI_Barrier(comm); break;
    case 1:
        MPI_Bcast(rank == root ? in : out, n, type, root, comm);
        for (int i = 0; i < n; i++)
            check("bcast", number, rank == root ? in : out, type, i, given(number, root, i));
        break;
    case 2:
    case 3:
        copy_elements(out, rank * n, in, 0, in_place ? n : 0, width);
        if (what == 2)
            MPI_Gather(root_in, n, type, out, n, type, root, comm);
        else
            MPI_Allgather(given_in, n, type, out, n, type, comm);
        for (int i = 0; (what == 3 || rank == root) && i < n * size; i++)
            check("gather", number, out, type, i, given(number, i / n, i % n));
        break;
    case 4:
        MPI_Scatter(in, n, type, in_place && rank == root ? MPI_IN_PLACE : out, n, type, root, comm);
        if (in_place && rank == root)
            copy_elements(out, 0, in, rank * n, n, width);
        for (int i = 0; i < n; i++)
            check("scatter", number, out, type, i, given(number, root, rank * n + i));
        break;
    case 5:
        copy_elements(out, 0, in, 0, in_place ? n * size : 0, width);
        MPI_Alltoall(given_in, n, type, out, n, type, comm);
        for (int i = 0; i < n * size; i++)
            check("alltoall", number, out, type, i, given(number, i / n, rank * n + i % n));
        break;
    case 6:
        for (int r = 0; r < size; r++) {
            lengths[r] = (n + r) / 2;
            places[r] = (size - 1 - r) * (n + RANKS);
        }
        copy_elements(out, places[rank], in, 0, in_place ? lengths[rank] : 0, width);
        MPI_Allgatherv(given_in, lengths[rank], type, out, lengths, places, type, comm);
        for (int r = 0; r < size; r++) {
            for (int i = 0; i < lengths[r]; i++)
                check("allgatherv", number, out, type, places[r] + i, given(number, r, i));
        }
        break;
    case 10:
        for (int r = 0; r < size; r++) {
            lengths[r] = (n + r) / 2;
            places[r] = (size - 1 - r) * (n + RANKS);
        }
        copy_elements(out, places[rank], in, 0, in_place ? lengths[rank] : 0, width);
        MPI_Gatherv(root_in, lengths[rank], type, out, lengths, places, type, root, comm);
        for (int r = 0; rank == root && r < size; r++) {
            for (int i = 0; i < lengths[r]; i++)
                check("gatherv", number, out, type, places[r] + i, given(number, r, i));
        }
        break;
    case 11: { /* rank r gives (n + r + s) / 2 elements to rank s */
        int from[RANKS], at[RANKS], into = 0;
        for (int r = 0, behind = 0; r < size; r++) {
            lengths[r] = from[r] = (n + r + rank) / 2;
            at[r] = behind;
            behind += from[r];
            places[r] = into;
            copy_elements(out, into, in, at[r], in_place ? from[r] : 0, width);
            into += lengths[r] + 1;
        }
        MPI_Alltoallv(given_in, from, at, type, out, lengths, places, type, comm);
        for (int r = 0; r < size; r++) {
            int behind = 0;
            for (int s = 0; s < rank; s++)
                behind += (n + r + s) / 2;
            for (int i = 0; i < lengths[r]; i++)
                check("alltoallv", number, out, type, places[r] + i, given(number, r, behind + i));
        }
        break;
    }
    case 12:
    case 13: {
        int before = 0, total = 0;
        for (int r = 0; r < size; r++) {
            lengths[r] = what == 13 ? n : (n + r) / 2;
            before += r < rank ? lengths[r] : 0;
            total += lengths[r];
        }
        copy_elements(out, 0, in, 0, in_place ? total : 0, width);
        if (what == 12)
            MPI_Reduce_scatter(given_in, out, lengths, type, op, comm);
        else
            MPI_Reduce_scatter_block(given_in, out, n, type, op, comm);
        for (int i = 0; i < lengths[rank]; i++)
            check("reduce_scatter", number, out, type, i, combined(op, type, number, size, before + i));
        break;
    }
    case 14: /* of what ranks 0 and 1 give */
        for (int i = 0; i < n; i++)
            put(out, type, i, given(number, 1, i));
        for (int i = 0; i < n; i++)
            put(in, type, i, given(number, 0, i));
        MPI_Reduce_local(in, out, n, type, op);
        for (int i = 0; i < n; i++)
            check("reduce_local", number, out, type, i, combined(op, type, number, 2, i));
        break;
    case 15:
        pairs(number, rank, size, n, root, in_place, comm);
        break;
    default:
        if (in_place)
            memcpy(out, in, (size_t)n * width);
        if (what == 7)
            MPI_Reduce(root_in, out, n, type, op, root, comm);
        else
            MPI_Allreduce(given_in, out, n, type, op, comm);
        for (int i = 0; (what > 7 || rank == root) && i < n; i++)
            check("reduce", number, out, type, i, combined(op, type, number, size, i));
    }
}

/* An operation that elements do not have is an error at all ranks, and what follows is as if it had not been called. */
static void refused(int rank, int size)
{
    double value = rank, got;
    int in = rank, out;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        int code = MPI_Allreduce(&value, &got, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD), class;
        MPI_Error_class(code, &class);
        if (class != MPI_ERR_OP)
            wrong++;
        MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (out != size * (size - 1) / 2)
            wrong++;
    }
}

/* What is not a number, and the signs of zeros, are as the core has them at all ranks. */
static void special(int rank)
{
    double zero = rank == 0 ? 0.0 : -0.0, nan = rank == 0 ? zero / zero : 1, out;
    MPI_Allreduce(&nan, &out, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (out == out)
        wrong++;
    struct { double value; int place; } pair = {nan, rank}, located;
    MPI_Allreduce(&pair, &located, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    if (located.value == located.value || located.place != 0)
        wrong++;
    MPI_Allreduce(&zero, &out, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    if (out != 0 || 1 / out > 0)
        wrong++;
    MPI_Allreduce(&zero, &out, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (out != 0 || 1 / out < 0)
        wrong++;
    zero = -zero;
    MPI_Allreduce(&zero, &out, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (out != 0 || 1 / out < 0)
        wrong++;
    MPI_Allreduce(&zero, &out, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    if (out != 0 || 1 / out > 0)
        wrong++;
}

/* Ranks that give different lengths have an error, and what follows is as if they had not. */
static void different(int rank, int size)
{
    int in[8] = {1, 2, 3}, out[64], class = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        int code = MPI_Allgather(in, rank == 0 ? 2 : 3, MPI_INT, out, rank == 0 ? 2 : 3, MPI_INT, MPI_COMM_WORLD);
        MPI_Error_class(code, &class);
        if (class != MPI_ERR_TRUNCATE && class != MPI_ERR_COUNT)
            wrong++;
        in[0] = rank + i;
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (out[0] != size * (size - 1) / 2 + i * size)
            wrong++;
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    long mine[3], sum[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comms[2]);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_rank(comms[i], &ranks[i]);
    all = size;
    for (int i = 0; i < STEPS; i++)
        step(i);
    special(rank);
    different(rank, size);
    refused(rank, size);
    for (int i = 0; i < 1000; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    mine[0] = results, mine[1] = wrong, mine[2] = musubi_lanes.operations;
    MPI_Reduce(mine, sum, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld results, %ld wrong, %ld by the front\n", sum[0], sum[1], sum[2]);
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
    MPI_Finalize();
    return 0;
}

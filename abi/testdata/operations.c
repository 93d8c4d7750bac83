/* Operations of the standard where only some ranks, or only some calls, are for the front: scans and scattered reductions of pairs with
   gaps, and accumulates. */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 300, RANKS = 8 };

struct pair {
    double value;
    int place;
};

static int rank, size, wrong;

static void expect(const char *what, int step, double got, double want)
{
    if (got != want && wrong++ < 5)
        printf("%d: %s, step %d: %g; expected %g\n", rank, what, step, got, want);
}

/* What a rank gives as element i of a step. */
static struct pair given(int step, int whose, int i) { return (struct pair){(whose * 5 + step + i) % 7, whose}; }

/* The pair with the largest value that the ranks below one give. */
static struct pair largest(int step, int below, int i)
{
    struct pair all = given(step, 0, i);
    for (int r = 1; r < below; r++) {
        if (given(step, r, i).value > all.value)
            all = given(step, r, i);
    }
    return all;
}

static void check(const char *what, int step, struct pair got, struct pair want)
{
    expect(what, step, got.value, want.value);
    expect(what, step, got.place, want.place);
}

static void pairs(int step)
{
    struct pair own = given(step, rank, 0), got = {-1, -1}, each[RANKS];
    int sum;
    MPI_Exscan(&own, &got, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    if (rank > 0)
        check("exscan", step, got, largest(step, rank, 0));
    MPI_Scan(&own, &got, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    check("scan", step, got, largest(step, rank + 1, 0));
    for (int i = 0; i < size; i++)
        each[i] = given(step, rank, i);
    MPI_Reduce_scatter_block(each, &got, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    check("reduce_scatter", step, got, largest(step, size, rank));
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* as if nothing had been */
    expect("sum", step, sum, size * (size - 1) / 2);
}

static int combined(int op, int a, int b)
{
    int all[] = {a * b, a && b, a || b, !a != !b, a & b, a | b, a ^ b, a + b, a < b ? a : b, a > b ? a : b};
    return all[op];
}

static void accumulate(MPI_Win win, int *memory, int a, int b)
{
    static const MPI_Op ops[] = {MPI_PROD, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_SUM, MPI_MIN, MPI_MAX};
    for (int op = 0; op < (int)(sizeof ops / sizeof *ops); op++) {
        int old;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
        memory[0] = a;
        MPI_Win_unlock(rank, win);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
            MPI_Accumulate(&b, 1, MPI_INT, 1, 0, 1, MPI_INT, ops[op], win);
            MPI_Fetch_and_op(&b, &old, MPI_INT, 1, 0, ops[op], win);
            MPI_Win_unlock(1, win);
            expect("accumulate", op, old, combined(op, a, b));
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            expect("fetch and op", op, memory[0], combined(op, combined(op, a, b), b));
    }
}

int main(int argc, char **argv)
{
    int total, *memory;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < ROUNDS; step++)
        pairs(step);
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            accumulate(win, memory, a, b);
    MPI_Win_free(&win);
    MPI_Reduce(&wrong, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", total);
    MPI_Finalize();
    return 0;
}

/* A program may free and overwrite what it has given as soon as a call returns, or, of types, operations and communicators, while they are
   in use. Persistent operations and derived types keep what they were made of. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { RANKS = 8, ROUNDS = 3 };

static int rank, ranks, wrong;

static void expect(int line, int got, int want)
{
    if (got != want && wrong++ < 10)
        fprintf(stderr, "rank %d, line %d: %d, not %d\n", rank, line, got, want);
}

#define EXPECT(got, want) expect(__LINE__, got, want)

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    for (int i = 0; i < *n; i++)
        ((int *)inout)[2 * i] += ((int *)in)[2 * i];
}

/* lists have the counts, places and types of a call; trash makes what is freed something else. */
struct lists {
    int counts[RANKS], at[RANKS];
    MPI_Datatype types[RANKS];
};

static void fill(struct lists *l, int count, int unit, MPI_Datatype type)
{
    for (int i = 0; i < ranks; i++) {
        l->counts[i] = count;
        l->at[i] = i * count * unit;
        l->types[i] = type;
    }
}

static void trash(struct lists *l) { memset(l, 0x5a, sizeof *l); }

static void run(MPI_Request *r)
{
    MPI_Start(r);
    MPI_Wait(r, MPI_STATUS_IGNORE);
}

/* every_second returns the type of the first of two ints, in an array of them. */
static MPI_Datatype every_second(void)
{
    MPI_Datatype t;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &t);
    MPI_Type_commit(&t);
    return t;
}

static void reduces(void)
{
    struct lists l;
    MPI_Comm own;
    MPI_Op op;
    MPI_Request r;
    int in[2 * RANKS], out[2];
    MPI_Datatype t = every_second();
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Op_create(add, 1, &op);
    fill(&l, 1, 1, t);
    MPI_Reduce_scatter_init(in, out, l.counts, t, op, own, MPI_INFO_NULL, &r);
    trash(&l);
    MPI_Type_free(&t);
    MPI_Op_free(&op);
    MPI_Comm_free(&own);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < ranks; i++)
            in[2 * i] = rank + round + i;
        out[1] = -1;
        run(&r);
        EXPECT(out[0], ranks * (ranks - 1) / 2 + ranks * (round + rank));
        EXPECT(out[1], -1);
    }
    MPI_Request_free(&r);
}

static void exchanges(void)
{
    struct lists s, d;
    MPI_Request v, w, p[2];
    MPI_Comm own;
    int in[2 * RANKS], out[2 * RANKS], got[2 * RANKS], one[2] = {-1, -1};
    MPI_Datatype t = every_second();
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    fill(&s, 1, 1, t);
    fill(&d, 1, 1, t);
    MPI_Alltoallv_init(in, s.counts, s.at, t, out, d.counts, d.at, t, own, MPI_INFO_NULL, &v);
    fill(&s, 1, 2 * sizeof(int), t);
    fill(&d, 1, 2 * sizeof(int), t);
    MPI_Alltoallw_init(in, s.counts, s.at, s.types, got, d.counts, d.at, d.types, own, MPI_INFO_NULL, &w);
    MPI_Send_init(in, 1, t, (rank + 1) % ranks, 5, own, &p[0]);
    MPI_Recv_init(one, 1, t, (rank + ranks - 1) % ranks, 5, own, &p[1]);
    trash(&s);
    trash(&d);
    MPI_Type_free(&t);
    MPI_Comm_free(&own);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < ranks; i++) {
            in[2 * i] = 100 * rank + i + round;
            out[2 * i] = got[2 * i] = out[2 * i + 1] = got[2 * i + 1] = -1;
        }
        run(&v);
        run(&w);
        MPI_Startall(2, p);
        MPI_Waitall(2, p, MPI_STATUSES_IGNORE);
        for (int i = 0; i < ranks; i++) {
            EXPECT(out[2 * i], 100 * i + rank + round);
            EXPECT(got[2 * i], 100 * i + rank + round);
            EXPECT(out[2 * i + 1] & got[2 * i + 1], -1);
        }
        EXPECT(one[0], 100 * ((rank + ranks - 1) % ranks) + round);
    }
    MPI_Request_free(&v);
    MPI_Request_free(&w);
    MPI_Request_free(&p[0]);
    MPI_Request_free(&p[1]);
}

/* Places of all data from address 0 on: MPI_BOTTOM for what is given and for what is taken. */
static void bottoms(void)
{
    int counts[RANKS], at[RANKS], in[RANKS], out[RANKS];
    MPI_Datatype to[RANKS], from[RANKS];
    for (int i = 0; i < ranks; i++) {
        MPI_Aint here, there;
        int one = 1;
        in[i] = 100 * rank + i;
        out[i] = -1;
        MPI_Get_address(&in[i], &here);
        MPI_Get_address(&out[i], &there);
        MPI_Type_create_hindexed(1, &one, &here, MPI_INT, &to[i]);
        MPI_Type_create_hindexed(1, &one, &there, MPI_INT, &from[i]);
        MPI_Type_commit(&to[i]);
        MPI_Type_commit(&from[i]);
        counts[i] = 1;
        at[i] = 0;
    }
    MPI_Alltoallw(MPI_BOTTOM, counts, at, to, MPI_BOTTOM, counts, at, from, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++) {
        EXPECT(out[i], 100 * i + rank);
        out[i] = -1;
    }
    MPI_Request r;
    MPI_Ialltoallw(MPI_BOTTOM, counts, at, to, MPI_BOTTOM, counts, at, from, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < ranks; i++) {
        EXPECT(out[i], 100 * i + rank);
        MPI_Type_free(&to[i]);
        MPI_Type_free(&from[i]);
    }
    MPI_Datatype row, column;
    MPI_Aint here, there;
    int whole = ranks;
    MPI_Get_address(in, &here);
    MPI_Get_address(out, &there);
    MPI_Type_create_hindexed(1, &whole, &here, MPI_INT, &row);
    MPI_Type_create_hindexed(1, &whole, &there, MPI_INT, &column);
    MPI_Type_commit(&row);
    MPI_Type_commit(&column);
    if (ranks == 1) { /* of more, the next part would lie an extent farther on */
        out[0] = -1;
        MPI_Alltoall(MPI_BOTTOM, 1, row, MPI_BOTTOM, 1, column, MPI_COMM_WORLD);
        EXPECT(out[0], in[0]);
    }
    MPI_Type_free(&row);
    MPI_Type_free(&column);
    /* one buffer for both stays refused */
    int both = MPI_Alltoall(in, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD), class;
    MPI_Error_class(both, &class);
    EXPECT(class, MPI_ERR_BUFFER);
}

/* contents: a type is made of others that the program has freed since, twice of one. */
static void contents(void)
{
    MPI_Datatype inner = every_second(), outer, parts[2], whole;
    int lengths[2] = {1, 2}, ints[4], counts[4];
    MPI_Aint at[2] = {0, 8}, places[2];
    MPI_Datatype types[2] = {inner, inner};
    MPI_Type_create_struct(2, lengths, at, types, &outer);
    MPI_Type_free(&inner);
    MPI_Type_dup(MPI_DOUBLE, &whole); /* it may take the place of what was freed */
    MPI_Type_get_envelope(outer, &counts[0], &counts[1], &counts[2], &counts[3]);
    EXPECT(counts[3], MPI_COMBINER_STRUCT);
    EXPECT(counts[2], 2);
    MPI_Type_get_contents(outer, counts[0], counts[1], counts[2], ints, places, parts);
    for (int i = 0; i < 2; i++) {
        MPI_Count large[4];
        int combiner = -1, size = -1;
        MPI_Type_get_envelope_c(parts[i], &large[0], &large[1], &large[2], &large[3], &combiner);
        EXPECT(combiner, MPI_COMBINER_RESIZED);
        MPI_Type_size(parts[i], &size);
        EXPECT(size, sizeof(int));
        MPI_Type_free(&parts[i]);
    }
    MPI_Type_free(&outer);
    MPI_Type_free(&whole);
}

/* wide: the numbers of 16 and 32 bytes. */
static void wide(void)
{
    long double _Complex z = 1 + rank + 2.0iL, sum, product = 0;
    long double x = 1 + rank, most;
    int size, both = ranks * (ranks + 1) / 2;
    MPI_Allreduce(&z, &sum, 1, MPI_C_LONG_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(((long double *)&sum)[0], both);
    EXPECT(((long double *)&sum)[1], 2 * ranks);
    z = 1.0iL;
    MPI_Allreduce(&z, &product, 1, MPI_C_LONG_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
    EXPECT(((long double *)&product)[ranks % 2], ranks % 4 < 2 ? 1 : -1);
    EXPECT(((long double *)&product)[1 - ranks % 2], 0);
    MPI_Allreduce(&x, &most, 1, MPI_LONG_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    EXPECT(most, ranks);
    int refused = MPI_Allreduce(&z, &sum, 1, MPI_C_LONG_DOUBLE_COMPLEX, MPI_MAX, MPI_COMM_WORLD), class;
    MPI_Error_class(refused, &class);
    EXPECT(class, MPI_ERR_OP);

    MPI_Win w;
    long double _Complex *base, old = 0;
    MPI_Win_allocate(sizeof z, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
    *base = 0;
    MPI_Win_fence(0, w);
    z = 1 + rank + 2.0iL;
    MPI_Accumulate(&z, 1, MPI_C_LONG_DOUBLE_COMPLEX, 0, 0, 1, MPI_C_LONG_DOUBLE_COMPLEX, MPI_SUM, w);
    MPI_Win_fence(0, w);
    if (rank == 0) {
        EXPECT(((long double *)base)[0], both);
        EXPECT(((long double *)base)[1], 2 * ranks);
        *base = 1;
    }
    z = 1.0iL;
    MPI_Win_fence(0, w);
    MPI_Get_accumulate(&z, 1, MPI_C_LONG_DOUBLE_COMPLEX, &old, 1, MPI_C_LONG_DOUBLE_COMPLEX, 0, 0, 1, MPI_C_LONG_DOUBLE_COMPLEX, MPI_PROD, w);
    MPI_Win_fence(0, w);
    if (rank == 0)
        EXPECT(((long double *)base)[ranks % 2], ranks % 4 < 2 ? 1 : -1);
    MPI_Win_free(&w);

#ifdef __SIZEOF_INT128__
    __int128 n = (__int128)1 << (100 + rank), all = 0;
    MPI_Allreduce(&n, &all, 1, MPI_INTEGER16, MPI_BOR, MPI_COMM_WORLD);
    EXPECT((int)(all >> 100), (1 << ranks) - 1);
    MPI_Allreduce(&n, &all, 1, MPI_INTEGER16, MPI_MIN, MPI_COMM_WORLD);
    EXPECT((int)(all >> 100), 1);
#endif
#ifdef __SIZEOF_FLOAT128__
    __float128 q = 1 + (__float128)1 / ((__int128)1 << 100), two[2], added[2], long_sum = 0; /* more digits than a long double has */
    MPI_Allreduce(&q, &long_sum, 1, MPI_REAL16, MPI_SUM, MPI_COMM_WORLD);
    EXPECT((int)((long_sum - ranks) * ((__int128)1 << 100)), ranks);
    two[0] = q, two[1] = 2;
    MPI_Allreduce(two, added, 1, MPI_COMPLEX32, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(added[0] == long_sum && added[1] == 2 * ranks, 1);
#endif
    static const struct {
        int class, size;
    } matched[] = {{MPI_TYPECLASS_REAL, 16}, {MPI_TYPECLASS_COMPLEX, 32}, {MPI_TYPECLASS_INTEGER, 16}, {MPI_TYPECLASS_REAL, 4}};
    for (int i = 0; i < 4; i++) {
        MPI_Datatype t;
        MPI_Aint low, extent;
        MPI_Type_match_size(matched[i].class, matched[i].size, &t);
        MPI_Type_size(t, &size);
        MPI_Type_get_extent(t, &low, &extent);
        EXPECT(size, matched[i].size);
        EXPECT(extent, matched[i].size);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    reduces();
    exchanges();
    bottoms();
    contents();
    wide();
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", wrong);
    MPI_Finalize();
    return 0;
}

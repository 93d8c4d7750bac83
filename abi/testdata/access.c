/* Ranks access windows of each other in random ways: by the front, and as often by the core, from which a window is hidden for a
 * call. Each rank knows what its accesses have to give: some memory is its own at all ranks, some all change together. Rank 0 prints how
 * many accesses there were, how many results were wrong, and how many calls the fronts of all ranks have carried out. An argument says
 * that ranks share memory. */
#include "../front/short.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 16, STEPS = 400, RANKS = 8, ELEMENTS = 16, KINDS = 7, PITCH = ELEMENTS * 8, LONG = 20000 };

/* Memory of a window: words that all ranks change, and a part for each rank. */
enum { ADDED, SWAPPED, LOCKED, LOCKED_TOO, HEAD = 64 };
struct part {
    unsigned char of[KINDS][PITCH];
    unsigned char bytes[LONG];
};
enum { MEMORY = HEAD + RANKS * sizeof(struct part) };

static struct part model[RANKS]; /* this rank's part at each rank */
static long added[RANKS], last[RANKS], swapped[RANKS], locked[RANKS];
static unsigned long long state = 88172645463325252ULL;
static int rank, size, units[RANKS], share, wrong, accesses;
static MPI_Win win;
static unsigned char *memory;

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 20) % below;
}

static void expect(int right, const char *what)
{
    if (!right && wrong++ < 5)
        fprintf(stderr, "%d: %s\n", rank, what);
}

/* hide lets a call go to the core. */
static int64_t *handle(void) { return &musubi_lanes.windows.all[((uintptr_t)win >> MUSUBI_INDEX_SHIFT) % MUSUBI_WINDOWS].handle; }

#define BY_CORE(call) do { int64_t hidden = *handle(); *handle() = 0; call; *handle() = hidden; } while (0)
#define BY_EITHER(call) do { accesses++; if (draw(2)) BY_CORE(call); else call; } while (0)

#define TYPES(with) \
    with(0, char, MPI_CHAR) with(1, short, MPI_SHORT) with(2, int, MPI_INT) with(3, long, MPI_LONG) with(4, float, MPI_FLOAT) \
    with(5, double, MPI_DOUBLE) with(6, unsigned long, MPI_UNSIGNED_LONG)

static const MPI_Datatype types[KINDS] = {
#define TYPE(i, c, t) t,
    TYPES(TYPE)
};
static const int sizes[KINDS] = {
#define SIZE(i, c, t) sizeof(c),
    TYPES(SIZE)
};

static void fill(void *at, int kind, int n)
{
#define FILL(i, c, t) if (kind == i) for (int e = 0; e < n; e++) ((c *)at)[e] = (c)(draw(100) - 40.0 * (i != 6));
    TYPES(FILL)
}

/* combine does what an operation does. */
static void combine(MPI_Op op, int kind, const void *in, void *inout, int n)
{
#define COMBINE(k, c, t) \
    if (kind == k) for (int e = 0; e < n; e++) { \
        c a = ((const c *)in)[e], *b = &((c *)inout)[e]; \
        *b = op == MPI_SUM ? (c)(a + *b) : op == MPI_MIN ? (a < *b ? a : *b) : op == MPI_MAX ? (a > *b ? a : *b) : op == MPI_REPLACE ? a : *b; \
    }
    TYPES(COMBINE)
    if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR)
        for (int e = 0; e < n * sizes[kind]; e++) {
            unsigned char a = ((const unsigned char *)in)[e], *b = &((unsigned char *)inout)[e];
            *b = op == MPI_BAND ? *b & a : op == MPI_BOR ? *b | a : *b ^ a;
        }
}

static MPI_Op operation(int kind)
{
    static const MPI_Op all[] = {MPI_SUM, MPI_MIN, MPI_MAX, MPI_REPLACE, MPI_NO_OP, MPI_BAND, MPI_BOR, MPI_BXOR};
    return all[draw(kind == 4 || kind == 5 ? 5 : 8)];
}

/* An access under way, and what it has to give when it is complete. */
static struct pending {
    unsigned char got[LONG], want[LONG];
    unsigned char in[LONG], other[8];
    int bytes;
} pending[KINDS];

static MPI_Aint place(int target, const void *at) { return (HEAD + rank * sizeof(struct part) + ((unsigned char *)at - (unsigned char *)&model[target])) / units[target]; }

/* access begins an access to elements of a kind of its own part. */
static void access_part(int target, int kind, struct pending *p)
{
    int n = 1 + draw(draw(3) ? 1 : ELEMENTS), first = draw(ELEMENTS - n + 1), way = draw(7), s = sizes[kind];
    MPI_Datatype type = types[kind];
    first -= first * s % 8 / s; /* displacements are in units of up to 8 bytes */
    unsigned char *mine = &model[target].of[kind][first * s];
    MPI_Aint at = place(target, mine);
    MPI_Op op = operation(kind);
    p->bytes = 0;
    fill(p->in, kind, n);
    memcpy(p->want, mine, n * s);
    switch (way) {
    case 0:
        BY_EITHER(MPI_Put(p->in, n, type, target, at, n, type, win));
        memcpy(mine, p->in, n * s);
        return;
    case 1:
        BY_EITHER(MPI_Get(p->got, n, type, target, at, n, type, win));
        p->bytes = n * s;
        return;
    case 2:
        op = op == MPI_NO_OP ? MPI_SUM : op;
        BY_EITHER(MPI_Accumulate(p->in, n, type, target, at, n, type, op, win));
        combine(op, kind, p->in, mine, n);
        return;
    case 3:
        BY_EITHER(MPI_Get_accumulate(p->in, n, type, p->got, n, type, target, at, n, type, op, win));
        combine(op, kind, p->in, mine, n);
        p->bytes = n * s;
        return;
    case 4:
        BY_EITHER(MPI_Fetch_and_op(p->in, p->got, type, target, at, op, win));
        combine(op, kind, p->in, mine, 1);
        p->bytes = s;
        return;
    case 5:
        if (kind == 4 || kind == 5)
            return;
        memcpy(p->other, draw(2) ? mine : p->in, s);
        BY_EITHER(MPI_Compare_and_swap(p->in, p->other, p->got, type, target, at, win));
        if (memcmp(p->other, mine, s) == 0)
            memcpy(mine, p->in, s);
        p->bytes = s;
        return;
    }
    n = 8 * (1 + draw(draw(2) ? LONG / 8 : 40));
    mine = model[target].bytes + (LONG - n) / 8 * draw(2) * 8;
    at = place(target, mine);
    if (kind != 0) /* one of these is under way at a time */
        return;
    if (draw(2)) {
        for (int i = 0; i < n; i++)
            p->in[i] = draw(256);
        BY_EITHER(MPI_Put(p->in, n, MPI_BYTE, target, at, n / 8, MPI_DOUBLE, win));
        memcpy(mine, p->in, n);
    } else if (draw(4)) {
        BY_EITHER(MPI_Get(p->got, n / 8, MPI_INT64_T, target, at, n, MPI_CHAR, win));
        memcpy(p->want, mine, n);
        p->bytes = n;
    } else { /* every second word */
        MPI_Datatype words;
        MPI_Type_vector(n / 16 + 1, 1, 2, MPI_INT64_T, &words);
        MPI_Type_commit(&words);
        memset(p->got, 0, n);
        memset(p->want, 0, n);
        if (n % 16 == 8) {
            BY_EITHER(MPI_Get(p->got, 1, words, target, at, n / 16 + 1, MPI_INT64_T, win));
            for (int i = 0; i < n / 16 + 1; i++)
                memcpy(p->want + 16 * i, mine + 8 * i, 8);
            p->bytes = n;
        }
        MPI_Type_free(&words);
    }
}

static void begin_accesses(int target)
{
    int kind = draw(KINDS), n = 1 + draw(KINDS);
    for (int i = 0; i < KINDS; i++)
        pending[i].bytes = 0;
    for (int i = 0; i < n; i++, kind = (kind + 1) % KINDS)
        access_part(target, kind, &pending[kind]);
}

static void check_accesses(void)
{
    for (int i = 0; i < KINDS; i++)
        expect(memcmp(pending[i].got, pending[i].want, pending[i].bytes) == 0, "an access has given something else");
}

static MPI_Aint word(int target, int number) { return number * 8 / units[target]; }

/* add adds to a word by what all ranks do at once. */
static void add(int target)
{
    long one = 1, was = 0;
    BY_EITHER(MPI_Fetch_and_op(&one, &was, MPI_LONG, target, word(target, ADDED), MPI_SUM, win));
    BY_EITHER(MPI_Win_flush(target, win));
    expect(was > last[target], "what others have added is gone");
    last[target] = was;
    added[target]++;
}

static void swap(int target)
{
    long seen = 0, was, next;
    for (int tries = 0; tries < 1000; tries++, seen = was) {
        next = seen + 1;
        BY_EITHER(MPI_Compare_and_swap(&next, &seen, &was, MPI_LONG, target, word(target, SWAPPED), win));
        BY_EITHER(MPI_Win_flush(target, win));
        if (was == seen) {
            swapped[target]++;
            return;
        }
    }
}

/* change_locked changes two words, which are the same whenever nobody else has the lock. */
static void change_locked(int target, int exclusive)
{
    long both[2] = {-1, -2};
    BY_EITHER(MPI_Get(both, 2, MPI_LONG, target, word(target, LOCKED), 2, MPI_LONG, win));
    BY_EITHER(MPI_Win_flush(target, win));
    expect(both[0] == both[1], "a rank reads what one with the lock is changing");
    if (!exclusive)
        return;
    both[0]++, both[1]++;
    BY_EITHER(MPI_Put(&both[1], 1, MPI_LONG, target, word(target, LOCKED_TOO), 1, MPI_LONG, win));
    if (draw(2))
        BY_EITHER(MPI_Win_flush(target, win));
    BY_EITHER(MPI_Put(&both[0], 1, MPI_LONG, target, word(target, LOCKED), 1, MPI_LONG, win));
    locked[target]++;
}

static void compute(void)
{
    struct timespec t = {0, 1000 * draw(200)};
    if (draw(50) == 0)
        nanosleep(&t, NULL);
    for (volatile int i = draw(20) ? 0 : 20000; i > 0;)
        i--;
}

static void locks_of_one(void)
{
    int target = draw(size), exclusive = draw(2), other = (target + 1) % size;
    if (!exclusive && other != target && draw(3) == 0) { /* two locks */
        BY_EITHER(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
        BY_EITHER(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win));
        change_locked(other, 0);
        change_locked(target, 0);
        BY_EITHER(MPI_Win_unlock(target, win));
        BY_EITHER(MPI_Win_flush_all(win));
        BY_EITHER(MPI_Win_unlock(other, win));
        return;
    }
    if (!exclusive && draw(3) == 0) { /* all locks, which others want to write */
        BY_EITHER(MPI_Win_lock_all(0, win));
        change_locked(target, 0);
        begin_accesses(other);
        BY_EITHER(MPI_Win_unlock_all(win));
        check_accesses();
        return;
    }
    BY_EITHER(MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, win));
    change_locked(target, exclusive);
    begin_accesses(target);
    if (draw(2))
        add(target);
    BY_EITHER(MPI_Win_unlock(target, win));
    check_accesses();
}

static void lock_of_all(void)
{
    int target = draw(size);
    long got;
    begin_accesses(target);
    switch (draw(3)) {
    case 0: BY_EITHER(MPI_Win_flush(target, win)); break;
    case 1:
        BY_EITHER(MPI_Win_sync(win)); /* which completes nothing, nor does a flush of another rank */
        BY_EITHER(MPI_Win_flush((target + 1) % size, win));
        BY_EITHER(MPI_Get(&got, 1, MPI_LONG, (target + 1) % size, word((target + 1) % size, ADDED), 1, MPI_LONG, win));
        BY_EITHER(MPI_Win_flush((target + 1) % size, win));
        BY_EITHER(MPI_Win_flush_all(win));
        break;
    default:
        BY_EITHER(MPI_Win_unlock_all(win));
        BY_EITHER(MPI_Win_lock_all(0, win));
    }
    check_accesses();
    add(target);
    swap(target);
}

/* A call that fails does so alike by either. */
#define FAILS(call) do { \
        int a = (call), b, of_a, of_b; \
        BY_CORE(b = (call)); \
        MPI_Error_class(a, &of_a); \
        MPI_Error_class(b, &of_b); \
        expect(of_a == of_b && a != MPI_SUCCESS, #call); \
    } while (0)

static void fail(void)
{
    long v = 1, got = 7;
    MPI_Aint end = MEMORY / units[0];
    FAILS(MPI_Put(&v, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win));
    FAILS(MPI_Win_flush(0, win));
    FAILS(MPI_Win_flush_all(win));
    FAILS(MPI_Win_unlock(0, win));
    FAILS(MPI_Win_unlock_all(win));
    FAILS(MPI_Win_lock(1, 0, 0, win));
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    if (size > 1)
        FAILS(MPI_Put(&v, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win));
    FAILS(MPI_Put(&v, 1, MPI_LONG, 0, end, 1, MPI_LONG, win));
    FAILS(MPI_Get(&got, 1, MPI_LONG, 0, end - 1 + (units[0] == 8), 1, MPI_LONG, win));
    FAILS(MPI_Get(&got, 1, MPI_LONG, 0, INT64_MAX / 2, 1, MPI_LONG, win));
    FAILS(MPI_Get(&got, 1, MPI_LONG, size, 0, 1, MPI_LONG, win));
    FAILS(MPI_Put(&v, 1, MPI_LONG, 0, -1, 1, MPI_LONG, win));
    FAILS(MPI_Put(&v, -1, MPI_LONG, 0, 0, 1, MPI_LONG, win));
    FAILS(MPI_Put(&v, 1, MPI_LONG, 0, 0, 1, MPI_INT, win));
    FAILS(MPI_Put(&v, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_LONG, win));
    FAILS(MPI_Accumulate(&v, 1, MPI_LONG, 0, end, 1, MPI_LONG, MPI_SUM, win));
    FAILS(MPI_Accumulate(&v, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_BAND, win));
    FAILS(MPI_Fetch_and_op(&v, &got, MPI_LONG, 0, end, MPI_SUM, win));
    FAILS(MPI_Compare_and_swap(&v, &v, &got, MPI_DOUBLE, 0, 0, win));
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    FAILS(MPI_Win_lock_all(0, win));
    expect(MPI_Put(&v, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, win) == MPI_SUCCESS, "a put to nobody");
    expect(MPI_Fetch_and_op(&v, &got, MPI_LONG, MPI_PROC_NULL, 0, MPI_SUM, win) == MPI_SUCCESS && got == 7, "a fetch from nobody");
    expect(MPI_Put(NULL, 0, MPI_LONG, 0, end, 0, MPI_LONG, win) == MPI_SUCCESS, "a put of nothing");
    MPI_Win_unlock(0, win);
    FAILS(MPI_Win_flush(0, win));
}

/* Ranks write to the own part of the next one, which sees it behind the fence. */
static void put_between_fences(int number)
{
    long v = number, told;
    int next = (rank + 1) % size;
    unsigned char *mine = memory + HEAD + rank * sizeof(struct part);
    MPI_Win_fence(0, win);
    BY_EITHER(MPI_Put(&v, 1, MPI_LONG, next, (HEAD + next * sizeof(struct part)) / units[next], 1, MPI_LONG, win));
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win)); /* as the epoch has not ended */
    MPI_Win_fence(0, win);
    memcpy(&told, mine, sizeof told);
    expect(told == number, "a put between fences");
    memcpy(mine, model[rank].of[0], sizeof told);
    MPI_Win_fence(0, win);
}

static void access_between_fences(void)
{
    MPI_Win_fence(0, win);
    begin_accesses(draw(size));
    compute();
    MPI_Win_fence(0, win);
    check_accesses();
}

static void access_in_groups(MPI_Group group)
{
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_post(group, 0, win);
    MPI_Win_start(group, 0, win);
    begin_accesses(draw(size));
    compute();
    MPI_Win_complete(win);
    check_accesses();
    MPI_Win_wait(win);
}

/* What ranks have in their memory is what others have written. */
static void check_memory(MPI_Comm comm)
{
    long total, mine[4];
    static struct part theirs[RANKS];
    const long *all[] = {added, swapped, locked, locked};
    for (int i = 0; i < 4; i++) {
        for (int target = 0; target < size; target++) {
            MPI_Reduce(&all[i][target], &total, 1, MPI_LONG, MPI_SUM, target, comm);
            if (target == rank)
                mine[i] = total;
        }
        expect(((long *)memory)[i] == mine[i], "a word that all ranks change");
    }
    MPI_Alltoall(model, sizeof *model, MPI_BYTE, theirs, sizeof *theirs, MPI_BYTE, comm);
    expect(memcmp(theirs, memory + HEAD, size * sizeof *theirs) == 0, "the part of a rank");
}

static void make_window(int flavor, int unit, MPI_Comm comm)
{
    memory = NULL;
    if (flavor == 0)
        MPI_Win_create(memory = malloc(MEMORY), MEMORY, unit, MPI_INFO_NULL, comm, &win);
    else if (flavor == 1 && share)
        MPI_Win_allocate_shared(MEMORY, unit, MPI_INFO_NULL, comm, &memory, &win);
    else
        MPI_Win_allocate(MEMORY, unit, MPI_INFO_NULL, comm, &memory, &win);
    memset(memory, 0, MEMORY);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
}

static void once(int number, MPI_Comm comm)
{
    int flavor = number % 4, all = number % 3 == 0, unit;
    MPI_Group group;
    long told = 0;
    MPI_Win more;
    unsigned char *rest;
    MPI_Comm_rank(comm, &rank);
    unit = 1 << draw(4);
    MPI_Allgather(&unit, 1, MPI_INT, units, 1, MPI_INT, comm);
    memset(model, 0, sizeof model);
    memset(added, 0, sizeof added);
    memset(swapped, 0, sizeof swapped);
    memset(locked, 0, sizeof locked);
    for (int i = 0; i < RANKS; i++)
        last[i] = -1;
    make_window(flavor, unit, comm);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm, &rest, &more); /* another one, which stays alone */
    MPI_Barrier(comm);
    fail();
    MPI_Barrier(comm);
    MPI_Comm_group(comm, &group);
    if (all)
        BY_EITHER(MPI_Win_lock_all(0, win));
    for (int i = 0; i < STEPS; i++) {
        if (all)
            lock_of_all();
        else
            locks_of_one();
        compute();
        if (i % 40 == 0) { /* ranks send each other messages, too */
            long v = i;
            MPI_Sendrecv(&v, 1, MPI_LONG, (rank + 1) % size, 5, &told, 1, MPI_LONG, (rank + size - 1) % size, 5, comm, MPI_STATUS_IGNORE);
            expect(told == i, "a message");
        }
    }
    if (all)
        BY_EITHER(MPI_Win_unlock_all(win));
    for (int i = 0; i < 120; i++) {
        switch (i % 4) {
        case 0: put_between_fences(i); break;
        case 1: access_between_fences(); break;
        case 2: access_in_groups(group); break;
        default:
            MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
            int target = draw(size);
            BY_EITHER(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
            change_locked(target, 1);
            BY_EITHER(MPI_Win_unlock(target, win));
            MPI_Barrier(comm);
        }
    }
    MPI_Group_free(&group);
    MPI_Barrier(comm);
    check_memory(comm);
    MPI_Win_free(&more);
    MPI_Win_free(&win);
    if (flavor == 0)
        free(memory);
}

int main(int argc, char **argv)
{
    long mine[3], sum[3];
    MPI_Comm comms[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    share = argc > 1;
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[2]);
    for (int i = 0; i < rank; i++)
        draw(2);
    state += 12345 * rank;
    for (int i = 0; i < ROUNDS; i++)
        once(i, comms[i % 3]);
    mine[0] = accesses, mine[1] = wrong, mine[2] = musubi_lanes.windows.calls;
    MPI_Reduce(mine, sum, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%ld calls, %ld wrong, %ld by the front\n", sum[0], sum[1], sum[2]);
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
    MPI_Finalize();
    return 0;
}

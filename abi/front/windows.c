/* Accesses to windows of ranks that share memory. To go into Go and back takes longer than a short access does. So the core tells the
 * front where the memory of a window is, and both keep in one place which epoch it is in and which locks the rank has. What
 * is done here is what package mpi/internal/window does. All that is not plain is for the core: errors, datatypes of the program, long data, an
 * epoch that does not allow it, a lock that is not free, something that the core has under way with the target. */
#include "windows.h"
#include "notes.h"
#include "short.h"
#include "front.h"
#include "mpi.h"

#include <string.h>

enum { LONGEST = 64 << 10, LONGEST_COMBINED = 1 << 10 };

static struct musubi_window *window_of(MPI_Win win)
{
    struct musubi_window *w = &musubi_lanes.windows.all[((uintptr_t)win >> MUSUBI_INDEX_SHIFT) % MUSUBI_WINDOWS];
    return w->handle == (intptr_t)win && w->handle != 0 ? w : NULL;
}

/* is_due reports whether it is time for a call of the core, as others may want something. As long as lanes are open the front can look
 * itself whether they do. */
static int is_due(const struct musubi_window_state *s)
{
    if ((s->idle + 1) % MUSUBI_CALLS_PER_POLL != 0)
        return 0;
    if (!musubi_lanes.open || musubi_lanes.turns == 0 || musubi_is_wanted())
        return 1;
    musubi_lanes.turns--;
    return 0;
}

static int end(struct musubi_window_state *s)
{
    s->idle++;
    musubi_lanes.windows.calls++;
    return 1;
}

/* change changes a word from what is expected, and reports whether it has. Else was is what it is. */
static int change(uint64_t *word, uint64_t *was, uint64_t to)
{
    return __atomic_compare_exchange_n(word, was, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/* try_lock takes a lock that is free, or to read one that only readers have and nobody waits for. */
static int try_lock(uint64_t *word, enum musubi_lock kind)
{
    uint64_t was = 0;
    if (kind == MUSUBI_EXCLUSIVE)
        return change(word, &was, MUSUBI_WRITER);
    while (was < MUSUBI_WRITER - 1) {
        if (change(word, &was, was + 1))
            return 1;
    }
    return 0;
}

/* try_unlock gives back a lock that nobody waits for. */
static int try_unlock(uint64_t *word, enum musubi_lock kind)
{
    uint64_t was = kind == MUSUBI_EXCLUSIVE ? MUSUBI_WRITER : 1;
    if (kind == MUSUBI_EXCLUSIVE)
        return change(word, &was, 0);
    while (was < MUSUBI_WRITER) {
        if (change(word, &was, was - 1))
            return 1;
    }
    return 0;
}

/* acquire takes the lock of a rank, if that is possible at once. */
static int acquire(struct musubi_window_state *s, struct musubi_target *t, enum musubi_lock kind)
{
    if (!try_lock(&t->lock[MUSUBI_STATE_WORD], kind))
        return 0;
    t->state->lock = kind;
    t->state->open = 1;
    s->held++;
    return 1;
}

/* release gives it back, if nobody waits for it. */
static int release(struct musubi_window_state *s, struct musubi_target *t)
{
    if (!try_unlock(&t->lock[MUSUBI_STATE_WORD], t->state->lock))
        return 0;
    t->state->lock = MUSUBI_NO_LOCK;
    t->state->open = 0;
    s->held--;
    return 1;
}

/* An access is to some bytes of a rank. */
struct access {
    struct musubi_window_state *of; /* NULL: it is one for the core */
    struct musubi_target *target;
    unsigned char *there;
};

/* enter prepares an access to a rank that is not open. In an epoch of all locks it takes the lock. */
static int enter(struct musubi_window_state *s, struct musubi_target *t)
{
    if (s->epoch == MUSUBI_FENCE_EPOCH)
        return s->used = 1;
    return s->epoch == MUSUBI_LOCK_ALL_EPOCH && acquire(s, t, MUSUBI_SHARED);
}

static struct access access_of(MPI_Win win, int rank, MPI_Aint disp, uint64_t bytes)
{
    struct access a = {0};
    struct musubi_window *w = window_of(win);
    uint64_t at;
    if (!w || (unsigned)rank >= w->ranks || bytes == 0 || disp < 0)
        return a;
    struct musubi_target *t = &w->targets[rank];
    if (t->state->busy || is_due(w->state))
        return a;
    if (__builtin_mul_overflow((uint64_t)disp, t->unit, &at) || at > t->bytes || bytes > t->bytes - at)
        return a;
    if (!t->state->open && !enter(w->state, t))
        return a;
    a.of = w->state;
    a.target = t;
    a.there = t->memory + at;
    return a;
}

/* bytes_of returns how many bytes some elements have, 0 if that is for the core. */
static uint64_t bytes_of(const void *at, MPI_Count count, MPI_Datatype datatype)
{
    enum { LEAST_ADDRESS = 4096 }; /* MPI_BOTTOM */
    uintptr_t type = (uintptr_t)datatype - MUSUBI_FIRST_TYPE;
    if (type >= MUSUBI_TYPES || count <= 0 || count > LONGEST || (uintptr_t)at < LEAST_ADDRESS)
        return 0;
    uint64_t bytes = (uint64_t)count * musubi_lanes.sizes[type];
    return bytes <= LONGEST ? bytes : 0;
}

/* move copies by instructions that others see as one where there are such. */
static void move(void *to, const void *from, uint64_t bytes)
{
    switch (bytes) {
    case 1: *(unsigned char *)to = *(const unsigned char *)from; return;
    case 2: memcpy(to, from, 2); return;
    case 4: memcpy(to, from, 4); return;
    case 8: memcpy(to, from, 8); return;
    }
    memmove(to, from, bytes);
}

int musubi_short_Put(const void *origin, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count target_count, MPI_Datatype target_type, MPI_Win win)
{
    uint64_t bytes = bytes_of(origin, count, type);
    if (bytes_of(origin, target_count, target_type) != bytes)
        return 0;
    struct access a = access_of(win, rank, disp, bytes);
    if (!a.of)
        return 0;
    move(a.there, origin, bytes);
    a.of->wrote = 1;
    return end(a.of);
}

int musubi_short_Get(void *origin, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count target_count, MPI_Datatype target_type, MPI_Win win)
{
    uint64_t bytes = bytes_of(origin, count, type);
    if (bytes_of(origin, target_count, target_type) != bytes)
        return 0;
    struct access a = access_of(win, rank, disp, bytes);
    if (!a.of)
        return 0;
    move(origin, a.there, bytes);
    return end(a.of);
}

/* complete lets all ranks see what this one has written before it looks at anything else. */
static int complete(struct musubi_window_state *s)
{
    if (s->wrote) {
        s->wrote = 0;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
    return end(s);
}

static int flush(int rank, MPI_Win win)
{
    struct musubi_window *w = window_of(win);
    if (!w || (unsigned)rank >= w->ranks)
        return 0;
    struct musubi_window_state *s = w->state;
    struct musubi_peer_state *p = w->targets[rank].state;
    if (s->epoch != MUSUBI_LOCK_ALL_EPOCH && (s->epoch != MUSUBI_LOCK_EPOCH || !p->open))
        return 0;
    return !p->busy && !s->owes && !is_due(s) && complete(s);
}

static int flush_all(MPI_Win win)
{
    struct musubi_window *w = window_of(win);
    if (!w || (w->state->epoch != MUSUBI_LOCK_ALL_EPOCH && w->state->epoch != MUSUBI_LOCK_EPOCH))
        return 0;
    return w->state->busy == 0 && !w->state->owes && !is_due(w->state) && complete(w->state);
}

int musubi_short_Win_flush(int rank, MPI_Win win) { return flush(rank, win); }
int musubi_short_Win_flush_local(int rank, MPI_Win win) { return flush(rank, win); }
int musubi_short_Win_flush_all(MPI_Win win) { return flush_all(win); }
int musubi_short_Win_flush_local_all(MPI_Win win) { return flush_all(win); }

int musubi_short_Win_sync(MPI_Win win)
{
    struct musubi_window *w = window_of(win);
    if (!w || is_due(w->state))
        return 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return end(w->state);
}

/* hold keeps others from combining elements of a rank. It reports false if somebody does so for long. */
static int hold(uint64_t *held)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        uint64_t free = 0;
        if (change(held, &free, 1))
            return 1;
        musubi_pause();
    }
    return 0;
}

static void let_go(uint64_t *held) { musubi_store(held, 0); }

/* apply combines elements into others. It reports false if that is for the core: then it has changed nothing. */
static int apply(MPI_Op op, enum musubi_kind kind, const unsigned char *in, unsigned char *inout, uint64_t bytes)
{
    musubi_combination *combine = musubi_combination_of(op, kind);
    if (combine)
        return combine(kind, in, inout, bytes);
    if (op == MPI_NO_OP)
        return 1;
    if (op == MPI_REPLACE) {
        move(inout, in, bytes);
        return 1;
    }
    return 0;
}

/* Elements of numbers that are combined. */
struct numbers {
    uint64_t bytes; /* 0: they are not plain */
    enum musubi_kind kind;
};

static struct numbers numbers_of(const void *at, MPI_Count count, MPI_Datatype type)
{
    struct numbers n = {.bytes = bytes_of(at, count, type)};
    if (n.bytes == 0)
        return n;
    uintptr_t index = (uintptr_t)type - MUSUBI_FIRST_TYPE;
    n.kind = musubi_lanes.kinds[index];
    if (n.kind == 0 || n.kind > MUSUBI_FLOAT64 || n.bytes > LONGEST_COMBINED || (uintptr_t)at % musubi_lanes.sizes[index] != 0)
        n.bytes = 0;
    return n;
}

/* combine combines elements with those of a rank, and gives the old ones, if they are wanted. */
static int combine(const void *operands, void *was, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op, MPI_Win win)
{
    unsigned char old[LONGEST_COMBINED];
    struct numbers n = numbers_of(op == MPI_NO_OP ? was : operands, count, type);
    struct access a = access_of(win, rank, disp, n.bytes);
    if (!a.of || numbers_of(a.there, count, type).bytes == 0 || (was && bytes_of(was, count, type) == 0))
        return 0;
    uint64_t *held = &a.target->lock[MUSUBI_HELD_WORD];
    if (!hold(held))
        return 0;
    if (was)
        move(old, a.there, n.bytes);
    int done = apply(op, n.kind, operands, a.there, n.bytes);
    let_go(held);
    if (!done)
        return 0;
    if (was)
        move(was, old, n.bytes);
    a.of->wrote = 1;
    return end(a.of);
}

int musubi_short_Accumulate(const void *origin, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win)
{
    if (count != target_count || type != target_type || op == MPI_NO_OP)
        return 0;
    return combine(origin, NULL, count, type, rank, disp, op, win);
}

int musubi_short_Get_accumulate(const void *origin, MPI_Count count, MPI_Datatype type, void *result, MPI_Count result_count, MPI_Datatype result_type, int rank, MPI_Aint disp, MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win)
{
    if (!result || result_count != target_count || result_type != target_type)
        return 0;
    if (op != MPI_NO_OP && (count != target_count || type != target_type))
        return 0;
    return combine(origin, result, target_count, target_type, rank, disp, op, win);
}

int musubi_short_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op, MPI_Win win)
{
    return result && combine(origin, result, 1, type, rank, disp, op, win);
}

int musubi_short_Compare_and_swap(const void *origin, const void *expected, void *result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Win win)
{
    uint64_t old = 0, bytes = bytes_of(origin, 1, type);
    struct access a = access_of(win, rank, disp, bytes);
    if (!a.of || bytes_of(expected, 1, type) == 0 || bytes_of(result, 1, type) == 0)
        return 0;
    enum musubi_kind kind = musubi_lanes.kinds[(uintptr_t)type - MUSUBI_FIRST_TYPE];
    uint64_t *held = &a.target->lock[MUSUBI_HELD_WORD];
    if (kind == 0 || kind >= MUSUBI_FLOAT32 || !hold(held))
        return 0;
    move(&old, a.there, bytes);
    if (memcmp(&old, expected, bytes) == 0)
        move(a.there, origin, bytes);
    let_go(held);
    move(result, &old, bytes);
    a.of->wrote = 1;
    return end(a.of);
}

int musubi_short_Win_lock(int lock_type, int rank, int assert, MPI_Win win)
{
    (void)assert;
    struct musubi_window *w = window_of(win);
    enum musubi_lock kind = lock_type == MPI_LOCK_SHARED ? MUSUBI_SHARED : lock_type == MPI_LOCK_EXCLUSIVE ? MUSUBI_EXCLUSIVE : MUSUBI_NO_LOCK;
    if (!w || (unsigned)rank >= w->ranks || kind == MUSUBI_NO_LOCK)
        return 0;
    struct musubi_window_state *s = w->state;
    struct musubi_target *t = &w->targets[rank];
    if ((s->epoch != MUSUBI_NO_EPOCH && s->epoch != MUSUBI_LOCK_EPOCH) || t->state->lock != MUSUBI_NO_LOCK || is_due(s))
        return 0;
    if (!acquire(s, t, kind))
        return 0;
    s->epoch = MUSUBI_LOCK_EPOCH;
    return end(s);
}

int musubi_short_Win_unlock(int rank, MPI_Win win)
{
    struct musubi_window *w = window_of(win);
    if (!w || (unsigned)rank >= w->ranks)
        return 0;
    struct musubi_window_state *s = w->state;
    struct musubi_target *t = &w->targets[rank];
    if (s->epoch != MUSUBI_LOCK_EPOCH || t->state->lock == MUSUBI_NO_LOCK || t->state->busy || s->owes || is_due(s))
        return 0;
    if (!release(s, t))
        return 0;
    if (s->held == 0)
        s->epoch = MUSUBI_NO_EPOCH;
    return end(s);
}

int musubi_short_Win_lock_all(int assert, MPI_Win win)
{
    (void)assert;
    struct musubi_window *w = window_of(win);
    if (!w || w->state->epoch != MUSUBI_NO_EPOCH || is_due(w->state) || !acquire(w->state, &w->targets[w->own], MUSUBI_SHARED))
        return 0;
    w->state->epoch = MUSUBI_LOCK_ALL_EPOCH;
    return end(w->state);
}

int musubi_short_Win_unlock_all(MPI_Win win)
{
    struct musubi_window *w = window_of(win);
    if (!w || w->state->epoch != MUSUBI_LOCK_ALL_EPOCH)
        return 0;
    struct musubi_window_state *s = w->state;
    if (s->busy != 0 || s->owes || is_due(s))
        return 0;
    for (uint64_t i = 0; i < w->ranks; i++) {
        if (w->targets[i].state->lock != MUSUBI_NO_LOCK && !release(s, &w->targets[i]))
            return 0; /* the core releases the others */
    }
    s->epoch = MUSUBI_NO_EPOCH;
    return end(s);
}

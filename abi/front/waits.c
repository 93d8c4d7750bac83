/* How the front waits, and when it is the core's turn. */
#define _GNU_SOURCE
#include "rings.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int musubi_hold(void)
{
    enum { LOOKS = 200 };
    if (!__atomic_load_n(&musubi_lanes.open, __ATOMIC_RELAXED))
        return 0;
    for (int looks = 0; __atomic_exchange_n(&musubi_lanes.held, 1, __ATOMIC_ACQUIRE) != 0; looks++) {
        if (looks == LOOKS)
            return 0;
        musubi_pause();
    }
    return musubi_lanes.open || musubi_leave(0);
}

int musubi_is_wanted(void)
{
    for (uint64_t i = 0; i < musubi_lanes.processes; i++) {
        struct musubi_lane *l = musubi_lanes.all[i];
        int lined;
        uint64_t word = l ? next(l, &lined) : 0;
        if (word == 0)
            continue;
        if ((word & KIND_BITS) != l->message || *body_of(l, lined) != musubi_lanes.short_message)
            return 1;
    }
    return 0;
}

static int64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int others_compute(void) { return __atomic_load_n(musubi_lanes.alone, __ATOMIC_RELAXED) == 0; }

/* give_way lets others have the processor, which ranks share. It reports false if that is for the core: if it takes long, as this rank is to sleep
 * then, to make progress, and to tell that it waits. After a yield in which another program has computed for all of its time the core waits
 * at once, as often as the core itself would not yield again, unless there are none but other ranks. */
static int give_way(int *looks)
{
    enum { YIELDS = 16, YIELDS_PER_LOOK = 4, LONG_YIELD = 1000 * 1000, PATIENT_WAITS = 50 };
    static int patient;
    if (patient > 0 && others_compute()) {
        patient -= *looks == 0;
        return 0;
    }
    if (++*looks > YIELDS || (*looks % YIELDS_PER_LOOK == 0 && musubi_is_wanted()))
        return 0;
    int64_t begun = nanoseconds();
    sched_yield();
    if (nanoseconds() - begun > LONG_YIELD)
        patient = PATIENT_WAITS;
    return 1;
}

int musubi_look_again(int *looks)
{
    enum { LOOKS = 2000, LOOKS_AT_ALL = 16 };
    if (__atomic_load_n(&musubi_lanes.callers, __ATOMIC_RELAXED) != 0) /* another thread wants the core, which has to have the lanes */
        return 0;
    if (musubi_lanes.alone)
        return give_way(looks);
    if (++*looks == LOOKS || (*looks % LOOKS_AT_ALL == 0 && musubi_is_wanted()))
        return 0;
    musubi_pause();
    return 1;
}

void musubi_wake(uint32_t *sleeping)
{
    if (__atomic_load_n(sleeping, __ATOMIC_SEQ_CST) != 0 && __atomic_exchange_n(sleeping, 0, __ATOMIC_SEQ_CST) != 0)
        syscall(SYS_futex, sleeping, FUTEX_WAKE, 1, NULL, NULL, 0);
}

int musubi_is_due_now(void)
{
    if (musubi_lanes.turns == 0 || musubi_is_wanted())
        return 1;
    musubi_lanes.turns--;
    musubi_lanes.left = MUSUBI_PER_LOOK;
    return 0;
}

/* A test goes into Go where ranks share processors, as others are to have this one now and then. */
int musubi_may_test(void)
{
    if (!musubi_lanes.open || musubi_lanes.alone)
        return 0;
    musubi_lanes.left--;
    return !musubi_is_due();
}

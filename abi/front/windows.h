/* Windows whose memory ranks share, which the front accesses by itself. */
#ifndef MUSUBI_WINDOWS_H
#define MUSUBI_WINDOWS_H

#include <stdint.h>

/* Package mpi/internal/window has the same types, in state.go. */

struct musubi_window_state {
    uint8_t epoch; /* enum musubi_epoch */
    uint8_t used;  /* something has been accessed in the epoch of a fence */
    uint8_t wrote; /* this rank has written, and others may not see it yet */
    uint8_t owes;  /* the core has something to do when accesses are complete */
    uint32_t held; /* locks */
    uint32_t busy; /* ranks with which the core has something under way */
    uint32_t idle; /* calls */
};

struct musubi_peer_state {
    uint8_t open; /* it may be accessed in this epoch */
    uint8_t busy; /* the core has something under way with it */
    uint8_t lock; /* enum musubi_lock, that this rank has there */
};

struct musubi_target {
    struct musubi_peer_state *state;
    unsigned char *memory;
    uint64_t bytes;
    uint64_t *lock; /* words */
    uint64_t unit;  /* of displacements */
};

enum musubi_epoch { MUSUBI_NO_EPOCH, MUSUBI_FENCE_EPOCH, MUSUBI_START_EPOCH, MUSUBI_LOCK_EPOCH, MUSUBI_LOCK_ALL_EPOCH };
enum musubi_lock { MUSUBI_NO_LOCK, MUSUBI_SHARED, MUSUBI_EXCLUSIVE };

/* Words of a lock: who has it, and 1 while somebody combines elements. The former is the number of readers, or the bit of a
 * writer, as long as nobody waits. Packages mpi/internal/wordlock and mpi/internal/window have the same. */
enum { MUSUBI_STATE_WORD = 0, MUSUBI_HELD_WORD = 7, MUSUBI_WRITER = 1 << 20 };

enum { MUSUBI_CALLS_PER_POLL = 64 }; /* of a window */

/* The window of a handle has the place of its index, modulo the length. */
enum { MUSUBI_WINDOWS = 64, MUSUBI_INDEX_SHIFT = 11 };

struct musubi_window {
    int64_t handle; /* 0: there is none */
    uint64_t ranks, own;
    struct musubi_window_state *state;
    struct musubi_target *targets; /* by rank */
};

struct musubi_windows {
    struct musubi_window all[MUSUBI_WINDOWS];
    uint64_t calls; /* that the front has carried out */
};

#endif

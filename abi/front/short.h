/* Short messages between ranks that share memory, which the front sends and receives by itself. */
#ifndef MUSUBI_SHORT_H
#define MUSUBI_SHORT_H

#include "windows.h"

#include <stddef.h>
#include <stdint.h>

/* The types of package live/shm, as ring_writer.go, ring_reader.go, common.go and lane.go there say. */

struct musubi_writer {
    uint64_t head, wall, clear, tail, clean, lines, odd;
    int64_t last;
    uint64_t lap, longs, own, longest;
};

struct musubi_reader {
    uint64_t tail, published, lines;
};

struct musubi_half {
    uint64_t word;
    unsigned char body[24];
};

struct musubi_lane {
    struct musubi_writer *writer;
    struct musubi_reader *reader;
    unsigned char *out, *in;
    struct musubi_half *line_out, *line_in;
    uint64_t *taken_in, *taken_out;
    uint64_t bytes, flush_bytes;
    uint64_t message, skip;
    uint64_t longest_in;
    uint32_t *sleeping; /* word of the other rank that tells whether it sleeps, and for what; NULL: ranks do not */
};

enum { MUSUBI_FOR_ALL = 1 }; /* also for room */

enum { MUSUBI_FIRST_TYPE = 0x200, MUSUBI_TYPES = 0x100 }; /* handles of the standard's datatypes */

/* A communicator whose short messages the front sends and receives. That of a handle has the place of its index and its kind, modulo
 * the length. */
enum { MUSUBI_COMMS = 16 };

struct musubi_comm {
    int64_t handle;     /* 0: there is none */
    int64_t is_open;    /* 0: something of it is under way in the core */
    int64_t reaches_all; /* 1: there is a lane to each other rank */
    uint64_t envelope;  /* of its messages with tag 0 */
    uint64_t ranks, own;
    struct musubi_lane **to;    /* of each rank; NULL: there is none */
    struct musubi_notes *notes; /* NULL: it has none */
};

/* Bytes of an element of a datatype: blocks, equally far apart. */
struct musubi_blocks {
    int64_t at; /* of the first one, from the address on */
    int64_t count, bytes, stride;
};

/* A datatype that the program has made and committed. That of a handle has the place of its index, modulo the length. Package mpi/abi has
 * the same as LaneType. */
enum { MUSUBI_DERIVED = 64, MUSUBI_DERIVED_BLOCKS = 4, MUSUBI_LONGEST_DERIVED = 4096 /* bytes that are sent */ };

struct musubi_type {
    int64_t handle;       /* 0: there is none */
    int64_t size, extent; /* bytes; of the data, and from one element to the next */
    int64_t whole;        /* only messages of a multiple of so many bytes end between basic elements */
    int64_t is_row;       /* 1: elements are bytes in a row */
    int64_t used;         /* blocks */
    struct musubi_blocks blocks[MUSUBI_DERIVED_BLOCKS];
};

/* A receive that the program has started and the front keeps. Package mpi/abi has the same as LaneReceive. */
struct musubi_receive {
    int64_t state; /* enum musubi_receive_state */
    int64_t handle;
    int64_t comm, source, tag;
    int64_t buffer, room;     /* bytes */
    int64_t bytes;            /* of the message that has come */
    uint64_t envelope, fixed; /* of the message that it waits for, and the bits of that which count */
    struct musubi_lane *lane; /* NULL: it may come from any rank */
    struct musubi_comm *of;
    const struct musubi_type *type; /* NULL: the data goes to bytes in a row */
    int64_t type_handle, count;     /* of that */
    struct musubi_persistent *made_of; /* NULL: it is not persistent. Sends have a place, too, when they are */
    int64_t own_handle;                /* of the place, while it has that of a persistent one */
    int64_t sent;                      /* number of a send in the log; 0: it is a receive, or goes to nobody */
};

/* A persistent send or receive of the program, unless the core has started it. That of a handle has the place of its index, modulo the length, or
 * one of the next. */
enum { MUSUBI_PERSISTENT = 128, MUSUBI_PERSISTENT_PLACES = 8 };

struct musubi_persistent {
    int64_t handle;    /* 0: there is none */
    int64_t is_active; /* 1: the front has started it */
    int64_t receives;
    int64_t buffer, count, type, rank, tag, comm; /* as the program has given them */
};

enum musubi_receive_state { MUSUBI_ENDED, MUSUBI_WAITING, MUSUBI_COMPLETE };

enum { MUSUBI_RECEIVES = 128, MUSUBI_PER_LOOK = 64 };

/* The message that a matched probe has found. It is still the next record of its lane. */
struct musubi_claimed {
    int64_t handle; /* of the next such message */
    struct musubi_lane *lane; /* NULL: there is none */
    int64_t comm, source, tag;
};

/* The attribute of a communicator that the program has asked for last. */
struct musubi_attribute {
    int64_t comm; /* 0: there is none */
    int64_t key, value;
};

/* The last messages that the program has sent, by number, modulo the length: so that one can be cancelled. Package
 * mpi/abi has the same as SentLog. */
enum { MUSUBI_SENT = 128 };

struct musubi_sent {
    int64_t comm;
    int32_t to, tag;
    int64_t take_back; /* not 0: it is cancelled */
};

struct musubi_sent_log {
    uint64_t count;
    struct musubi_sent last[MUSUBI_SENT];
};

/* musubi_lanes is what the core tells the front when it returns from a call: whether lanes are open, and of
 * which communicators. */
struct musubi_lanes {
    int64_t open;  /* 0: the lanes are closed */
    uint32_t shared;  /* 1: threads call at once. Each holds the lock for as long as it is in the front */
    uint32_t held;    /* the lock. 1: a thread has it */
    int64_t callers;  /* threads that are in calls of the core, or on their way */
    int64_t left;  /* messages until somebody is to look at everything */
    int64_t turns; /* how often that may be the front; then it is the core's turn */
    struct musubi_comm comms[MUSUBI_COMMS];
    struct musubi_lane **all;          /* of each process of the job; NULL: there is none */
    uint64_t processes;
    uint32_t *alone;                   /* NULL: each rank has a processor; else they share those, and sleep. 1: no other programs compute */
    uint64_t messages;                 /* that have gone by lanes, in all */
    unsigned char sizes[MUSUBI_TYPES]; /* of the standard's datatypes; 0: it is not bytes in a row */
    unsigned char kinds[MUSUBI_TYPES]; /* of their elements, as reductions have them; 0: none */
    unsigned char short_message;       /* the first byte of all of these */
    int64_t buffer;                    /* bytes of the buffer that the program has attached, if all are free; else 0: buffered sends are for the core */
    int64_t sent;                      /* handle of a send that is complete, below the lower half of its number */
    struct musubi_sent_log log;
    uint64_t operations; /* that have been carried out by notes, in all */
    struct musubi_windows windows;
    struct musubi_claimed claimed;
    struct musubi_attribute attribute;

    /* Receives that have been started since the core was called last. Each place has a handle. Of some the program knows
     * already that they are complete. */
    struct musubi_receive receives[MUSUBI_RECEIVES];
    int64_t started, pending;
    struct musubi_persistent persistent[MUSUBI_PERSISTENT];
    struct musubi_type derived[MUSUBI_DERIVED];
};

extern struct musubi_lanes musubi_lanes;

/* musubi_idle_persistent returns the persistent send or receive of a handle, NULL if there is none, if it has been started, or if it is
 * one for the core. */
static inline struct musubi_persistent *musubi_idle_persistent(const void *request)
{
    for (uintptr_t i = 0; i < MUSUBI_PERSISTENT_PLACES; i++) {
        struct musubi_persistent *p = &musubi_lanes.persistent[(((uintptr_t)request >> MUSUBI_INDEX_SHIFT) + i) % MUSUBI_PERSISTENT];
        if (p->handle == (intptr_t)request)
            return request && !p->is_active ? p : NULL;
    }
    return NULL;
}

/* musubi_derived returns a datatype that the program has made, NULL if the front has none of the handle. */
static inline const struct musubi_type *musubi_derived(uintptr_t datatype)
{
    const struct musubi_type *t = &musubi_lanes.derived[(datatype >> MUSUBI_INDEX_SHIFT) % MUSUBI_DERIVED];
    return t->handle == (intptr_t)datatype && t->handle != 0 ? t : NULL;
}

/* musubi_bytes_in_row returns the bytes of an element of a datatype whose elements are bytes in a row, 0 if the front knows none of the handle. */
static inline uint64_t musubi_bytes_in_row(const void *datatype)
{
    uintptr_t type = (uintptr_t)datatype - MUSUBI_FIRST_TYPE;
    if (type < MUSUBI_TYPES)
        return musubi_lanes.sizes[type];
    const struct musubi_type *t = musubi_derived((uintptr_t)datatype);
    return t && t->is_row ? (uint64_t)t->size : 0;
}

/* musubi_comm_of returns the communicator of a handle, NULL if its messages are for the core. */
static inline struct musubi_comm *musubi_comm_of(const void *comm)
{
    uintptr_t handle = (uintptr_t)comm;
    struct musubi_comm *c = &musubi_lanes.comms[(handle >> MUSUBI_INDEX_SHIFT ^ handle) % MUSUBI_COMMS];
    return musubi_lanes.open && c->handle == (intptr_t)comm && c->is_open ? c : NULL;
}

/* Calls between the files of the front need not ask the linker who answers. */
#pragma GCC visibility push(hidden)

/* musubi_hold takes the lock for a thread that is to use the lanes. It reports false if they are closed, or if that takes long. */
int musubi_hold(void);

/* musubi_done_already returns what the front has carried out of the call that this thread has handed on, and forgets that: of
 * MPI_Sendrecv 1 if that is the send, of MPI_Startall how many of the requests. */
int musubi_done_already(void);

/* musubi_hand_on notes it, and returns false. */
int musubi_hand_on(int done);

/* musubi_is_wanted reports whether another rank has written what it waits for an answer to, such as the request of a long
 * message or an access to a window: anything but a short message. */
int musubi_is_wanted(void);

/* musubi_is_due reports whether it is time for a call of the core: another rank wants something, or the front has looked
 * several times. */
int musubi_is_due_now(void);
static inline int musubi_is_due(void) { return musubi_lanes.left <= 0 && musubi_is_due_now(); }

/* musubi_is_due_between is musubi_is_due in a moment in which the front keeps nothing. */
static inline int musubi_is_due_between(void) { return musubi_lanes.started == 0 && musubi_is_due(); }

/* musubi_may_test reports whether the front may look for something without waiting for it. */
int musubi_may_test(void);

/* musubi_look_again counts the looks of the front for what it waits for, and lets a moment pass, or others have the processor. It
 * reports false if the core is to wait on. */
int musubi_look_again(int *looks);

/* musubi_wake wakes a rank if it sleeps, by its word. What it is to find has been written before, with sequential consistency. */
void musubi_wake(uint32_t *sleeping);

/* musubi_wait_for takes messages until a receive that the front keeps is complete. It reports false if that takes long or something else has come. */
int musubi_wait_for(struct musubi_receive *r);

/* What became of a look for a message. */
enum musubi_taken { MUSUBI_NOTHING, MUSUBI_TAKEN, MUSUBI_ANOTHER /* something else has come, which is for the core */ };

/* musubi_take receives the next message of those among which that of a receive may be, if it is for one that the front keeps. */
enum musubi_taken musubi_take(struct musubi_receive *r);

/* musubi_send sends a message. It reports false if that is for the core. */
int musubi_send(const void *buffer, int64_t count, int64_t type, int rank, int tag, int64_t comm);

/* musubi_place starts a receive in a place of its own. It returns NULL if that is one for the core. */
struct musubi_receive *musubi_place(void *buffer, int64_t count, int64_t type, int rank, int tag, int64_t comm);

/* musubi_start sets a receive, or a probe. It reports false if it is one for the core. */
int musubi_start(struct musubi_receive *r, void *buffer, int64_t count, const void *type, int source, int tag, const void *comm);

/* musubi_is_for reports whether a message from a lane with an envelope is for a receive, and musubi_has_room whether one of so many bytes
 * fits into its elements, and ends between two. */
int musubi_is_for(const struct musubi_receive *r, const struct musubi_lane *l, uint64_t envelope);
int musubi_has_room(const struct musubi_receive *r, uint64_t bytes);

/* musubi_first_waiting returns the receive that was started first of those that wait for a message, NULL if there is none. */
struct musubi_receive *musubi_first_waiting(const struct musubi_lane *l, uint64_t envelope);

/* musubi_note_sender notes where the message of a receive has come from, and with which tag. */
void musubi_note_sender(struct musubi_receive *r, const struct musubi_lane *l, uint64_t envelope);

/* musubi_take_record receives the next message of a lane if a receive that the front keeps waits for it. */
enum musubi_taken musubi_take_record(struct musubi_lane *l);

/* musubi_of_each does something with the lanes of a communicator, in turn, until one has a message. */
enum musubi_taken musubi_of_each(const struct musubi_comm *c, struct musubi_receive *r, enum musubi_taken (*look)(struct musubi_lane *, struct musubi_receive *));

/* musubi_receive_message receives the next message of a lane. */
struct message;
void musubi_receive_message(struct musubi_lane *l, const struct message *m, struct musubi_receive *r);

/* musubi_pack packs so many bytes of elements of a datatype at an address, in the order of the data, and musubi_unpack puts them there. */
void musubi_pack(const struct musubi_type *t, const void *at, unsigned char *packed, uint64_t bytes);
void musubi_unpack(const struct musubi_type *t, void *at, const unsigned char *packed, uint64_t bytes);

/* musubi_derived_for returns a datatype of the program, NULL if messages of so many elements are for the core. */
const struct musubi_type *musubi_derived_for(const void *datatype, int64_t count);

/* musubi_end_receive takes a complete receive from the program. */
void musubi_end_receive(struct musubi_receive *r);

#pragma GCC visibility pop

/* musubi_pause tells the processor that the program waits. */
static inline void musubi_pause(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

static inline uint64_t musubi_look(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline void musubi_store(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

/* musubi_enter begins a function that uses the lanes, and musubi_leave ends it: they return whether it may, and whether it has carried
 * out what it should. */
static inline int musubi_enter(void) { return !musubi_lanes.shared || musubi_hold(); }

static inline int musubi_leave(int done)
{
    if (musubi_lanes.shared)
        __atomic_store_n(&musubi_lanes.held, 0, __ATOMIC_RELEASE);
    return done;
}

/* musubi_close_lanes gives the core what receives and what message the front keeps, before the core is called. Where threads call at once
 * the core takes them. */
static inline void musubi_close_lanes(void (*adopt)(void))
{
    musubi_lanes.open = 0;
    if (musubi_lanes.started > 0 || musubi_lanes.claimed.lane)
        adopt();
}

#endif

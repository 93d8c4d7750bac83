/* Short collective operations between ranks that share memory, which the front carries out by itself. */
#ifndef MUSUBI_NOTES_H
#define MUSUBI_NOTES_H

#include <stdint.h>

/* Packages live/shm and live/rank have the same types, in notes.go and shared_barrier.go. */

enum { MUSUBI_NOTE_SLOTS = 4, MUSUBI_NOTE_ROUND_SHIFT = 16 };

/* The longest note that lies beside its word, and the longest. */
enum { MUSUBI_SHORT_NOTE = 1 << 10, MUSUBI_LONG_NOTE = 16 << 10 };

struct musubi_note {
    uint64_t word; /* round, and below it the bytes of the note; written last */
    unsigned char data[MUSUBI_SHORT_NOTE];
    unsigned char rest[56];
};

/* A part is where a member posts. */
struct musubi_part {
    struct musubi_note notes[MUSUBI_NOTE_SLOTS];
    unsigned char of_core[128];
    unsigned char longer[MUSUBI_NOTE_SLOTS][MUSUBI_LONG_NOTE];
};

struct musubi_note_state {
    uint64_t round, here, reached;
    uint64_t handed_on; /* 1: the front has posted the note of the operation that it hands on */
};

/* Operations for the core, as they go by messages: their data was too long for notes not long ago, or ranks share processors. */
enum musubi_without { MUSUBI_NO_ALLTOALLV = 1, MUSUBI_NO_SCATTERV = 2, MUSUBI_NO_SCAN = 4 };

/* One step of a reduction: the elements of one member go into those of another. */
struct musubi_step {
    uint32_t from, into;
};

enum { MUSUBI_NOTE_MEMBERS = 128 }; /* at most */

/* The neighbours of this rank in the topology of a communicator. */
struct musubi_near {
    uint64_t sources, destinations;
    int32_t *from;   /* by source: its member, negative if there is none */
    int32_t *before; /* by source: how many before it are the same member */
    int32_t *to;     /* the destinations that are there, in the order of their parts in notes */
    int32_t *part;   /* the number of each among those of the program */
};

/* musubi_notes is what the core tells the front of the notes of a communicator. The steps have the order of the core, so
 * that results have the same bits wherever they come from; the last one leaves the result. */
struct musubi_notes {
    struct musubi_note_state *state;
    struct musubi_part *parts[MUSUBI_NOTE_MEMBERS];
    uint64_t members, own, most; /* bytes that a rank gives at most, or for each other rank */
    uint32_t *sleeping[MUSUBI_NOTE_MEMBERS]; /* words of the members that tell who sleeps, where ranks share processors */
    struct musubi_step in_order[MUSUBI_NOTE_MEMBERS - 1];  /* of MPI_Allreduce */
    struct musubi_step to_own[MUSUBI_NOTE_MEMBERS - 1];    /* of MPI_Reduce to this rank */
    struct musubi_step by_halves[MUSUBI_NOTE_MEMBERS - 1]; /* of MPI_Reduce_scatter */
    uint64_t scan_steps, exscan_steps;
    struct musubi_step scan[MUSUBI_NOTE_MEMBERS - 1];   /* of MPI_Scan at this rank, whose part has the result */
    struct musubi_step exscan[MUSUBI_NOTE_MEMBERS - 1]; /* of MPI_Exscan, where its part has at first that of the rank before */
    uint64_t goes_without; /* sum of enum musubi_without */
    struct musubi_near *near; /* NULL: the communicator has no topology */
};

/* Kinds of elements that the front reduces. Package mpi/internal/reduction has the same numbers. */
enum musubi_kind {
    MUSUBI_INT8 = 3,
    MUSUBI_INT16,
    MUSUBI_INT32,
    MUSUBI_INT64,
    MUSUBI_UINT8 = 8,
    MUSUBI_UINT16,
    MUSUBI_UINT32,
    MUSUBI_UINT64,
    MUSUBI_FLOAT32 = 13,
    MUSUBI_FLOAT64,
    MUSUBI_FLOAT_INT = 64, /* values with an int behind them, as a compiler lays out a struct; only here */
    MUSUBI_DOUBLE_INT,
    MUSUBI_LONG_INT,
    MUSUBI_SHORT_INT,
    MUSUBI_INT_INT
};

#endif

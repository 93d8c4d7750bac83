/* What operations by notes are made of: a rank posts a note, and waits for those of others. */
#ifndef MUSUBI_POSTS_H
#define MUSUBI_POSTS_H

#include "front.h"
#include "mpi.h"
#include "notes.h"
#include "short.h"

#include <string.h>

/* Whose notes a rank waits for: those of one member, or */
enum { ALL = -1, ROOM = -2 /* that all have posted so far that there is room for another one */ };

/* As what a note is awaited: with those of all others, or alone. */
enum awaited { ONE_OF_ALL, SOLE };

static inline struct musubi_note *note_of(const struct musubi_notes *n, uint64_t member)
{
    return &n->parts[member]->notes[n->state->round % MUSUBI_NOTE_SLOTS];
}

/* data_of_note returns where the data of a member's note lies, which has so many bytes. */
static inline unsigned char *data_of_note(const struct musubi_notes *n, uint64_t member, uint64_t bytes)
{
    return bytes > MUSUBI_SHORT_NOTE ? n->parts[member]->longer[n->state->round % MUSUBI_NOTE_SLOTS] : note_of(n, member)->data;
}

static inline int has(const struct musubi_part *p, uint64_t round)
{
    return musubi_look(&p->notes[round % MUSUBI_NOTE_SLOTS].word) >> MUSUBI_NOTE_ROUND_SHIFT >= round;
}

/* have_all reports whether all members have posted in a round, one of the last. */
static inline int have_all(const struct musubi_notes *n, uint64_t round)
{
    for (uint64_t i = 0; i < n->members; i++) {
        if (!has(n->parts[i], round))
            return 0;
    }
    if (n->state->reached < round)
        n->state->reached = round;
    return 1;
}

/* is_room reports whether nobody reads the note any more that the next one overwrites. It looks at the last round but one
 * first, so that it need not look again in the next ones. */
static inline int is_room(const struct musubi_notes *n)
{
    const struct musubi_note_state *s = n->state;
    uint64_t next = s->round + 2, needed = next < MUSUBI_NOTE_SLOTS ? 0 : next - MUSUBI_NOTE_SLOTS;
    return s->reached >= needed || have_all(n, s->round > 0 ? s->round - 1 : 0) || have_all(n, needed);
}

static inline int is_there(const struct musubi_notes *n, int whose)
{
    struct musubi_note_state *s = n->state;
    if (whose == ROOM)
        return is_room(n);
    if (whose != ALL)
        return has(n->parts[whose], s->round);
    for (; s->here < n->members; s->here++) {
        if (!has(n->parts[s->here], s->round))
            return 0;
    }
    s->reached = s->round;
    return 1;
}

/* take_lines takes the lines of this rank's next note back from those who have read the one that is there: so it need not do
 * so when it posts, for which others wait. The note is likely to be as long as that one. */
static inline void take_lines(const struct musubi_notes *n)
{
    enum { LINE = 64, WORD = 8, MOST_AHEAD = 4 * LINE };
    const struct musubi_note_state *s = n->state;
    uint64_t *words = &n->parts[n->own]->notes[(s->round + 1) % MUSUBI_NOTE_SLOTS].word;
    uint64_t bytes = WORD + (*words & ((1 << MUSUBI_NOTE_ROUND_SHIFT) - 1));
    if (bytes > LINE && s->reached + MUSUBI_NOTE_SLOTS - 2 < s->round) /* one may read the note that is there */
        return;
    for (uint64_t at = 0; at < bytes && at < MOST_AHEAD; at += LINE)
        musubi_store(words + at / WORD, words[at / WORD]);
}

/* await waits for the notes of some. A rank that waits for all is one that all wait for. */
static inline int await(const struct musubi_notes *n, int whose)
{
    if (whose == ALL && !musubi_lanes.alone)
        take_lines(n);
    for (int looks = 0; !is_there(n, whose);) {
        if (!musubi_look_again(&looks))
            return 0;
    }
    return 1;
}

/* publish makes the note of a round visible, where members may sleep. Whoever waits for all members, and sleeps, has not seen the last note
 * of the round. Its member sees all. */
static inline void publish(const struct musubi_notes *n, struct musubi_note *note, uint64_t word, enum awaited as)
{
    __atomic_store_n(&note->word, word, __ATOMIC_SEQ_CST);
    if (!is_there(n, ALL) && as != SOLE)
        return;
    for (uint64_t i = 0; i < n->members; i++)
        musubi_wake(n->sleeping[i]);
}

/* open_note begins the note of this rank, of so many bytes, and returns where these go, NULL if there is no room: then the operation is for the
 * core. close_note posts it. */
static inline unsigned char *open_note(const struct musubi_notes *n, uint64_t bytes)
{
    if (!await(n, ROOM))
        return NULL;
    n->state->round++;
    n->state->here = 0;
    return data_of_note(n, n->own, bytes);
}

static inline void close_note(const struct musubi_notes *n, uint64_t bytes, enum awaited as)
{
    struct musubi_note *note = note_of(n, n->own);
    uint64_t word = n->state->round << MUSUBI_NOTE_ROUND_SHIFT | bytes;
    if (musubi_lanes.alone)
        publish(n, note, word, as);
    else
        musubi_store(&note->word, word);
}

/* hand_on leaves the rest of an operation to the core. */
static inline int hand_on(const struct musubi_notes *n)
{
    n->state->handed_on = 1;
    return 0;
}

static inline int end(void)
{
    musubi_lanes.operations++;
    return 1;
}

static inline uint64_t length_of(const struct musubi_note *note) { return note->word & ((1 << MUSUBI_NOTE_ROUND_SHIFT) - 1); }

/* take returns the note of a member that has posted, NULL if it has another length. */
static inline const unsigned char *take(const struct musubi_notes *n, uint64_t member, uint64_t bytes)
{
    return length_of(note_of(n, member)) == bytes ? data_of_note(n, member, bytes) : NULL;
}

/* notes_of returns the notes of a communicator; NULL: the operation is for the core. */
static inline const struct musubi_notes *notes_of(MPI_Comm comm)
{
    const struct musubi_comm *c = musubi_comm_of(comm);
    if (!c || !c->notes)
        return NULL;
    musubi_lanes.left--;
    return musubi_is_due() ? NULL : c->notes;
}

/* Data of a program: bytes in a row. */
struct data {
    unsigned char *at;
    uint64_t bytes;
    int is_plain;
};

/* data_of returns some elements. They are not plain if they have more bytes than most. */
static inline struct data data_of(const void *at, MPI_Count count, MPI_Datatype datatype, uint64_t most)
{
    enum { LEAST_ADDRESS = 4096 }; /* MPI_BOTTOM, MPI_IN_PLACE */
    struct data d = {.at = (unsigned char *)at};
    uint64_t size = musubi_bytes_in_row(datatype);
    if (size == 0 || count < 0 || count > MUSUBI_LONG_NOTE || (uintptr_t)at < LEAST_ADDRESS)
        return d;
    d.bytes = (uint64_t)count * size;
    d.is_plain = d.bytes <= most;
    return d;
}

#endif

/* Records in the rings between ranks that share memory, as package live/shm has them. */
#ifndef MUSUBI_RINGS_H
#define MUSUBI_RINGS_H

#include "short.h"

#include <string.h>

#define MUSUBI_UNLIKELY(condition) __builtin_expect(condition, 0)

/* A structure of many words that a function returns goes through memory, at a cost that shows here. */
#define MUSUBI_INLINE static inline __attribute__((always_inline))

/* A record is a word and a body, in grains of 32 bytes, behind a word that is written last. From the lowest bit the word has 32 bits of what was
 * taken of the other ring, 23 of the bytes of the body, a turn of the common line, the kind, and a turn of the other half. */
enum { WORD = 8, GRAIN = 32, AHEAD = 8 * GRAIN, LINE = 64, LONG = 8 << 10, BYTES_SHIFT = 32, TURN_SHIFT = 55, KIND_SHIFT = 56, ODD_SHIFT = 63 };

enum { TAG_SHIFT = 32 }; /* in an envelope */

static const uint64_t KIND_BITS = UINT64_C(0x7f) << KIND_SHIFT;

static inline uint64_t record_bytes(uint64_t n) { return (n + WORD + GRAIN - 1) & ~(uint64_t)(GRAIN - 1); }
static inline uint64_t body_bytes(uint64_t word) { return word >> BYTES_SHIFT & 0x7fffff; }

static inline uint64_t *word_at(unsigned char *ring, const struct musubi_lane *l, uint64_t position)
{
    return (uint64_t *)(ring + (position & (l->bytes - 1)));
}

/* copy is memcpy, at less cost for a word. */
static inline void copy(void *to, const void *from, uint64_t n)
{
    if (n == WORD)
        memcpy(to, from, WORD);
    else
        memcpy(to, from, n);
}

/* publish lets the other rank see what has been written. If it may sleep its word is to be read behind that. */
static inline void publish(const struct musubi_lane *l, uint64_t *word, uint64_t value)
{
    if (l->sleeping)
        __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
    else
        musubi_store(word, value);
}

static inline void clear_grain(struct musubi_lane *l)
{
    musubi_store(word_at(l->out, l, l->writer->clear), 0);
    l->writer->clear += GRAIN;
}

/* fits reports whether there is room for a record that ends at a position. Before its first record a rank has to
 * enter itself, which the core does: until then more seems to have been taken than was written. */
static inline int fits(const struct musubi_lane *l, uint64_t end)
{
    struct musubi_writer *w = l->writer;
    if (end + GRAIN - w->tail <= l->bytes)
        return 1;
    if (w->tail > w->head)
        return 0;
    w->tail = musubi_look(l->taken_out);
    return end + GRAIN - w->tail <= l->bytes;
}

/* put_word makes a record visible, behind which the next one has no word yet. */
static inline void put_word(struct musubi_lane *l, uint64_t bytes, uint64_t word)
{
    struct musubi_writer *w = l->writer;
    uint64_t end = w->head + bytes;
    if (w->clear <= end) {
        w->clear = end;
        clear_grain(l);
    }
    publish(l, word_at(l->out, l, w->head), word);
    w->head = end;
}

/* has_taken reports whether the other rank has taken all before a position. */
static inline int has_taken(const struct musubi_lane *l, uint64_t position)
{
    struct musubi_writer *w = l->writer;
    if (w->tail < position)
        w->tail = musubi_look(l->taken_out);
    return w->tail >= position;
}

/* take_lines fetches some lines of the next record by writes to them, as package live/shm does. */
static inline void take_lines(struct musubi_lane *l)
{
    enum { LINES_AT_ONCE = 16 };
    struct musubi_writer *w = l->writer;
    uint64_t end = w->head + record_bytes((uint64_t)w->last) + AHEAD, after = (w->head & ~(uint64_t)(LINE - 1)) + LINE;
    if (end > w->tail + l->bytes)
        end = w->tail + l->bytes;
    if (w->own < after)
        w->own = after; /* the other rank looks at the line before */
    for (int lines = 0; lines < LINES_AT_ONCE && w->own < end; lines++, w->own += LINE)
        musubi_store(word_at(l->out, l, w->own), 0);
}

/* pass begins the next lap of the ring for a record of need bytes, if the lap keeps its length: it has at least so many records of that
 * length, and if these are few the other rank has taken half of it. All else about laps is for the core, which is called seldom
 * then: laps of long records, too. It then finds out as well how to copy these. */
static inline int pass(struct musubi_lane *l, uint64_t need)
{
    enum { LEAST_PER_LAP = 3, ENOUGH_PER_LAP = 64, FAR_LAP = 256 << 10, FAR_RECORD = 4 << 10 };
    struct musubi_writer *w = l->writer;
    uint64_t rest = l->bytes - (w->head & (l->bytes - 1)), used = ((w->wall - 1) & (l->bytes - 1)) + 1;
    if (rest == l->bytes || w->lap > FAR_LAP || need > FAR_RECORD || w->longs > 0 || LEAST_PER_LAP * need > used)
        return 0;
    if (ENOUGH_PER_LAP * need > used && !has_taken(l, w->head - (used / 2 < w->head ? used / 2 : w->head)))
        return 0;
    if (!fits(l, w->head + rest + need))
        return 0;
    put_word(l, rest, l->skip | (rest - WORD) << BYTES_SHIFT);
    w->wall = w->head + w->lap;
    return 1;
}

/* write_record sends a message if there is room. */
MUSUBI_INLINE int write_record(struct musubi_lane *l, uint64_t envelope, const void *data, uint64_t bytes)
{
    struct musubi_writer *w = l->writer;
    uint64_t n = WORD + bytes, need = record_bytes(n);
    uint64_t word = l->message | n << BYTES_SHIFT | l->reader->lines << ODD_SHIFT | (uint32_t)l->reader->tail;
    if (need == GRAIN && w->head == w->tail && (w->lines & 1) == w->odd) {
        memcpy(l->line_out->body, &envelope, WORD);
        copy(l->line_out->body + WORD, data, bytes);
        w->lines++;
        publish(l, &l->line_out->word, word | (w->lines & 1) << TURN_SHIFT);
        return 1;
    }
    if ((w->head + need > w->wall && !pass(l, need)) || !fits(l, w->head + need))
        return 0;
    if (need >= LONG)
        w->longs += need;
    uint64_t *at = word_at(l->out, l, w->head);
    memcpy(at + 1, &envelope, WORD);
    copy(at + 2, data, bytes);
    put_word(l, need, word);
    if (need > GRAIN)
        w->last = n;
    while (w->clear < w->head + AHEAD && w->clear - w->tail < l->bytes) {
        clear_grain(l);
        if (need == GRAIN)
            break;
    }
    return 1;
}

/* acknowledge notes what the word of a record says of the other direction. */
static inline void acknowledge(struct musubi_writer *w, uint64_t word)
{
    w->clean += (uint32_t)((uint32_t)word - (uint32_t)w->clean);
    if (w->tail < w->clean)
        w->tail = w->clean;
    w->odd = word >> ODD_SHIFT;
}

static inline int is_lined(const struct musubi_lane *l, uint64_t word) { return (word >> TURN_SHIFT & 1) != (l->reader->lines & 1); }

/* next returns the word of the next record, 0 if there is none. */
static inline uint64_t next(struct musubi_lane *l, int *lined)
{
    uint64_t line = musubi_look(&l->line_in->word);
    if ((*lined = is_lined(l, line)))
        return line;
    uint64_t word = musubi_look(word_at(l->in, l, l->reader->tail));
    if ((word & KIND_BITS) == l->skip) {
        l->reader->tail += record_bytes(body_bytes(word));
        word = musubi_look(word_at(l->in, l, l->reader->tail));
    }
    if (word == 0)
        return 0;
    line = musubi_look(&l->line_in->word);
    return (*lined = is_lined(l, line)) ? line : word; /* what is in the line was written before */
}

/* give_back gives the room of a record back. */
static inline void give_back(struct musubi_lane *l, int lined, uint64_t n)
{
    struct musubi_reader *r = l->reader;
    if (lined) {
        r->lines++;
        return;
    }
    r->tail += record_bytes(n);
    if (r->tail - r->published >= l->flush_bytes) {
        r->published = r->tail;
        publish(l, l->taken_in, r->tail);
        if (l->sleeping && __atomic_load_n(l->sleeping, __ATOMIC_SEQ_CST) == MUSUBI_FOR_ALL)
            musubi_wake(l->sleeping);
    }
}

/* body_of returns the body of the next record. */
static const unsigned char *body_of(const struct musubi_lane *l, int lined)
{
    return lined ? l->line_in->body : (unsigned char *)(word_at(l->in, l, l->reader->tail) + 1);
}

/* A message is the next record of a lane. */
struct message {
    uint64_t word; /* 0: there is none */
    int lined, is_short;
    const unsigned char *body;
    uint64_t envelope, bytes; /* of its data */
};

MUSUBI_INLINE struct message next_message(struct musubi_lane *l)
{
    struct message m = {0};
    m.word = next(l, &m.lined);
    uint64_t n = body_bytes(m.word);
    m.is_short = (m.word & KIND_BITS) == l->message && n >= WORD && n <= l->longest_in;
    if (m.is_short) {
        m.body = body_of(l, m.lined);
        m.bytes = n - WORD;
        memcpy(&m.envelope, m.body, WORD);
    }
    return m;
}

#endif

/* Short messages between ranks that share memory. To go into Go and back takes longer than such a message
 * does. So the core opens lanes when it returns from a call and nothing is under way: until the next call
 * of it the front writes records to the rings, and takes those that a receive waits for, by
 * itself. All that is not plain is for the core: no room, another message than the one that is wanted, a datatype with
 * gaps, wildcards, errors. What is done here is what package live/shm does. */
#define _GNU_SOURCE
#include "short.h"
#include "front.h"
#include "mpi.h"

#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct musubi_lanes musubi_lanes;

/* A structure of many words that a function returns goes through memory, at a cost that shows here. */
#define UNLIKELY(condition) __builtin_expect(condition, 0)
#define INLINE static inline __attribute__((always_inline))

static int64_t first; /* of the receives, before which none waits */

static __thread int done_already __attribute__((tls_model("initial-exec")));

/* A record is a word and a body, in grains of 32 bytes, behind a word that is written last. From the lowest bit the word has 32 bits of what was
 * taken of the other ring, 23 of the bytes of the body, a turn of the common line, the kind, and a turn of the other half. */
enum { WORD = 8, GRAIN = 32, AHEAD = 8 * GRAIN, BYTES_SHIFT = 32, TURN_SHIFT = 55, KIND_SHIFT = 56, ODD_SHIFT = 63 };

enum { TAG_SHIFT = 32 }; /* in an envelope */

static const uint64_t KIND_BITS = UINT64_C(0x7f) << KIND_SHIFT;

static uint64_t record_bytes(uint64_t n) { return (n + WORD + GRAIN - 1) & ~(uint64_t)(GRAIN - 1); }
static uint64_t body_bytes(uint64_t word) { return word >> BYTES_SHIFT & 0x7fffff; }

static uint64_t *word_at(unsigned char *ring, const struct musubi_lane *l, uint64_t position)
{
    return (uint64_t *)(ring + (position & (l->bytes - 1)));
}

/* A move copies the bytes of a block to or from packed data. */
INLINE void move_block(unsigned char *memory, unsigned char *packed, uint64_t n, int packs)
{
    unsigned char *to = packs ? packed : memory, *from = packs ? memory : packed;
    switch (n) {
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    case 16: memcpy(to, from, 16); break;
    default: memcpy(to, from, n);
    }
}

/* move copies so many bytes of elements of a datatype at an address to or from packed data, in the order of the data. */
INLINE void move(const struct musubi_type *t, unsigned char *at, unsigned char *packed, uint64_t left, int packs)
{
    for (; left > 0; at += t->extent) {
        for (int64_t i = 0; i < t->used && left > 0; i++) {
            const struct musubi_blocks *b = &t->blocks[i];
            unsigned char *block = at + b->at;
            for (int64_t k = 0; k < b->count && left > 0; k++, block += b->stride) {
                uint64_t n = (uint64_t)b->bytes < left ? (uint64_t)b->bytes : left;
                move_block(block, packed, n, packs);
                packed += n;
                left -= n;
            }
        }
    }
}

static __attribute__((noinline)) void pack(const struct musubi_type *t, const void *at, unsigned char *packed, uint64_t bytes) { move(t, (unsigned char *)at, packed, bytes, 1); }
static __attribute__((noinline)) void unpack(const struct musubi_type *t, void *at, const unsigned char *packed, uint64_t bytes) { move(t, at, (unsigned char *)packed, bytes, 0); }

/* copy is memcpy, at less cost for a word. */
static void copy(void *to, const void *from, uint64_t n)
{
    if (n == WORD)
        memcpy(to, from, WORD);
    else
        memcpy(to, from, n);
}

/* publish lets the other rank see what has been written. If it may sleep its word is to be read behind that. */
static void publish(const struct musubi_lane *l, uint64_t *word, uint64_t value)
{
    if (l->sleeping)
        __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
    else
        musubi_store(word, value);
}

static void clear_grain(struct musubi_lane *l)
{
    musubi_store(word_at(l->out, l, l->writer->clear), 0);
    l->writer->clear += GRAIN;
}

/* fits reports whether there is room for a record that ends at a position. Before its first record a rank has to
 * enter itself, which the core does: until then more seems to have been taken than was written. */
static int fits(const struct musubi_lane *l, uint64_t end)
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
static void put_word(struct musubi_lane *l, uint64_t bytes, uint64_t word)
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
static int has_taken(const struct musubi_lane *l, uint64_t position)
{
    struct musubi_writer *w = l->writer;
    if (w->tail < position)
        w->tail = musubi_look(l->taken_out);
    return w->tail >= position;
}

/* pass begins the next lap of the ring for a record of need bytes, if the lap keeps its length: it has at least so many records of that
 * length, and if these are few the other rank has taken half of it. All else about laps is for the core, which is called seldom
 * then: laps that long records have made longer, too. */
static int pass(struct musubi_lane *l, uint64_t need)
{
    enum { LEAST_PER_LAP = 3, ENOUGH_PER_LAP = 64, FAR_LAP = 256 << 10 };
    struct musubi_writer *w = l->writer;
    uint64_t rest = l->bytes - (w->head & (l->bytes - 1)), used = ((w->wall - 1) & (l->bytes - 1)) + 1;
    if (rest == l->bytes || w->lap > FAR_LAP || LEAST_PER_LAP * need > used)
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
INLINE int write_record(struct musubi_lane *l, uint64_t envelope, const void *data, uint64_t bytes)
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
static void acknowledge(struct musubi_writer *w, uint64_t word)
{
    w->clean += (uint32_t)((uint32_t)word - (uint32_t)w->clean);
    if (w->tail < w->clean)
        w->tail = w->clean;
    w->odd = word >> ODD_SHIFT;
}

static int is_lined(const struct musubi_lane *l, uint64_t word) { return (word >> TURN_SHIFT & 1) != (l->reader->lines & 1); }

/* next returns the word of the next record, 0 if there is none. */
static uint64_t next(struct musubi_lane *l, int *lined)
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
static void give_back(struct musubi_lane *l, int lined, uint64_t n)
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

/* is_for reports whether a message from a lane with an envelope is for a receive. */
static int is_for(const struct musubi_receive *r, const struct musubi_lane *l, uint64_t envelope)
{
    return ((envelope ^ r->envelope) & r->fixed) == 0 && (r->lane == l || !r->lane);
}

/* first_waiting returns the receive that was started first of those that wait for a message, NULL if there is none. */
static struct musubi_receive *first_waiting(const struct musubi_lane *l, uint64_t envelope)
{
    for (int64_t i = first; i < musubi_lanes.started; i++) {
        struct musubi_receive *r = &musubi_lanes.receives[i];
        if (r->state == MUSUBI_WAITING && is_for(r, l, envelope))
            return r;
    }
    return NULL;
}

/* note_sender notes where the message of a receive has come from, and with which tag. */
static void note_sender(struct musubi_receive *r, const struct musubi_lane *l, uint64_t envelope)
{
    r->tag = envelope >> TAG_SHIFT;
    if (r->lane)
        return;
    for (r->source = 0; r->of->to[r->source] != l;)
        r->source++;
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

INLINE struct message next_message(struct musubi_lane *l)
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

/* receive receives a message. */
static void receive(struct musubi_lane *l, const struct message *m, struct musubi_receive *r)
{
    if (UNLIKELY(r->type != NULL))
        unpack(r->type, (void *)r->buffer, m->body + WORD, m->bytes);
    else
        copy((void *)r->buffer, m->body + WORD, m->bytes);
    acknowledge(l->writer, m->word);
    give_back(l, m->lined, WORD + m->bytes);
    note_sender(r, l, m->envelope);
    r->state = MUSUBI_COMPLETE;
    r->bytes = m->bytes;
    while (first < musubi_lanes.started && musubi_lanes.receives[first].state != MUSUBI_WAITING)
        first++;
    musubi_lanes.messages++;
}

/* has_room reports whether a message of so many bytes fits into the elements of a receive, and ends between two. */
static int has_room(const struct musubi_receive *r, uint64_t bytes)
{
    return bytes <= (uint64_t)r->room && (!UNLIKELY(r->type != NULL) || bytes % (uint64_t)r->type->whole == 0);
}

/* take_record receives the next message if one of the receives waits for it, or else the one that blocks, if
 * there is one. */
static enum musubi_taken take_record(struct musubi_lane *l, struct musubi_receive *blocking)
{
    struct message m = next_message(l);
    if (m.word == 0)
        return MUSUBI_NOTHING;
    if (!m.is_short || l == musubi_lanes.claimed.lane)
        return MUSUBI_ANOTHER;
    struct musubi_receive *r = first_waiting(l, m.envelope);
    if (!r && blocking && is_for(blocking, l, m.envelope))
        r = blocking;
    if (!r || !has_room(r, m.bytes))
        return MUSUBI_ANOTHER;
    receive(l, &m, r);
    return MUSUBI_TAKEN;
}

/* of_each does the same with the lanes of a communicator, in turn, until one has a message. */
static enum musubi_taken of_each(const struct musubi_comm *c, struct musubi_receive *r, enum musubi_taken (*look)(struct musubi_lane *, struct musubi_receive *))
{
    static uint64_t turn;
    for (uint64_t i = 0; i < c->ranks; i++) {
        struct musubi_lane *l = c->to[turn = turn + 1 < c->ranks ? turn + 1 : 0];
        enum musubi_taken taken = l ? look(l, r) : MUSUBI_NOTHING;
        if (taken != MUSUBI_NOTHING)
            return taken;
    }
    return MUSUBI_NOTHING;
}

/* take takes a message from where that of a receive may come. */
static enum musubi_taken take(struct musubi_receive *r, struct musubi_receive *blocking)
{
    return r->lane ? take_record(r->lane, blocking) : of_each(r->of, blocking, take_record);
}

enum musubi_taken musubi_take(struct musubi_receive *r) { return take(r, NULL); }

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

int musubi_done_already(void)
{
    int done = done_already;
    done_already = 0;
    return done;
}

int musubi_hand_on(int done)
{
    done_already = done;
    return 0;
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

/* wait_for takes messages until a receive is complete. It reports false if that takes long or something else has
 * come. The core would have to take over all receives, so the front waits for as long as the core would before it
 * lets other programs run. */
static int wait_for(struct musubi_receive *r, struct musubi_receive *blocking)
{
    for (int looks = 0; r->state == MUSUBI_WAITING;) {
        enum musubi_taken taken = take(r, blocking);
        if (taken == MUSUBI_TAKEN)
            continue;
        if (taken == MUSUBI_ANOTHER || !musubi_look_again(&looks))
            return 0;
    }
    return 1;
}

int musubi_wait_for(struct musubi_receive *r) { return wait_for(r, NULL); }

/* Whom a message goes to, or comes from. */
enum peer { OF_CORE /* the core sees to it */, OF_LANE, OF_ANY, OF_NOBODY };

/* A transfer is what a call says of a message. */
struct transfer {
    enum peer peer;
    struct musubi_comm *of;
    struct musubi_lane *lane;
    uint64_t envelope, fixed, bytes;
    const struct musubi_type *type; /* NULL: it is bytes in a row */
};

static enum peer peer_of(const struct musubi_comm *c, int rank)
{
    if ((unsigned)rank < c->ranks)
        return c->to[rank] ? OF_LANE : OF_CORE;
    if (rank == MPI_PROC_NULL)
        return OF_NOBODY;
    return rank == MPI_ANY_SOURCE && c->reaches_all ? OF_ANY : OF_CORE;
}

/* derived_of returns a datatype of the program, NULL if messages of so many elements are for the core. */
static __attribute__((noinline)) const struct musubi_type *derived_of(MPI_Datatype datatype, MPI_Count count)
{
    const struct musubi_type *t = musubi_derived((uintptr_t)datatype);
    return t && (t->is_row || count <= MUSUBI_LONGEST_DERIVED) ? t : NULL;
}

INLINE struct transfer transfer_of(const void *buffer, MPI_Count count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm)
{
    enum { LEAST_ADDRESS = 4096 };
    const MPI_Count most = INT64_C(1) << 48; /* so that the bytes fit into a word */
    struct transfer t = {0};
    if (!(t.of = musubi_comm_of(comm)) || count < 0 || count > most || (tag < 0 && tag != MPI_ANY_TAG))
        return t;
    uintptr_t type = (uintptr_t)datatype - MUSUBI_FIRST_TYPE;
    uint64_t size;
    if (UNLIKELY(type >= MUSUBI_TYPES)) {
        const struct musubi_type *derived = derived_of(datatype, count);
        if (!derived)
            return t;
        t.type = derived->is_row ? NULL : derived;
        size = (uint64_t)derived->size;
    } else {
        size = musubi_lanes.sizes[type];
    }
    if (size == 0 || (count > 0 && (uintptr_t)buffer < LEAST_ADDRESS))
        return t;
    if (musubi_lanes.started == 0)
        first = 0;
    musubi_lanes.left--;
    t.peer = peer_of(t.of, rank);
    t.lane = t.peer == OF_LANE ? t.of->to[rank] : NULL;
    t.envelope = t.of->envelope | (uint64_t)(uint32_t)tag << TAG_SHIFT;
    t.fixed = tag == MPI_ANY_TAG ? (UINT64_C(1) << TAG_SHIFT) - 1 : UINT64_MAX;
    t.bytes = (uint64_t)count * size;
    return t;
}

int musubi_is_due(void)
{
    if (musubi_lanes.left > 0)
        return 0;
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

void musubi_end_receive(struct musubi_receive *r)
{
    r->state = MUSUBI_ENDED;
    if (r->made_of) {
        r->made_of->is_active = 0;
        r->made_of = NULL;
        r->handle = r->own_handle;
    }
    if (--musubi_lanes.pending == 0)
        musubi_lanes.started = first = 0;
}

static int is_due(void) { return musubi_lanes.started == 0 && musubi_is_due(); }

int musubi_is_due_between(void) { return is_due(); }

/* note notes that the program sends a message. */
static void note(MPI_Comm comm, int dest, int tag)
{
    struct musubi_sent *sent = &musubi_lanes.log.last[++musubi_lanes.log.count % MUSUBI_SENT];
    sent->comm = (intptr_t)comm;
    sent->to = dest;
    sent->tag = tag;
    sent->take_back = 0;
}

/* write_packed packs data before it sends that. */
static __attribute__((noinline)) int write_packed(struct musubi_lane *l, uint64_t envelope, const void *data, uint64_t bytes, const struct musubi_type *type)
{
    unsigned char packed[MUSUBI_LONGEST_DERIVED];
    if (bytes > sizeof packed)
        return 0;
    pack(type, data, packed, bytes);
    return write_record(l, envelope, packed, bytes);
}

/* write_message sends a message. It reports false if that is for the core. */
static int write_message(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    struct transfer t = transfer_of(buffer, count, datatype, dest, tag, comm);
    if (t.peer == OF_NOBODY && tag >= 0)
        return 1;
    if (t.peer != OF_LANE || tag < 0 || t.bytes + WORD > t.lane->longest)
        return 0;
    if (!(UNLIKELY(t.type != NULL) ? write_packed(t.lane, t.envelope, buffer, t.bytes, t.type) : write_record(t.lane, t.envelope, buffer, t.bytes)))
        return 0;
    if (t.lane->sleeping)
        musubi_wake(t.lane->sleeping);
    musubi_lanes.messages++;
    note(comm, dest, tag);
    return 1;
}

int musubi_send(const void *buffer, int64_t count, int64_t type, int rank, int tag, int64_t comm)
{
    return write_message(buffer, count, (MPI_Datatype)type, rank, tag, (MPI_Comm)comm);
}

int musubi_short_Send(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return !is_due() && write_message(buffer, count, datatype, dest, tag, comm);
}

int musubi_short_Rsend(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return musubi_short_Send(buffer, count, datatype, dest, tag, comm);
}

/* A message to nobody has the number of one that was sent so long ago that it cannot be cancelled. */
int musubi_short_Isend(const void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (!write_message(buffer, count, datatype, dest, tag, comm))
        return 0;
    uint64_t number = musubi_lanes.log.count - (dest == MPI_PROC_NULL ? MUSUBI_SENT : 0);
    *request = (MPI_Request)(musubi_lanes.sent | (int64_t)(number << 32));
    return 1;
}

/* start sets a receive. It reports false if it is one for the core. */
INLINE int start(struct musubi_receive *r, void *buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm)
{
    struct transfer t = transfer_of(buffer, count, datatype, source, tag, comm);
    r->state = t.peer == OF_NOBODY ? MUSUBI_COMPLETE : MUSUBI_WAITING;
    r->comm = (intptr_t)comm;
    r->source = source;
    r->tag = t.peer == OF_NOBODY ? MPI_ANY_TAG : tag;
    r->buffer = (int64_t)buffer;
    r->room = t.bytes;
    r->bytes = 0;
    r->envelope = t.envelope;
    r->fixed = t.fixed;
    r->lane = t.lane;
    r->of = t.of;
    r->type = t.type;
    if (UNLIKELY(t.type != NULL)) {
        r->type_handle = t.type->handle;
        r->count = count;
    }
    return t.peer != OF_CORE;
}

int musubi_short_Recv(void *buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct musubi_receive r;
    if (is_due() || !start(&r, buffer, count, datatype, source, tag, comm) || !wait_for(&r, &r))
        return 0;
    musubi_put_status(status, r.source, r.tag, r.bytes);
    return 1;
}

int musubi_short_Sendrecv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    struct musubi_receive r;
    if (is_due() || !start(&r, recvbuf, recvcount, recvtype, source, recvtag, comm) || !write_message(sendbuf, sendcount, sendtype, dest, sendtag, comm))
        return 0;
    if (!wait_for(&r, &r))
        return musubi_hand_on(1);
    musubi_put_status(status, r.source, r.tag, r.bytes);
    return 1;
}

/* What is sent has been copied before anything is received. */
int musubi_short_Sendrecv_replace(void *buffer, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    return musubi_short_Sendrecv(buffer, count, datatype, dest, sendtag, buffer, count, datatype, source, recvtag, comm, status);
}

/* place starts a receive in a place of its own. It returns NULL if that is one for the core. */
INLINE struct musubi_receive *place(void *buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm)
{
    struct musubi_receive *r = &musubi_lanes.receives[musubi_lanes.started];
    if (!musubi_lanes.open || musubi_lanes.started == MUSUBI_RECEIVES || !start(r, buffer, count, datatype, source, tag, comm))
        return NULL;
    r->sent = 0;
    musubi_lanes.started++;
    musubi_lanes.pending++;
    return r;
}

int musubi_short_Irecv(void *buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    struct musubi_receive *r = place(buffer, count, datatype, source, tag, comm);
    if (!r)
        return 0;
    *request = (MPI_Request)r->handle;
    return 1;
}

struct musubi_receive *musubi_place(void *buffer, int64_t count, int64_t type, int rank, int tag, int64_t comm)
{
    return place(buffer, count, (MPI_Datatype)type, rank, tag, (MPI_Comm)comm);
}

/* look_for is take_record for a probe, which leaves the message that it has found. */
static enum musubi_taken look_for(struct musubi_lane *l, struct musubi_receive *probe)
{
    struct message m = next_message(l);
    if (m.word == 0)
        return MUSUBI_NOTHING;
    if (!m.is_short || l == musubi_lanes.claimed.lane || first_waiting(l, m.envelope) || !is_for(probe, l, m.envelope))
        return take_record(l, NULL);
    note_sender(probe, l, m.envelope);
    probe->bytes = m.bytes;
    probe->state = MUSUBI_COMPLETE;
    return MUSUBI_TAKEN;
}

/* start_probe sets a probe. It reports false if that is one for the core. */
static int start_probe(struct musubi_receive *probe, int source, int tag, MPI_Comm comm) { return start(probe, NULL, 0, MPI_BYTE, source, tag, comm); }

static enum musubi_taken look(struct musubi_receive *probe)
{
    return probe->lane ? look_for(probe->lane, probe) : of_each(probe->of, probe, look_for);
}

/* await_probe waits until a probe has found its message. It reports false if that is for the core. */
static int await_probe(struct musubi_receive *probe)
{
    for (int looks = 0; probe->state == MUSUBI_WAITING;) {
        enum musubi_taken taken = look(probe);
        if (taken == MUSUBI_ANOTHER || (taken == MUSUBI_NOTHING && !musubi_look_again(&looks)))
            return 0;
    }
    return 1;
}

int musubi_short_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct musubi_receive probe;
    if (is_due() || !start_probe(&probe, source, tag, comm) || !await_probe(&probe))
        return 0;
    musubi_put_status(status, probe.source, probe.tag, probe.bytes);
    return 1;
}

/* look_now looks for the message of a probe without waiting for it. It reports false if that is for the core. */
static int look_now(struct musubi_receive *probe)
{
    enum musubi_taken taken = MUSUBI_TAKEN;
    while (probe->state == MUSUBI_WAITING && taken == MUSUBI_TAKEN)
        taken = look(probe);
    return taken != MUSUBI_ANOTHER;
}

int musubi_short_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    struct musubi_receive probe;
    if (!musubi_may_test() || !flag || !start_probe(&probe, source, tag, comm) || !look_now(&probe))
        return 0;
    *flag = probe.state == MUSUBI_COMPLETE;
    if (*flag)
        musubi_put_status(status, probe.source, probe.tag, probe.bytes);
    return 1;
}

/* may_claim reports whether a matched probe may be one for the front, which keeps one message. */
static int may_claim(int source, const MPI_Message *message) { return message && source != MPI_PROC_NULL && !musubi_lanes.claimed.lane; }

/* claim keeps the message that a probe has found. */
static void claim(const struct musubi_receive *probe, MPI_Message *message, MPI_Status *status)
{
    struct musubi_claimed *c = &musubi_lanes.claimed;
    c->lane = probe->of->to[probe->source];
    c->comm = probe->comm;
    c->source = probe->source;
    c->tag = probe->tag;
    *message = (MPI_Message)c->handle;
    musubi_put_status(status, probe->source, probe->tag, probe->bytes);
}

int musubi_short_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    struct musubi_receive probe;
    if (is_due() || !may_claim(source, message) || !start_probe(&probe, source, tag, comm) || !await_probe(&probe))
        return 0;
    claim(&probe, message, status);
    return 1;
}

int musubi_short_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    struct musubi_receive probe;
    if (!musubi_may_test() || !flag || !may_claim(source, message) || !start_probe(&probe, source, tag, comm) || !look_now(&probe))
        return 0;
    *flag = probe.state == MUSUBI_COMPLETE;
    *message = MPI_MESSAGE_NULL;
    if (*flag)
        claim(&probe, message, status);
    return 1;
}

int musubi_short_Mrecv(void *buffer, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
    struct musubi_claimed *c = &musubi_lanes.claimed;
    struct musubi_receive r;
    if (!message || !c->lane || *message != (MPI_Message)c->handle || !start(&r, buffer, count, datatype, c->source, c->tag, (MPI_Comm)c->comm))
        return 0;
    struct message m = next_message(c->lane);
    if (!has_room(&r, m.bytes))
        return 0;
    receive(c->lane, &m, &r);
    c->lane = NULL;
    *message = MPI_MESSAGE_NULL;
    musubi_put_status(status, r.source, r.tag, r.bytes);
    return 1;
}

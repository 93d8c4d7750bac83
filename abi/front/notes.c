/* Short collective operations between ranks that share memory. Each rank posts a note, waits for the notes that it needs, and
 * takes from them what is for it, as package mpi/internal/collective does. So for each operation each rank may decide whether it goes
 * into Go. What is not plain is for the core: long data, datatypes with gaps, operations of
 * the program's own, errors. If notes do not come soon, or not as expected, the core goes on with the operation behind the note
 * that is posted. */
#include "posts.h"

/* post posts the note of this rank. It reports false if the operation is for the core. */
static int post_as(const struct musubi_notes *n, const void *data, uint64_t bytes, enum awaited as)
{
    unsigned char *into = open_note(n, bytes);
    if (!into)
        return 0;
    memcpy(into, data, bytes);
    close_note(n, bytes, as);
    return 1;
}

static int post(const struct musubi_notes *n, const void *data, uint64_t bytes) { return post_as(n, data, bytes, ONE_OF_ALL); }

/* for_each is how many bytes a rank has at most for all members together. */
static uint64_t for_each(const struct musubi_notes *n)
{
    uint64_t most = n->members * n->most;
    return most < MUSUBI_LONG_NOTE ? most : MUSUBI_LONG_NOTE;
}

static int is_rank(const struct musubi_notes *n, int root) { return root >= 0 && (uint64_t)root < n->members; }

int musubi_short_Barrier(MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n || !post(n, "", 0))
        return 0;
    return await(n, ALL) ? end() : hand_on(n);
}

int musubi_short_Bcast(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n || !is_rank(n, root))
        return 0;
    struct data d = data_of(buffer, count, datatype, n->most);
    if (!d.is_plain)
        return 0;
    if ((uint64_t)root == n->own)
        return post_as(n, d.at, d.bytes, SOLE) && end();
    if (!post(n, "", 0))
        return 0;
    const unsigned char *note = await(n, root) ? take(n, root, d.bytes) : NULL;
    if (!note)
        return hand_on(n);
    memcpy(d.at, note, d.bytes);
    return end();
}

/* take_equal copies what all members give, one behind the other. */
static int take_equal(const struct musubi_notes *n, unsigned char *into, const struct data *given)
{
    if (!await(n, ALL))
        return hand_on(n);
    for (uint64_t i = 0; i < n->members; i++, into += given->bytes) {
        const unsigned char *note = i == n->own ? given->at : take(n, i, given->bytes);
        if (!note)
            return hand_on(n);
        if (note != into) /* MPI_IN_PLACE */
            memcpy(into, note, given->bytes);
    }
    return end();
}

/* at_place returns one of several parts of the same length. */
static struct data at_place(const struct data *part, uint64_t place)
{
    return (struct data){.at = part->at + place * part->bytes, .bytes = part->bytes, .is_plain = part->is_plain};
}

/* is_copied reports whether data is plain and as long as that of another place. */
static int is_copied(const struct data *d, const struct data *other)
{
    return d->is_plain && other->is_plain && d->bytes == other->bytes && d->at != other->at;
}

/* counterpart returns what a rank gives, by its part of the result, or gets, by its part of what all get: that itself with
 * MPI_IN_PLACE. It is not plain if one is no copy of the other. */
static struct data counterpart(struct data own, const void *at, MPI_Count count, MPI_Datatype datatype, uint64_t most)
{
    if (at == MPI_IN_PLACE)
        return own;
    struct data d = data_of(at, count, datatype, most);
    d.is_plain = is_copied(&d, &own);
    return d;
}

/* give posts what a rank has for the root. */
static int give(const struct musubi_notes *n, const void *at, MPI_Count count, MPI_Datatype datatype)
{
    struct data given = data_of(at, count, datatype, n->most);
    return given.is_plain && post(n, given.at, given.bytes) && end();
}

int musubi_short_Gather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n || !is_rank(n, root))
        return 0;
    if ((uint64_t)root != n->own)
        return give(n, sendbuf, sendcount, sendtype);
    struct data part = data_of(recvbuf, recvcount, recvtype, n->most);
    struct data given = counterpart(at_place(&part, n->own), sendbuf, sendcount, sendtype, n->most);
    return given.is_plain && post(n, given.at, given.bytes) && take_equal(n, part.at, &given);
}

int musubi_short_Allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n)
        return 0;
    struct data part = data_of(recvbuf, recvcount, recvtype, n->most);
    struct data given = counterpart(at_place(&part, n->own), sendbuf, sendcount, sendtype, n->most);
    return given.is_plain && post(n, given.at, given.bytes) && take_equal(n, part.at, &given);
}

/* Parts of different lengths, one for each member, in elements of one datatype. */
struct parts {
    struct data element;
    uint64_t most; /* bytes of each */
    MPI_Datatype datatype;
    struct musubi_list counts, places;
};

static struct data part_of(const struct parts *p, uint64_t member)
{
    return data_of(p->element.at + musubi_in(p->places, member) * (int64_t)p->element.bytes, musubi_in(p->counts, member), p->datatype, p->most);
}

/* parts_of returns parts in memory of the program. They are not plain if one of them is not. */
static struct parts parts_of(const struct musubi_notes *n, const void *at, struct musubi_list counts, struct musubi_list places, MPI_Datatype datatype)
{
    struct parts p = {.element = data_of(at, 1, datatype, n->most), .most = n->most, .datatype = datatype, .counts = counts, .places = places};
    p.element.is_plain = p.element.is_plain && counts.at && places.at;
    for (uint64_t i = 0; p.element.is_plain && i < n->members; i++)
        p.element.is_plain = part_of(&p, i).is_plain;
    return p;
}

/* take_parts copies what all members give to their parts. */
static int take_parts(const struct musubi_notes *n, const struct parts *p, const struct data *given)
{
    if (!await(n, ALL))
        return hand_on(n);
    for (uint64_t i = 0; i < n->members; i++) {
        struct data part = part_of(p, i);
        const unsigned char *note = i == n->own ? given->at : take(n, i, part.bytes);
        if (!note)
            return hand_on(n);
        if (note != part.at) /* MPI_IN_PLACE */
            memcpy(part.at, note, part.bytes);
    }
    return end();
}

int musubi_short_Allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, struct musubi_list recvcounts, struct musubi_list displs, MPI_Datatype recvtype, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n)
        return 0;
    struct parts into = parts_of(n, recvbuf, recvcounts, displs, recvtype);
    if (!into.element.is_plain)
        return 0;
    struct data given = counterpart(part_of(&into, n->own), sendbuf, sendcount, sendtype, n->most);
    return given.is_plain && post(n, given.at, given.bytes) && take_parts(n, &into, &given);
}

int musubi_short_Gatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, struct musubi_list recvcounts, struct musubi_list displs, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n || !is_rank(n, root))
        return 0;
    if ((uint64_t)root != n->own)
        return give(n, sendbuf, sendcount, sendtype);
    struct parts into = parts_of(n, recvbuf, recvcounts, displs, recvtype);
    if (!into.element.is_plain)
        return 0;
    struct data given = counterpart(part_of(&into, n->own), sendbuf, sendcount, sendtype, n->most);
    return given.is_plain && post(n, "", 0) && take_parts(n, &into, &given);
}

int musubi_short_Scatter(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n || !is_rank(n, root))
        return 0;
    uint64_t most = for_each(n) / n->members;
    if ((uint64_t)root == n->own) {
        struct data part = data_of(sendbuf, sendcount, sendtype, most), own = at_place(&part, n->own);
        struct data result = counterpart(own, recvbuf, recvcount, recvtype, most);
        if (!result.is_plain || !post_as(n, part.at, part.bytes * n->members, SOLE))
            return 0;
        if (result.at != own.at)
            memcpy(result.at, own.at, own.bytes);
        return end();
    }
    struct data result = data_of(recvbuf, recvcount, recvtype, most);
    uint64_t all = result.bytes * n->members;
    if (!result.is_plain || !post(n, "", 0))
        return 0;
    const unsigned char *note = await(n, root) ? take(n, root, all) : NULL;
    if (!note)
        return hand_on(n);
    memcpy(result.at, note + n->own * result.bytes, result.bytes);
    return end();
}

/* exchange_two is an alltoall of two ranks, whose notes have only what is for the other one. */
static int exchange_two(const struct musubi_notes *n, const unsigned char *given, unsigned char *taken, uint64_t bytes)
{
    uint64_t own = n->own * bytes, other = bytes - own;
    if (!post(n, given + other, bytes))
        return 0;
    const unsigned char *note = await(n, ALL) ? take(n, 1 - n->own, bytes) : NULL;
    if (!note)
        return hand_on(n);
    if (taken != given) /* MPI_IN_PLACE */
        memcpy(taken + own, given + own, bytes);
    memcpy(taken + other, note, bytes);
    return end();
}

int musubi_short_Alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n)
        return 0;
    uint64_t most = for_each(n) / n->members;
    struct data part = data_of(recvbuf, recvcount, recvtype, most), given = counterpart(part, sendbuf, sendcount, sendtype, most);
    if (!given.is_plain)
        return 0;
    if (n->members == 2)
        return exchange_two(n, given.at, part.at, given.bytes);
    uint64_t all = given.bytes * n->members;
    if (!post(n, given.at, all))
        return 0;
    if (!await(n, ALL))
        return hand_on(n);
    for (uint64_t i = 0; i < n->members; i++) {
        const unsigned char *note = take(n, i, all);
        if (!note)
            return hand_on(n);
        memcpy(part.at + i * part.bytes, note + n->own * part.bytes, part.bytes);
    }
    return end();
}

/* exchange_parts_of_two is an alltoallv of two ranks, whose notes have only what is for the other one. */
static int exchange_parts_of_two(const struct musubi_notes *n, const struct parts *from, const struct parts *into)
{
    struct data given = part_of(from, 1 - n->own), part = part_of(into, 1 - n->own), own = part_of(from, n->own);
    if (!post(n, given.at, given.bytes))
        return 0;
    const unsigned char *note = await(n, ALL) ? take(n, 1 - n->own, part.bytes) : NULL;
    if (!note)
        return hand_on(n);
    if (from != into)
        memcpy(part_of(into, n->own).at, own.at, own.bytes);
    memcpy(part.at, note, part.bytes);
    return end();
}

/* A note with parts for all members says that these follow, how long they are, and then has the parts. The member's own is in it
 * without data. */
enum { PARTS_FOLLOW = 0, LENGTH_BYTES = 2 };

static uint64_t length_in(const unsigned char *note, uint64_t member)
{
    const unsigned char *at = note + 1 + LENGTH_BYTES * member;
    return at[0] | (uint64_t)at[1] << 8;
}

/* pack_parts puts such a note together. It returns its length, 0 if it would be too long for the front. */
static uint64_t pack_parts(const struct musubi_notes *n, const struct parts *from, unsigned char *note)
{
    uint64_t at = 1 + LENGTH_BYTES * n->members;
    note[0] = PARTS_FOLLOW;
    for (uint64_t i = 0; i < n->members; i++) {
        struct data part = part_of(from, i);
        uint64_t bytes = i == n->own ? 0 : part.bytes;
        if (at + bytes > MUSUBI_LONG_NOTE)
            return 0;
        note[1 + LENGTH_BYTES * i] = (unsigned char)bytes;
        note[2 + LENGTH_BYTES * i] = (unsigned char)(bytes >> 8);
        memcpy(note + at, part.at, bytes);
        at += bytes;
    }
    return at;
}

/* unpack_part returns what the note of a member has for this one, NULL if it is not of so many bytes, or the note is one for the core. */
static const unsigned char *unpack_part(const struct musubi_notes *n, uint64_t member, uint64_t bytes)
{
    uint64_t length = length_of(note_of(n, member)), at = 1 + LENGTH_BYTES * n->members;
    const unsigned char *note = data_of_note(n, member, length);
    if (length < at || note[0] != PARTS_FOLLOW || length_in(note, n->own) != bytes)
        return NULL;
    for (uint64_t i = 0; i < n->own; i++)
        at += length_in(note, i);
    return note + at;
}

int musubi_short_Alltoallv(const void *sendbuf, struct musubi_list sendcounts, struct musubi_list sdispls, MPI_Datatype sendtype, void *recvbuf, struct musubi_list recvcounts, struct musubi_list rdispls, MPI_Datatype recvtype, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n || n->goes_without & MUSUBI_NO_ALLTOALLV)
        return 0;
    int in_place = sendbuf == MPI_IN_PLACE;
    struct parts into = parts_of(n, recvbuf, recvcounts, rdispls, recvtype), apart = in_place ? into : parts_of(n, sendbuf, sendcounts, sdispls, sendtype);
    const struct parts *from = in_place ? &into : &apart;
    if (!from->element.is_plain || !into.element.is_plain)
        return 0;
    struct data given = part_of(from, n->own), own = part_of(&into, n->own);
    if (!in_place && !is_copied(&given, &own))
        return 0;
    if (n->members == 2)
        return exchange_parts_of_two(n, from, &into);
    unsigned char packed[MUSUBI_LONG_NOTE];
    uint64_t bytes = pack_parts(n, from, packed);
    if (bytes == 0 || !post(n, packed, bytes))
        return 0;
    if (!await(n, ALL))
        return hand_on(n);
    for (uint64_t i = 0; i < n->members; i++) {
        struct data part = part_of(&into, i);
        const unsigned char *note = i == n->own ? given.at : unpack_part(n, i, part.bytes);
        if (!note)
            return hand_on(n);
        if (note != part.at)
            memcpy(part.at, note, part.bytes);
    }
    return end();
}

int musubi_short_Scatterv(const void *sendbuf, struct musubi_list sendcounts, struct musubi_list displs, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n || n->goes_without & MUSUBI_NO_SCATTERV || !is_rank(n, root))
        return 0;
    if ((uint64_t)root == n->own) {
        struct parts from = parts_of(n, sendbuf, sendcounts, displs, sendtype);
        if (!from.element.is_plain)
            return 0;
        struct data own = part_of(&from, n->own), result = counterpart(own, recvbuf, recvcount, recvtype, n->most);
        unsigned char packed[MUSUBI_LONG_NOTE];
        uint64_t bytes = result.is_plain ? pack_parts(n, &from, packed) : 0;
        if (bytes == 0 || !post_as(n, packed, bytes, SOLE))
            return 0;
        if (result.at != own.at)
            memcpy(result.at, own.at, own.bytes);
        return end();
    }
    struct data result = data_of(recvbuf, recvcount, recvtype, n->most);
    if (!result.is_plain || !post(n, "", 0))
        return 0;
    const unsigned char *part = await(n, root) ? unpack_part(n, root, result.bytes) : NULL;
    if (!part)
        return hand_on(n);
    memcpy(result.at, part, result.bytes);
    return end();
}

/* A reduction is what a call says of one. */
struct reduction {
    struct data given;
    musubi_combination *combine; /* NULL: it is one for the core */
    enum musubi_kind kind;
};

/* elements_of is data_of elements that are combined, which may be pairs with gaps. */
static struct data elements_of(const void *at, MPI_Count count, MPI_Datatype datatype, uint64_t most)
{
    uint64_t bytes = musubi_pair_bytes(musubi_kind_of(datatype));
    return bytes == 0 ? data_of(at, count, datatype, most) : data_of(at, count < 0 || count > MUSUBI_LONG_NOTE ? -1 : count * (MPI_Count)bytes, MPI_BYTE, most);
}

/* reduction_of returns a reduction, of what is in the buffer for the result with MPI_IN_PLACE. It is for the core if that has more bytes
 * than most. */
static struct reduction reduction_of(const void *sendbuf, const void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, uint64_t most)
{
    struct reduction r = {.given = elements_of(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, datatype, most)};
    if (!r.given.is_plain || sendbuf == recvbuf)
        return r;
    r.kind = musubi_kind_of(datatype);
    r.combine = musubi_combination_of(op, r.kind);
    return r;
}

/* draft_of returns room for some bytes of a member's note, to combine them in. Those of all members lie close to each other. */
static uint64_t *draft_of(uint64_t member, uint64_t bytes)
{
    enum { WORDS = MUSUBI_SHORT_NOTE / sizeof(uint64_t) };
    static uint64_t drafts[MUSUBI_NOTE_MEMBERS * WORDS];
    return drafts + member * ((bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
}

/* combine_two combines a part of the notes of both members where the result goes: copies of both would take about as long as the rest. */
static int combine_two(const struct musubi_notes *n, const struct reduction *r, const struct musubi_step *step, uint64_t at, uint64_t bytes, void *into)
{
    const unsigned char *from = take(n, step->from, r->given.bytes), *other = take(n, step->into, r->given.bytes);
    if (!from || !other)
        return hand_on(n);
    memcpy(into, other + at, bytes);
    return r->combine(r->kind, from + at, into, bytes) ? end() : hand_on(n);
}

/* take_combined combines a part of the notes of all members, from a place of each on, in an order. */
static int take_combined(const struct musubi_notes *n, const struct reduction *r, const struct musubi_step *steps, uint64_t at, uint64_t bytes, void *into)
{
    if (!await(n, ALL))
        return hand_on(n);
    if (n->members == 2 && (uintptr_t)into % sizeof(uint64_t) == 0 && musubi_pair_bytes(r->kind) == 0)
        return combine_two(n, r, steps, at, bytes, into);
    for (uint64_t i = 0; i < n->members; i++) {
        const unsigned char *note = take(n, i, r->given.bytes);
        if (!note)
            return hand_on(n);
        memcpy(draft_of(i, bytes), note + at, bytes);
    }
    for (uint64_t i = 0; i < n->members - 1; i++) {
        if (!r->combine(r->kind, draft_of(steps[i].from, bytes), draft_of(steps[i].into, bytes), bytes))
            return hand_on(n);
    }
    const uint64_t *result = draft_of(steps[n->members - 2].into, bytes);
    if (musubi_pair_bytes(r->kind) != 0)
        musubi_put_pairs(r->kind, into, result, bytes);
    else
        memcpy(into, result, bytes);
    return end();
}

int musubi_short_Allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n)
        return 0;
    struct reduction r = reduction_of(sendbuf, recvbuf, count, datatype, op, n->most);
    if (!r.combine || !elements_of(recvbuf, count, datatype, n->most).is_plain || !post(n, r.given.at, r.given.bytes))
        return 0;
    return take_combined(n, &r, n->in_order, 0, r.given.bytes, recvbuf);
}

/* take_scanned combines the notes of the members up to this one, or the one before. It waits for no others. */
static int take_scanned(const struct musubi_notes *n, const struct reduction *r, const struct musubi_step *steps, uint64_t count, int exclusive, void *into)
{
    uint64_t bytes = r->given.bytes;
    for (uint64_t i = 0; i <= n->own; i++) {
        const unsigned char *note = await(n, (int)i) ? take(n, i, bytes) : NULL;
        if (!note)
            return hand_on(n);
        memcpy(draft_of(i, bytes), note, bytes);
    }
    if (exclusive)
        memcpy(draft_of(n->own, bytes), draft_of(n->own - 1, bytes), bytes);
    for (uint64_t i = 0; i < count; i++) {
        if (!r->combine(r->kind, draft_of(steps[i].from, bytes), draft_of(steps[i].into, bytes), bytes))
            return hand_on(n);
    }
    memcpy(into, draft_of(n->own, bytes), bytes);
    return end();
}

int musubi_short_Scan(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n || n->goes_without & MUSUBI_NO_SCAN)
        return 0;
    struct reduction r = reduction_of(sendbuf, recvbuf, count, datatype, op, n->most);
    if (!r.combine || !data_of(recvbuf, count, datatype, n->most).is_plain || !post(n, r.given.at, r.given.bytes))
        return 0;
    return take_scanned(n, &r, n->scan, n->scan_steps, 0, recvbuf);
}

/* The first member gets nothing, and is awaited by the others only. */
int musubi_short_Exscan(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n || n->goes_without & MUSUBI_NO_SCAN)
        return 0;
    struct reduction r = reduction_of(sendbuf, recvbuf, count, datatype, op, n->most);
    if (!r.combine || (n->own > 0 && !data_of(recvbuf, count, datatype, n->most).is_plain) || !post(n, r.given.at, r.given.bytes))
        return 0;
    return n->own > 0 ? take_scanned(n, &r, n->exscan, n->exscan_steps, 1, recvbuf) : end();
}

int musubi_short_Reduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n || !is_rank(n, root))
        return 0;
    int is_root = (uint64_t)root == n->own;
    struct reduction r = reduction_of(sendbuf, is_root ? recvbuf : NULL, count, datatype, op, n->most);
    if (!r.combine || (is_root && !elements_of(recvbuf, count, datatype, n->most).is_plain) || !post(n, r.given.at, r.given.bytes))
        return 0;
    return is_root ? take_combined(n, &r, n->to_own, 0, r.given.bytes, recvbuf) : end();
}

/* scatter_two combines and scatters data of two ranks, whose notes have only what is for the other one. */
static int scatter_two(const struct musubi_notes *n, const struct reduction *r, uint64_t own_at, uint64_t own_bytes, void *into)
{
    uint64_t other = 1 - n->own;
    if (!post(n, r->given.at + (n->own == 0 ? own_bytes : 0), r->given.bytes - own_bytes))
        return 0;
    const unsigned char *note = await(n, ALL) ? take(n, other, own_bytes) : NULL;
    if (!note)
        return hand_on(n);
    memcpy(draft_of(n->own, own_bytes), r->given.at + own_at, own_bytes);
    memcpy(draft_of(other, own_bytes), note, own_bytes);
    if (!r->combine(r->kind, draft_of(0, own_bytes), draft_of(1, own_bytes), own_bytes))
        return hand_on(n);
    memcpy(into, draft_of(1, own_bytes), own_bytes);
    return end();
}

/* scatter combines data and scatters the result: what goes to this rank begins behind so many elements. */
static int scatter(const struct musubi_notes *n, const struct reduction *r, uint64_t before, MPI_Count count, void *recvbuf, MPI_Datatype datatype)
{
    struct data own = data_of(recvbuf, count, datatype, n->most);
    uint64_t at = before * musubi_bytes_in_row(datatype);
    if (!own.is_plain)
        return 0;
    if (n->members == 2)
        return scatter_two(n, r, at, own.bytes, own.at);
    return post(n, r->given.at, r->given.bytes) && take_combined(n, r, n->by_halves, at, own.bytes, own.at);
}

int musubi_short_Reduce_scatter(const void *sendbuf, void *recvbuf, struct musubi_list recvcounts, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n || !recvcounts.at)
        return 0;
    uint64_t all = 0, before = 0;
    for (uint64_t i = 0; i < n->members; i++) {
        MPI_Count count = musubi_in(recvcounts, i);
        if (count < 0 || count > MUSUBI_LONG_NOTE)
            return 0;
        before += i < n->own ? (uint64_t)count : 0;
        all += count;
    }
    struct reduction r = reduction_of(sendbuf, recvbuf, (MPI_Count)all, datatype, op, for_each(n));
    return r.combine && scatter(n, &r, before, musubi_in(recvcounts, n->own), recvbuf, datatype);
}

int musubi_short_Reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct musubi_notes *n = notes_of(comm);
    if (!n || recvcount < 0 || recvcount > MUSUBI_LONG_NOTE)
        return 0;
    struct reduction r = reduction_of(sendbuf, recvbuf, recvcount * (MPI_Count)n->members, datatype, op, for_each(n));
    return r.combine && scatter(n, &r, n->own * recvcount, recvcount, recvbuf, datatype);
}

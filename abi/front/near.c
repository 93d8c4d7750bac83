/* Short operations with neighbours between ranks that share memory. Each rank posts a note for all that it sends to, and waits for the notes of
 * those alone that it receives from. Package mpi/internal/collective has the same notes in near_notes.go, which says what is in them. */
#include "posts.h"

#define ONE_PART UINT32_MAX
#define BY_MESSAGE (UINT32_C(1) << 31)
enum { HEAD = 4, PART_HEAD = 8 };

/* A side is what a program says of the data that goes to its neighbours, or comes from them. */
struct side {
    const void *at;
    MPI_Datatype datatype;
    MPI_Count count;              /* of each part, if all are as long */
    struct musubi_list counts;    /* else of each */
    struct musubi_list places;    /* in elements, or in bytes if each part has a datatype of its own */
    const MPI_Datatype *datatypes;
    int is_same;                  /* all parts are one */
};

/* part_of returns a part of a side. */
static struct data part_of(const struct side *s, const struct musubi_notes *n, int64_t i)
{
    const unsigned char *at = s->at;
    if (s->is_same)
        return data_of(at, s->count, s->datatype, n->most);
    if (s->datatypes)
        return data_of(at + musubi_in(s->places, i), musubi_in(s->counts, i), s->datatypes[i], n->most);
    int64_t bytes = musubi_bytes_in_row(s->datatype);
    if (!s->counts.at)
        return data_of(at + i * s->count * bytes, s->count, s->datatype, n->most);
    return data_of(at + musubi_in(s->places, i) * bytes, musubi_in(s->counts, i), s->datatype, n->most);
}

static void put_word(unsigned char *at, uint32_t word) { memcpy(at, &word, sizeof word); }

static uint32_t word_at(const unsigned char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* post_same posts a note of one part for all. */
static int post_same(const struct musubi_notes *n, const struct side *out)
{
    struct data part = part_of(out, n, 0);
    unsigned char *note = part.is_plain ? open_note(n, HEAD + part.bytes) : NULL;
    if (!note)
        return 0;
    put_word(note, ONE_PART);
    memcpy(note + HEAD, part.at, part.bytes);
    close_note(n, HEAD + part.bytes, SOLE);
    return 1;
}

/* post_parts posts a note with a part for each destination. */
static int post_parts(const struct musubi_notes *n, const struct side *out)
{
    const struct musubi_near *near = n->near;
    uint64_t heads = HEAD + near->destinations * PART_HEAD, bytes = heads;
    for (uint64_t k = 0; k < near->destinations; k++) {
        struct data part = part_of(out, n, near->part[k]);
        bytes += part.bytes;
        if (!part.is_plain || bytes > MUSUBI_LONG_NOTE)
            return 0;
    }
    unsigned char *note = bytes <= MUSUBI_LONG_NOTE ? open_note(n, bytes) : NULL, *at = note + heads;
    if (!note)
        return 0;
    put_word(note, (uint32_t)near->destinations);
    for (uint64_t k = 0; k < near->destinations; k++) {
        struct data part = part_of(out, n, near->part[k]);
        put_word(note + HEAD + k * PART_HEAD, (uint32_t)near->to[k]);
        put_word(note + HEAD + k * PART_HEAD + sizeof(uint32_t), (uint32_t)part.bytes);
        memcpy(at, part.at, part.bytes);
        at += part.bytes;
    }
    close_note(n, bytes, SOLE);
    return 1;
}

/* part_for_own returns the part of a note for this rank, behind some others for it; NULL if there is none of so many bytes. */
static const unsigned char *part_for_own(const struct musubi_notes *n, int from, int before, uint64_t bytes)
{
    uint64_t all = length_of(note_of(n, from));
    const unsigned char *note = data_of_note(n, from, all);
    if (all < HEAD)
        return NULL;
    uint32_t count = word_at(note);
    if (count == ONE_PART)
        return all - HEAD == bytes ? note + HEAD : NULL;
    if (count > (all - HEAD) / PART_HEAD)
        return NULL;
    uint64_t at = HEAD + count * PART_HEAD;
    for (uint32_t k = 0; k < count && at <= all; k++) {
        const unsigned char *head = note + HEAD + k * PART_HEAD;
        uint32_t has = word_at(head + sizeof(uint32_t));
        if (word_at(head) == n->own && before-- == 0)
            return has == bytes && at + bytes <= all ? note + at : NULL;
        at += has & BY_MESSAGE ? 0 : has;
    }
    return NULL;
}

/* exchange sends and receives. */
static int exchange(MPI_Comm comm, const struct side *out, const struct side *in)
{
    const struct musubi_notes *n = notes_of(comm);
    const struct musubi_near *near = n ? n->near : NULL;
    if (!near)
        return 0;
    for (uint64_t i = 0; i < near->sources; i++) {
        if (near->from[i] >= 0 && !part_of(in, n, i).is_plain)
            return 0;
    }
    if (!(out->is_same ? post_same(n, out) : post_parts(n, out)))
        return 0;
    for (uint64_t i = 0; i < near->sources; i++) {
        int from = near->from[i];
        if (from < 0)
            continue;
        struct data part = part_of(in, n, i);
        const unsigned char *note = await(n, from) ? part_for_own(n, from, near->before[i], part.bytes) : NULL;
        if (!note)
            return hand_on(n);
        memcpy(part.at, note, part.bytes);
    }
    return end();
}

int musubi_short_Neighbor_allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct side out = {.at = sendbuf, .datatype = sendtype, .count = sendcount, .is_same = 1}, in = {.at = recvbuf, .datatype = recvtype, .count = recvcount};
    return exchange(comm, &out, &in);
}

int musubi_short_Neighbor_allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, struct musubi_list recvcounts, struct musubi_list displs, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct side out = {.at = sendbuf, .datatype = sendtype, .count = sendcount, .is_same = 1}, in = {.at = recvbuf, .datatype = recvtype, .counts = recvcounts, .places = displs};
    return recvcounts.at && displs.at && exchange(comm, &out, &in);
}

int musubi_short_Neighbor_alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct side out = {.at = sendbuf, .datatype = sendtype, .count = sendcount}, in = {.at = recvbuf, .datatype = recvtype, .count = recvcount};
    return exchange(comm, &out, &in);
}

int musubi_short_Neighbor_alltoallv(const void *sendbuf, struct musubi_list sendcounts, struct musubi_list sdispls, MPI_Datatype sendtype, void *recvbuf, struct musubi_list recvcounts, struct musubi_list rdispls, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct side out = {.at = sendbuf, .datatype = sendtype, .counts = sendcounts, .places = sdispls}, in = {.at = recvbuf, .datatype = recvtype, .counts = recvcounts, .places = rdispls};
    return sendcounts.at && sdispls.at && recvcounts.at && rdispls.at && exchange(comm, &out, &in);
}

int musubi_short_Neighbor_alltoallw(const void *sendbuf, struct musubi_list sendcounts, struct musubi_list sdispls, const MPI_Datatype sendtypes[], void *recvbuf, struct musubi_list recvcounts, struct musubi_list rdispls, const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    struct side out = {.at = sendbuf, .datatypes = sendtypes, .counts = sendcounts, .places = sdispls}, in = {.at = recvbuf, .datatypes = recvtypes, .counts = recvcounts, .places = rdispls};
    return sendcounts.at && sdispls.at && sendtypes && recvcounts.at && rdispls.at && recvtypes && exchange(comm, &out, &in);
}

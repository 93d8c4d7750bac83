/* Datatypes that the program has made, of which the front packs and unpacks short messages by itself. */
#include "short.h"

#include <string.h>

/* A move copies the bytes of a block to or from packed data. */
static inline __attribute__((always_inline)) void move_block(unsigned char *memory, unsigned char *packed, uint64_t n, int packs)
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
static inline __attribute__((always_inline)) void move(const struct musubi_type *t, unsigned char *at, unsigned char *packed, uint64_t left, int packs)
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

void musubi_pack(const struct musubi_type *t, const void *at, unsigned char *packed, uint64_t bytes)
{
    move(t, (unsigned char *)at, packed, bytes, 1);
}

void musubi_unpack(const struct musubi_type *t, void *at, const unsigned char *packed, uint64_t bytes)
{
    move(t, at, (unsigned char *)packed, bytes, 0);
}

const struct musubi_type *musubi_derived_for(const void *datatype, int64_t count)
{
    const struct musubi_type *t = musubi_derived((uintptr_t)datatype);
    return t && (t->is_row || count <= MUSUBI_LONGEST_DERIVED) ? t : NULL;
}

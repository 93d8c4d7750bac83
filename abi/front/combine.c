/* Operations of the standard on short data, as package mpi/internal/reduction carries them out. */
#include "front.h"
#include "mpi.h"
#include "short.h"

#include <string.h>

/* COMBINE sets b to an expression of a and b for each two elements of a type. */
#define COMBINE(type, expression) \
    for (uint64_t i = 0; i < bytes / sizeof(type); i++) { \
        type a = ((const type *)in)[i], b = ((const type *)inout)[i]; \
        ((type *)inout)[i] = (expression); \
    } \
    return 1

/* COMBINE_ORDERED is COMBINE of floating point by order, which leaves to the core what is not a number, and zeros, which have signs. */
#define COMBINE_ORDERED(type, expression) \
    for (uint64_t i = 0; i < bytes / sizeof(type); i++) { \
        type a = ((const type *)in)[i], b = ((const type *)inout)[i]; \
        if (a != a || b != b || (a == 0 && b == 0)) \
            return 0; \
    } \
    COMBINE(type, expression)

/* Sums of integers with a sign have the bits of those without. */
static int add(enum musubi_kind kind, const void *in, void *inout, uint64_t bytes)
{
    switch (kind) {
    case MUSUBI_INT8: case MUSUBI_UINT8: COMBINE(uint8_t, a + b);
    case MUSUBI_INT16: case MUSUBI_UINT16: COMBINE(uint16_t, a + b);
    case MUSUBI_INT32: case MUSUBI_UINT32: COMBINE(uint32_t, a + b);
    case MUSUBI_INT64: case MUSUBI_UINT64: COMBINE(uint64_t, a + b);
    case MUSUBI_FLOAT32: COMBINE(float, a + b);
    case MUSUBI_FLOAT64: COMBINE(double, a + b);
    }
    return 0;
}

static int smaller(enum musubi_kind kind, const void *in, void *inout, uint64_t bytes)
{
    switch (kind) {
    case MUSUBI_INT8: COMBINE(int8_t, a < b ? a : b);
    case MUSUBI_INT16: COMBINE(int16_t, a < b ? a : b);
    case MUSUBI_INT32: COMBINE(int32_t, a < b ? a : b);
    case MUSUBI_INT64: COMBINE(int64_t, a < b ? a : b);
    case MUSUBI_UINT8: COMBINE(uint8_t, a < b ? a : b);
    case MUSUBI_UINT16: COMBINE(uint16_t, a < b ? a : b);
    case MUSUBI_UINT32: COMBINE(uint32_t, a < b ? a : b);
    case MUSUBI_UINT64: COMBINE(uint64_t, a < b ? a : b);
    case MUSUBI_FLOAT32: COMBINE_ORDERED(float, a < b ? a : b);
    case MUSUBI_FLOAT64: COMBINE_ORDERED(double, a < b ? a : b);
    }
    return 0;
}

static int larger(enum musubi_kind kind, const void *in, void *inout, uint64_t bytes)
{
    switch (kind) {
    case MUSUBI_INT8: COMBINE(int8_t, a > b ? a : b);
    case MUSUBI_INT16: COMBINE(int16_t, a > b ? a : b);
    case MUSUBI_INT32: COMBINE(int32_t, a > b ? a : b);
    case MUSUBI_INT64: COMBINE(int64_t, a > b ? a : b);
    case MUSUBI_UINT8: COMBINE(uint8_t, a > b ? a : b);
    case MUSUBI_UINT16: COMBINE(uint16_t, a > b ? a : b);
    case MUSUBI_UINT32: COMBINE(uint32_t, a > b ? a : b);
    case MUSUBI_UINT64: COMBINE(uint64_t, a > b ? a : b);
    case MUSUBI_FLOAT32: COMBINE_ORDERED(float, a > b ? a : b);
    case MUSUBI_FLOAT64: COMBINE_ORDERED(double, a > b ? a : b);
    }
    return 0;
}

/* Products of integers with a sign have the bits of those without, too. */
static int multiply(enum musubi_kind kind, const void *in, void *inout, uint64_t bytes)
{
    switch (kind) {
    case MUSUBI_INT8: case MUSUBI_UINT8: COMBINE(uint8_t, a * b);
    case MUSUBI_INT16: case MUSUBI_UINT16: COMBINE(uint16_t, (uint32_t)a * b);
    case MUSUBI_INT32: case MUSUBI_UINT32: COMBINE(uint32_t, a * b);
    case MUSUBI_INT64: case MUSUBI_UINT64: COMBINE(uint64_t, a * b);
    case MUSUBI_FLOAT32: COMBINE(float, a * b);
    case MUSUBI_FLOAT64: COMBINE(double, a * b);
    }
    return 0;
}

/* OF_INTEGERS are the cases of an expression that has nothing to do with signs. */
#define OF_INTEGERS(expression) \
    switch (kind) { \
    case MUSUBI_INT8: case MUSUBI_UINT8: COMBINE(uint8_t, expression); \
    case MUSUBI_INT16: case MUSUBI_UINT16: COMBINE(uint16_t, expression); \
    case MUSUBI_INT32: case MUSUBI_UINT32: COMBINE(uint32_t, expression); \
    case MUSUBI_INT64: case MUSUBI_UINT64: COMBINE(uint64_t, expression); \
    default: return 0; \
    }

static int and_truth(enum musubi_kind kind, const void *in, void *inout, uint64_t bytes) { OF_INTEGERS(a && b) }
static int or_truth(enum musubi_kind kind, const void *in, void *inout, uint64_t bytes) { OF_INTEGERS(a || b) }
static int xor_truth(enum musubi_kind kind, const void *in, void *inout, uint64_t bytes) { OF_INTEGERS(!a != !b) }
static int and_bits(enum musubi_kind kind, const void *in, void *inout, uint64_t bytes) { OF_INTEGERS(a & b) }
static int or_bits(enum musubi_kind kind, const void *in, void *inout, uint64_t bytes) { OF_INTEGERS(a | b) }
static int xor_bits(enum musubi_kind kind, const void *in, void *inout, uint64_t bytes) { OF_INTEGERS(a ^ b) }

/* What the handle of an operation stands for. */
static const struct {
    MPI_Op op;
    musubi_combination *combine;
    int of_reals; /* 1: also of floating point */
} operations[] = {
    {MPI_SUM, add, 1}, {MPI_MIN, smaller, 1}, {MPI_MAX, larger, 1}, {MPI_PROD, multiply, 1},
    {MPI_LAND, and_truth, 0}, {MPI_LOR, or_truth, 0}, {MPI_LXOR, xor_truth, 0},
    {MPI_BAND, and_bits, 0}, {MPI_BOR, or_bits, 0}, {MPI_BXOR, xor_bits, 0},
};

musubi_combination *musubi_combination_of(MPI_Op op, enum musubi_kind kind)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations && kind != 0; i++) {
        if (operations[i].op == op)
            return operations[i].of_reals || kind < MUSUBI_FLOAT32 ? operations[i].combine : NULL;
    }
    return NULL;
}

enum musubi_kind musubi_kind_of(MPI_Datatype datatype)
{
    uintptr_t type = (uintptr_t)datatype - MUSUBI_FIRST_TYPE;
    return type < MUSUBI_TYPES ? musubi_lanes.kinds[type] : 0;
}

int musubi_short_Reduce_local(const void *in, void *inout, MPI_Count count, MPI_Datatype datatype, MPI_Op op)
{
    enum { LONGEST = 4096 }; /* bytes; Go has more than one way for longer data */
    musubi_combination *combine = musubi_combination_of(op, musubi_kind_of(datatype));
    if (!combine || !in || !inout || in == inout || count < 0 || count > LONGEST)
        return 0;
    uint64_t bytes = (uint64_t)count * musubi_bytes_in_row(datatype);
    return bytes <= LONGEST && combine(musubi_kind_of(datatype), in, inout, bytes);
}

/* Operations of the standard on short data, as package mpi/internal/reduction carries them out. */
#include "front.h"
#include "mpi.h"
#include "short.h"

#include <string.h>

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3") /* vectors */
#endif

/* COMBINE sets b to an expression of a and b for each two elements of a type. */
#define COMBINE(type, expression) \
    for (uint64_t i = 0; i < bytes / sizeof(type); i++) { \
        type a = ((const type *)in)[i], b = ((const type *)inout)[i]; \
        ((type *)inout)[i] = (expression); \
    } \
    return 1

#if defined __SSE2__
#include <emmintrin.h>

/* ORDER combines floating point by order, in vectors. The minimum of the processor is its second operand if both are zeros, or one is not a
 * number. So the bits of the minima in both orders are put together, as the compiler of Go does it on such processors; a maximum is
 * the minimum of negated numbers. */
#define ORDER(type, vector, ps, negated) \
    { \
        enum { LANES = sizeof(vector) / sizeof(type) }; \
        const vector sign = _mm_set1_##ps(negated ? (type)-0.0 : (type)0.0); \
        type rest[2][LANES] = {{0}}; \
        for (uint64_t i = 0, n = bytes / sizeof(type); i < n; i += LANES) { \
            uint64_t left = (n - i < LANES ? n - i : LANES) * sizeof(type); \
            if (left < sizeof(vector)) { \
                memcpy(rest[0], (const type *)in + i, left); \
                memcpy(rest[1], (type *)inout + i, left); \
            } \
            const type *from = left < sizeof(vector) ? rest[0] : (const type *)in + i; \
            type *into = left < sizeof(vector) ? rest[1] : (type *)inout + i; \
            vector x = _mm_xor_##ps(_mm_loadu_##ps(from), sign), y = _mm_xor_##ps(_mm_loadu_##ps(into), sign), least = _mm_min_##ps(x, y); \
            _mm_storeu_##ps(into, _mm_xor_##ps(_mm_or_##ps(_mm_min_##ps(least, x), least), sign)); \
            if (left < sizeof(vector)) \
                memcpy((type *)inout + i, into, left); \
        } \
        return 1; \
    }
#define SMALLER_OF(type, vector, ps) ORDER(type, vector, ps, 0)
#define LARGER_OF(type, vector, ps) ORDER(type, vector, ps, 1)
#else

/* ORDER is for what is ordered, but for zeros, which have signs: all else is for the core. */
#define ORDER(type, order) \
    { \
        for (uint64_t i = 0; i < bytes / sizeof(type); i++) { \
            type a = ((const type *)in)[i], b = ((const type *)inout)[i]; \
            if (a != a || b != b || (a == 0 && b == 0)) \
                return 0; \
        } \
        COMBINE(type, a order b ? a : b); \
    }
#define SMALLER_OF(type, vector, ps) ORDER(type, <)
#define LARGER_OF(type, vector, ps) ORDER(type, >)
#endif

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
    default: return 0;
    }
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
    case MUSUBI_FLOAT32: SMALLER_OF(float, __m128, ps)
    case MUSUBI_FLOAT64: SMALLER_OF(double, __m128d, pd)
    default: return 0;
    }
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
    case MUSUBI_FLOAT32: LARGER_OF(float, __m128, ps)
    case MUSUBI_FLOAT64: LARGER_OF(double, __m128d, pd)
    default: return 0;
    }
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
    default: return 0;
    }
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

/* Pairs of a value and an int. */
#define PAIRS(with) \
    with(float, MUSUBI_FLOAT_INT) with(double, MUSUBI_DOUBLE_INT) with(long, MUSUBI_LONG_INT) with(short, MUSUBI_SHORT_INT) with(int, MUSUBI_INT_INT)

#define PAIR_OF(type) struct { type value; int place; }

uint64_t musubi_pair_bytes(enum musubi_kind kind)
{
#define BYTES(type, of) if (kind == of) return sizeof(PAIR_OF(type));
    PAIRS(BYTES)
    return 0;
}

void musubi_put_pairs(enum musubi_kind kind, void *into, const void *from, uint64_t bytes)
{
#define PUT(type, of) \
    if (kind == of) { \
        typedef PAIR_OF(type) pair; \
        for (uint64_t i = 0; i < bytes / sizeof(pair); i++) { \
            ((pair *)into)[i].value = ((const pair *)from)[i].value; \
            ((pair *)into)[i].place = ((const pair *)from)[i].place; \
        } \
    }
    PAIRS(PUT)
}

/* LOCATE takes pairs whose values are in an order with those that are there, and of others that are not the other way round those with the
 * smaller place: what is not a number counts as equal. */
#define LOCATE(type, of, order) \
    if (kind == of) { \
        typedef PAIR_OF(type) pair; \
        const pair *a = in; \
        pair *b = inout; \
        for (uint64_t i = 0; i < bytes / sizeof(pair); i++) { \
            if (a[i].value order b[i].value || (!(b[i].value order a[i].value) && a[i].place < b[i].place)) \
                b[i] = a[i]; \
        } \
        return 1; \
    }

static int smaller_pair(enum musubi_kind kind, const void *in, void *inout, uint64_t bytes)
{
#define SMALLER(type, of) LOCATE(type, of, <)
    PAIRS(SMALLER)
    return 0;
}

static int larger_pair(enum musubi_kind kind, const void *in, void *inout, uint64_t bytes)
{
#define LARGER(type, of) LOCATE(type, of, >)
    PAIRS(LARGER)
    return 0;
}

/* What the handle of an operation stands for. */
static const struct {
    MPI_Op op;
    musubi_combination *combine;
    enum musubi_kind first, last; /* kinds that it is for */
} operations[] = {
    {MPI_SUM, add, MUSUBI_INT8, MUSUBI_FLOAT64},         {MPI_MIN, smaller, MUSUBI_INT8, MUSUBI_FLOAT64},
    {MPI_MAX, larger, MUSUBI_INT8, MUSUBI_FLOAT64},      {MPI_PROD, multiply, MUSUBI_INT8, MUSUBI_FLOAT64},
    {MPI_LAND, and_truth, MUSUBI_INT8, MUSUBI_UINT64},   {MPI_LOR, or_truth, MUSUBI_INT8, MUSUBI_UINT64},
    {MPI_LXOR, xor_truth, MUSUBI_INT8, MUSUBI_UINT64},   {MPI_BAND, and_bits, MUSUBI_INT8, MUSUBI_UINT64},
    {MPI_BOR, or_bits, MUSUBI_INT8, MUSUBI_UINT64},      {MPI_BXOR, xor_bits, MUSUBI_INT8, MUSUBI_UINT64},
    {MPI_MINLOC, smaller_pair, MUSUBI_FLOAT_INT, MUSUBI_INT_INT}, {MPI_MAXLOC, larger_pair, MUSUBI_FLOAT_INT, MUSUBI_INT_INT},
};

musubi_combination *musubi_combination_of(MPI_Op op, enum musubi_kind kind)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (operations[i].op == op && operations[i].first <= kind && kind <= operations[i].last)
            return operations[i].combine;
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
    enum musubi_kind kind = musubi_kind_of(datatype);
    musubi_combination *combine = musubi_combination_of(op, kind);
    if (!combine || musubi_pair_bytes(kind) != 0 || !in || !inout || in == inout || count < 0 || count > LONGEST)
        return 0;
    uint64_t bytes = (uint64_t)count * musubi_bytes_in_row(datatype);
    return bytes <= LONGEST && combine(kind, in, inout, bytes);
}

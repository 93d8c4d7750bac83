/* Reductions of the numbers that C has and Go has not. The core asks for them, and only for operations that they have. */
#include "front.h"
#include "mpi.h"

#include <float.h>

/* Messages put numbers anywhere, where C expects them at multiples of 16. */
#define ANYWHERE __attribute__((aligned(1)))

#if LDBL_MANT_DIG == 113 /* a long double is a number of 128 bits */
typedef long double real16 ANYWHERE;
#else
typedef __float128 real16 ANYWHERE;
#endif
typedef long double long_double ANYWHERE;
typedef __int128 integer16 ANYWHERE;
typedef struct {
    real16 re, im;
} complex32;
typedef struct {
    long_double re, im;
} long_double_complex;

#define EACH(WHAT)                      \
    for (int64_t i = 0; i < n; i++)     \
        inout[i] = WHAT;                \
    break
#define A in[i]
#define B inout[i]
#define OF_REALS(T)                                       \
    case (intptr_t)MPI_SUM: EACH((T)(A + B));             \
    case (intptr_t)MPI_PROD: EACH((T)(A * B));            \
    case (intptr_t)MPI_MAX: EACH(A > B ? A : B);          \
    case (intptr_t)MPI_MIN: EACH(A < B ? A : B);          \
    case (intptr_t)MPI_LAND: EACH(A != 0 && B != 0);      \
    case (intptr_t)MPI_LOR: EACH(A != 0 || B != 0);       \
    case (intptr_t)MPI_LXOR: EACH((A != 0) != (B != 0))
#define OF_BITS                                           \
    case (intptr_t)MPI_BAND: EACH(A & B);                 \
    case (intptr_t)MPI_BOR: EACH(A | B);                  \
    case (intptr_t)MPI_BXOR: EACH(A ^ B)
#define OF_COMPLEXES(T)                                   \
    case (intptr_t)MPI_SUM: EACH(((T){A.re + B.re, A.im + B.im})); \
    case (intptr_t)MPI_PROD: EACH(((T){A.re * B.re - A.im * B.im, A.re * B.im + A.im * B.re}))

#define REDUCTION(T, OPERATIONS)                                                     \
    static void reduce_##T(int64_t op, const T *in, T *inout, int64_t n)             \
    {                                                                                \
        switch ((intptr_t)op) { OPERATIONS; }                                        \
    }

REDUCTION(long_double, OF_REALS(long_double))
REDUCTION(real16, OF_REALS(real16))
REDUCTION(integer16, OF_REALS(integer16); OF_BITS)
REDUCTION(long_double_complex, OF_COMPLEXES(long_double_complex))
REDUCTION(complex32, OF_COMPLEXES(complex32))

void musubi_reduce_wide(int64_t op, const void *in, void *inout, int64_t n, int64_t type)
{
    switch ((intptr_t)type) {
    case (intptr_t)MPI_LONG_DOUBLE: reduce_long_double(op, in, inout, n); break;
    case (intptr_t)MPI_REAL16: reduce_real16(op, in, inout, n); break;
    case (intptr_t)MPI_INTEGER16:
    case (intptr_t)MPI_LOGICAL16: reduce_integer16(op, in, inout, n); break;
    case (intptr_t)MPI_COMPLEX32: reduce_complex32(op, in, inout, n); break;
    default: reduce_long_double_complex(op, in, inout, n);
    }
}

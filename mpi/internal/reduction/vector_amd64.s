#include "textflag.h"

// COMBINE is a function of (in, inout *byte, bytes int) that combines vectors of 16 bytes, four in each
// round. Bytes is a positive multiple of 64. Both memories may lie at any address.
#define COMBINE(name, OP) \
TEXT name(SB), NOSPLIT, $0-24; \
	MOVQ  in+0(FP), SI; \
	MOVQ  inout+8(FP), DI; \
	MOVQ  bytes+16(FP), CX; \
loop: \
	MOVOU 0(SI), X0; \
	MOVOU 16(SI), X1; \
	MOVOU 32(SI), X2; \
	MOVOU 48(SI), X3; \
	MOVOU 0(DI), X4; \
	MOVOU 16(DI), X5; \
	MOVOU 32(DI), X6; \
	MOVOU 48(DI), X7; \
	OP    X0, X4; \
	OP    X1, X5; \
	OP    X2, X6; \
	OP    X3, X7; \
	MOVOU X4, 0(DI); \
	MOVOU X5, 16(DI); \
	MOVOU X6, 32(DI); \
	MOVOU X7, 48(DI); \
	ADDQ  $64, SI; \
	ADDQ  $64, DI; \
	SUBQ  $64, CX; \
	JNZ   loop; \
	RET

COMBINE(·sumInt8, PADDB)
COMBINE(·sumInt16, PADDW)
COMBINE(·sumInt32, PADDL)
COMBINE(·sumInt64, PADDQ)
COMBINE(·sumFloat32, ADDPS)
COMBINE(·sumFloat64, ADDPD)
COMBINE(·and, PAND)
COMBINE(·or, POR)
COMBINE(·xor, PXOR)

// A vector of in is in X0, that of inout in X1; the result goes to X1. X2 is free, and X3 has the sign bits of all elements.

// MINIMUM does what the compiler makes of min, so that also what is not a number has the same bits.
#define MINIMUM(MIN) \
	MOVAPS X0, X2; \
	MIN    X1, X2; \
	MOVAPS X2, X1; \
	MIN    X0, X1; \
	POR    X2, X1

#define MAXIMUM(MIN) \
	PXOR X3, X0; \
	PXOR X3, X1; \
	MINIMUM(MIN); \
	PXOR X3, X1

// LARGER and SMALLER are for integers with a sign.
#define LARGER(GREATER) \
	MOVAPS  X0, X2; \
	GREATER X1, X2; \
	PAND    X2, X0; \
	PANDN   X1, X2; \
	MOVAPS  X2, X1; \
	POR     X0, X1

#define SMALLER(GREATER) \
	MOVAPS  X1, X2; \
	GREATER X0, X2; \
	PAND    X2, X0; \
	PANDN   X1, X2; \
	MOVAPS  X2, X1; \
	POR     X0, X1

#define VECTOR(at, OF, OP) \
	MOVOU at(SI), X0; \
	MOVOU at(DI), X1; \
	OF(OP); \
	MOVOU X1, at(DI)

// CHOOSE is like COMBINE, with several instructions for each vector. Elements have so many bits.
#define CHOOSE(name, SHIFT, bits, OF, OP) \
TEXT name(SB), NOSPLIT, $0-24; \
	MOVQ    in+0(FP), SI; \
	MOVQ    inout+8(FP), DI; \
	MOVQ    bytes+16(FP), CX; \
	PCMPEQL X3, X3; \
	SHIFT   $(bits-1), X3; \
loop: \
	VECTOR(0, OF, OP); \
	VECTOR(16, OF, OP); \
	VECTOR(32, OF, OP); \
	VECTOR(48, OF, OP); \
	ADDQ    $64, SI; \
	ADDQ    $64, DI; \
	SUBQ    $64, CX; \
	JNZ     loop; \
	RET

CHOOSE(·minFloat32, PSLLL, 32, MINIMUM, MINPS)
CHOOSE(·minFloat64, PSLLQ, 64, MINIMUM, MINPD)
CHOOSE(·maxFloat32, PSLLL, 32, MAXIMUM, MINPS)
CHOOSE(·maxFloat64, PSLLQ, 64, MAXIMUM, MINPD)
CHOOSE(·minInt32, PSLLL, 32, SMALLER, PCMPGTL)
CHOOSE(·minInt64, PSLLQ, 64, SMALLER, PCMPGTQ)
CHOOSE(·maxInt32, PSLLL, 32, LARGER, PCMPGTL)
CHOOSE(·maxInt64, PSLLQ, 64, LARGER, PCMPGTQ)
COMBINE(·productFloat32, MULPS)
COMBINE(·productFloat64, MULPD)

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

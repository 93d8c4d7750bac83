#include "textflag.h"

// func Lines(address uintptr, n int)
TEXT ·Lines(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ address+0(FP), AX
	MOVQ n+8(FP), CX

next:
	PREFETCHT0 (AX)
	ADDQ       $64, AX
	SUBQ       $1, CX
	JGT        next
	RET

// func Each(a, b, c, d, e uintptr)
TEXT ·Each(SB), NOSPLIT|NOFRAME, $0-40
	MOVQ       a+0(FP), AX
	PREFETCHT0 (AX)
	MOVQ       b+8(FP), AX
	PREFETCHT0 (AX)
	MOVQ       c+16(FP), AX
	PREFETCHT0 (AX)
	MOVQ       d+24(FP), AX
	PREFETCHT0 (AX)
	MOVQ       e+32(FP), AX
	PREFETCHT0 (AX)
	RET

#include "textflag.h"

// func Lines(address uintptr, n int)
TEXT ·Lines(SB), NOSPLIT|NOFRAME, $0-16
	MOVD address+0(FP), R0
	MOVD n+8(FP), R1

next:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0
	SUB  $1, R1
	CMP  $0, R1
	BGT  next
	RET

// func Each(a, b, c, d, e uintptr)
TEXT ·Each(SB), NOSPLIT|NOFRAME, $0-40
	MOVD a+0(FP), R0
	PRFM (R0), PLDL1KEEP
	MOVD b+8(FP), R0
	PRFM (R0), PLDL1KEEP
	MOVD c+16(FP), R0
	PRFM (R0), PLDL1KEEP
	MOVD d+24(FP), R0
	PRFM (R0), PLDL1KEEP
	MOVD e+32(FP), R0
	PRFM (R0), PLDL1KEEP
	RET

//go:build !race

#include "textflag.h"

// func storeRelease(word *atomic.Uint64, value uint64)
TEXT ·storeRelease(SB), NOSPLIT, $0-16
	MOVQ word+0(FP), AX
	MOVQ value+8(FP), BX
	MOVQ BX, (AX)
	RET

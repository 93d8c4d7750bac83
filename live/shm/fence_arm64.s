#include "textflag.h"

// func storeFence()
TEXT ·StoreFence(SB), NOSPLIT, $0-0
	DMB $0xa // ISHST
	RET

// func loadFence()
TEXT ·LoadFence(SB), NOSPLIT, $0-0
	DMB $0x9 // ISHLD
	RET

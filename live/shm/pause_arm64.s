#include "textflag.h"

// func pause()
TEXT ·Pause(SB), NOSPLIT, $0-0
	YIELD
	RET

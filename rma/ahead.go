package rma

import "unsafe"

// Ahead is a Process that brings memory to the processor's cache before its program goes on. Where very many processes are
// simulated, nothing of one is there when its turn comes, and a program waits for memory most of the time.
type Ahead interface {
	// Needs names memory that the program needs nearly each time. Of many pieces of memory the first ones count. The memory must
	// stay where it is, and may not be needed any more.
	Needs(memory unsafe.Pointer, bytes uintptr)
}

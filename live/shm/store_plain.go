//go:build amd64 && !race

package shm

import (
	"sync/atomic"
	"unsafe"
)

// StoreRelease writes a word behind all that was written before. Unlike an atomic
// store it need not be visible before later reads, which on amd64 spares an exchange:
// the processor makes plain stores visible in their order, and the compiler keeps them
// in it.
func StoreRelease(word *atomic.Uint64, value uint64) { *(*uint64)(unsafe.Pointer(word)) = value }

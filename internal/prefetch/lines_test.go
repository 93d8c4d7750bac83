package prefetch

import (
	"testing"
	"unsafe"
)

// Any address will do, also one without memory, and no memory changes.
func TestLinesHaveNoEffect(t *testing.T) {
	var memory [4 * LineBytes]byte
	for i := range memory {
		memory[i] = byte(i)
	}
	at := uintptr(unsafe.Pointer(&memory))
	for _, address := range []uintptr{0, 1, at, at + 7, ^uintptr(0), 1 << 63} {
		for n := range 6 {
			Lines(address, n)
		}
		Each(address, at, address+1, at+1, address)
	}
	for n := range memory {
		Bytes(unsafe.Pointer(&memory), uintptr(n))
	}
	for i, b := range memory {
		if b != byte(i) {
			t.Fatalf("byte %d is %d", i, b)
		}
	}
}

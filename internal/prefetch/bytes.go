package prefetch

import "unsafe"

// Bytes brings all lines that have some of the bytes from an address on, at least one line, to the cache.
func Bytes(begin unsafe.Pointer, bytes uintptr) {
	first := uintptr(begin) &^ (LineBytes - 1)
	Lines(first, int((uintptr(begin)+bytes-first+LineBytes-1)/LineBytes))
}

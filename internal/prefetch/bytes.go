package prefetch

import "unsafe"

// Bytes brings all lines that have some of the bytes from an address on, at least one line, to the cache.
func Bytes(begin unsafe.Pointer, bytes uintptr) { Lines(linesOf(begin, bytes)) }

// linesOf returns the address of the first line that has some of the bytes from an address on, and how many have.
func linesOf(begin unsafe.Pointer, bytes uintptr) (first uintptr, lines int) {
	first = uintptr(begin) &^ (LineBytes - 1)
	return first, int((uintptr(begin) + bytes - first + LineBytes - 1) / LineBytes)
}

package shm

import "unsafe"

const canCopyPast = true

// copyLinesPast copies whole lines of memory past the cache; to begins one. What is
// written behind it is seen behind it.
//
//go:noescape
func copyLinesPast(to, from unsafe.Pointer, lines int)

//go:build !amd64 || race

package shm

import "sync/atomic"

// StoreRelease writes a word behind all that was written before.
func StoreRelease(word *atomic.Uint64, value uint64) { word.Store(value) }

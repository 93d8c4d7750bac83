//go:build !amd64 || race

package live

import "sync/atomic"

// storeRelease writes a word behind all that was written before.
func storeRelease(word *atomic.Uint64, value uint64) { word.Store(value) }

//go:build amd64 && !race

package live

import "sync/atomic"

// storeRelease writes a word behind all that was written before. Unlike an atomic
// store it need not be visible before later reads, which on amd64 spares an exchange.
//
//go:noescape
func storeRelease(word *atomic.Uint64, value uint64)

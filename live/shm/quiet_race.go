//go:build race

package shm

import "sync/atomic"

// CopyQuietly is copy, of which the race detector would be told even here.
//
//go:norace
func CopyQuietly(to, from []byte) {
	for i := range min(len(to), len(from)) {
		to[i] = from[i]
	}
}

// Order tells the race detector of an order by a word of memory that it sees.
type Order struct{ word atomic.Uint64 }

func (o *Order) Release() { o.word.Add(1) }
func (o *Order) Acquire() { o.word.Load() }

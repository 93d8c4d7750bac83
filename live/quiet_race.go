//go:build race

package live

import "sync/atomic"

// copyQuietly is copy, of which the race detector would be told even here.
//
//go:norace
func copyQuietly(to, from []byte) {
	for i := range min(len(to), len(from)) {
		to[i] = from[i]
	}
}

// order tells the race detector of an order by a word of memory that it sees.
type order struct{ word atomic.Uint64 }

func (o *order) release() { o.word.Add(1) }
func (o *order) acquire() { o.word.Load() }

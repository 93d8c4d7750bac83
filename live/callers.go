package live

import (
	"math/bits"
	"sync/atomic"
)

// callers is where ranks of a group enter themselves before they write to one of them for the
// first time. So a rank looks into the rings of those only that send to it, however many there
// are, and the memory of other rings is never touched.
type callers struct {
	calls atomic.Uint64 // changes whenever somebody has entered itself
	_     [lineBytes - wordBytes]byte
	ranks [MaxRanks / 64]atomic.Uint64 // a bit each
}

func (c *callers) enter(rank int) {
	c.ranks[rank/64].Or(1 << (rank % 64))
	c.calls.Add(1)
}

// enlist takes those into the sources who have entered themselves. It reports whether there
// are any.
func (r *rank) enlist() bool {
	c := &r.job.callers[r.number]
	calls := c.calls.Load()
	if calls == r.enlisted {
		return false
	}
	r.enlisted = calls
	for i := range c.ranks {
		for set := c.ranks[i].Load(); set != 0; set &= set - 1 {
			if in := &r.in[i*64+bits.TrailingZeros64(set)]; !in.called {
				in.called = true
				r.sources = append(r.sources, in)
			}
		}
	}
	return true
}

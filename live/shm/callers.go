package shm

import (
	"musubi/live/wire"
	"sync/atomic"
)

// callers is where ranks of a group enter themselves before they write to one of them for the
// first time. So a rank looks into the rings of those only that send to it, however many there
// are, and the memory of other rings is never touched.
type callers struct {
	Calls atomic.Uint64 // changes whenever somebody has entered itself
	_     [LineBytes - WordBytes]byte
	Ranks [wire.MaxRanks / 64]atomic.Uint64 // a bit each
}

func (c *callers) enter(rank int) {
	c.Ranks[rank/64].Or(1 << (rank % 64))
	c.Calls.Add(1)
}

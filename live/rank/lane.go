package rank

import (
	"sync/atomic"

	"musubi/live/shm"
)

// A program in C sends and receives short messages by itself, in lanes (shm.Lane), as long as nothing
// else is under way: then a call takes less time than to come here and go back. Between two calls
// here the rank may open its lanes. They are closed when the next call begins.

// Lane returns the way to another rank and back for programs in C, which send messages of up to so many bytes. It reports false if there is none.
func (r *Rank) Lane(other, longest int) (shm.Lane, bool) {
	in := &r.in[other]
	if other == r.number || in.ring == nil || r.ready() != nil || in.longest < 0 {
		return shm.Lane{}, false
	}
	l := in.ring.Lane(longest)
	l.LongestIn = uint64(in.longest)
	return l, true
}

// CountLanes notes how many messages have gone by lanes so far, for those who ask what the job does.
func (r *Rank) CountLanes(messages uint64) { r.job.Ranks[r.number].Statement.Lanes.Store(messages) }

// Sleeps reports whether ranks that wait sleep soon. Then who changes their memory has to wake them.
func (r *Rank) Sleeps() bool { return r.job.Header.Sleeps != 0 }

// Alone is where the job tells whether no programs compute beside its ranks on this host, by 1.
func (r *Rank) Alone() *atomic.Uint32 { return &r.job.Header.Alone }

// OpenLanes reports whether the program may use its lanes until it calls again. All that the rank has
// looked at is taken from the rings then, and its next look is at everything: with lanes it looks seldom.
func (r *Rank) OpenLanes() bool {
	if r.far != nil || r.queued > 0 || !r.started || r.inbox.receiver == nil {
		return false
	}
	r.releaseMessage()
	if r.inbox.receiver.Pending() {
		return false
	}
	for _, in := range r.sources {
		if in.inPlace > 0 || !in.ring.IsPlain() {
			return false
		}
	}
	r.zeroCopy.looks = batch - 1
	return true
}

package rank

import (
	"time"

	"musubi/live/shm"
	"musubi/rma"
)

// Where the system lets processes copy to each other's memory, long pushes to segments that
// are no windows need no help of the owner either: the rank that starts one copies, if
// nothing is left in the ring to the owner, and finds what it may reach where commands of
// queues do. So it is with pulls, which have no order. The owner may compute meanwhile. In all cases that are not plain the ring
// does it, as for windows.

// pushAcross writes data to a segment, and reports whether it has.
func (r *Rank) pushAcross(to rma.Address, data []byte) bool {
	if to.Rank == r.number || !r.copies(to.Rank, len(data)) {
		return false
	}
	o := &r.out[to.Rank]
	if !o.queue.isEmpty() || !o.ring.IsDrained() || r.job.Header.Failure.Load() != 0 {
		return false
	}
	r.progressAtTimes()
	if !r.commands.Push(to, data) {
		return false
	}
	shm.StoreFence()
	r.job.Tell(to.Rank)
	return true
}

// pullAcross reads data of a segment, and reports whether it has. The shorter ones of ranks with processors of their own may be
// faster by the ring, and in longer ones the owner helps if it waits as well; see shares.
func (r *Rank) pullAcross(from rma.Address, into []byte) bool {
	n := len(into)
	if n < leastAcross || !r.direct || !r.job.IsLocal(from.Rank) || r.shares(n) || r.job.Header.Failure.Load() != 0 {
		return false
	}
	if !r.mayPullByRing(from.Rank, n) {
		r.progressAtTimes()
		return r.commands.Pull(from, into)
	}
	ways := r.pulls.ways.of(n)
	by, try := ways.next(r.pulls.open == 0)
	if try {
		r.pulls.begun = time.Now()
	}
	if by == byRing {
		r.pulls.try = nil
		if try {
			r.pulls.try = ways
		}
		return false
	}
	r.progressAtTimes()
	read := r.commands.Pull(from, into)
	if try && read {
		ways.took(acrossProcesses, time.Since(r.pulls.begun))
	}
	return read
}

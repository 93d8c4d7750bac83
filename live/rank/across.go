package rank

import (
	"musubi/live/shm"
	"musubi/rma"
)

// Where the system lets processes copy to each other's memory, long pushes to segments that
// are no windows need no help of the owner either: the rank that starts one copies, if
// nothing is left in the ring to the owner, and finds what it may reach where commands of
// queues do. So it is with pulls, which have no order. So the owner may compute meanwhile. In all cases that are not plain the ring
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

// pullAcross reads data of a segment, and reports whether it has. The shorter ones of ranks with processors of their own are
// faster by the ring, and in longer ones the owner helps if it waits as well; see shares.
func (r *Rank) pullAcross(from rma.Address, into []byte) bool {
	n := len(into)
	if !r.copies(from.Rank, n) || r.pullsByRing(from.Rank, n) || r.shares(n) || uint(from.Segment) >= shm.MaxSegments || r.job.Header.Failure.Load() != 0 {
		return false
	}
	r.progressAtTimes()
	reaching := &r.job.Tables[r.number].Reaching
	reaching.Store(shm.ReachOf(from.Rank, from.Segment))
	place := &r.job.Progress[from.Rank].Segments[from.Segment]
	read := r.readFar(from, into, place)
	reaching.Store(0)
	if place.Where.Load() == 0 {
		r.job.Wake(from.Rank)
	}
	return read
}

// readFar reads from a segment where it is said to be, and reports whether it has.
func (r *Rank) readFar(from rma.Address, into []byte, place *shm.SegmentPlace) bool {
	address, bytes, ok := place.Outside()
	offset, n := uint64(from.Offset), uint64(len(into))
	return ok && offset <= bytes && n <= bytes-offset && shm.ReadFar(r.job.Pid(from.Rank), into, address+offset) == nil
}

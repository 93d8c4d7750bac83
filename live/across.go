package live

import "musubi/rma"

// Where the system lets processes copy to each other's memory, long pushes to segments that
// are no windows need no help of the owner either: the rank that starts one copies, if
// nothing is left in the ring to the owner, and finds what it may reach where commands of
// queues do. So the owner may compute meanwhile. In all cases that are not plain the ring
// does it, as for windows.

// pushAcross writes data to a segment, and reports whether it has.
func (r *rank) pushAcross(to rma.Address, data []byte) bool {
	if to.Rank == r.number || !r.copies(to.Rank, len(data)) {
		return false
	}
	o := &r.out[to.Rank]
	if !o.queue.isEmpty() || !o.taken(o.head) || r.job.header.failure.Load() != 0 {
		return false
	}
	r.breathe()
	x := r.commands.runner
	target, refused := x.enter(to.Rank, to.Segment, uint64(to.Offset), uint64(len(data)))
	written := refused.Code == 0 && x.copy(target, side{memory: data}, len(data))
	x.leave(to.Rank, to.Segment)
	if !written {
		return false
	}
	storeFence()
	r.job.tell(to.Rank)
	return true
}

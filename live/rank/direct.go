package rank

import (
	"musubi/live/shm"
	"musubi/onesided"
	"musubi/rma"
)

// Ranks that share memory write to each other's windows and read from them without
// asking: what the ring to the owner would do in order is done at once, if nothing is
// left in that ring. In all cases that are not plain, such as a window that is not
// there or an address beyond its end, the ring does it, so that errors are the same.
//
// A rank says which window it copies from or to before it looks where that is, and
// takes that back behind the copy. Who withdraws a window first takes it out of the
// table and then waits until nobody says that. Each of the two writes and then reads
// what the other writes, with sequential consistency; so either the copy is seen, or
// the window is not found.

// enter returns a window of a rank, nil if this rank cannot reach it. If it can, leave
// must follow.
func (r *Rank) enter(target, number int) []byte {
	if uint(number) >= shm.MaxWindows {
		return nil
	}
	place := &r.job.Tables[target].Windows[number]
	if place.Begin.Load() == 0 || r.job.Header.Failure.Load() != 0 {
		return nil
	}
	r.progressAtTimes()
	r.job.Tables[r.number].Reaching.Store(shm.ReachOf(target, number))
	begin := place.Begin.Load()
	if begin == 0 {
		r.leave(target, number, false)
		return nil
	}
	return r.job.Arenas[begin-1:][:place.Bytes:place.Bytes]
}

// leave ends what enter has begun. If the owner of the window sleeps, it is woken to see
// what was written, or that the window it withdraws is free.
func (r *Rank) leave(target, number int, written bool) {
	reaching := &r.job.Tables[r.number].Reaching
	if r.job.Header.Sleeps == 0 {
		shm.StoreRelease(reaching, 0)
		return
	}
	reaching.Store(0)
	if written || r.job.Tables[target].Windows[number].Begin.Load() == 0 {
		r.job.Wake(target)
	}
}

// progressEvery is how many operations a rank does at once until it looks what others
// want of it. It need not wait for anything meanwhile.
const progressEvery = 64

func (r *Rank) progressAtTimes() {
	r.reached++
	if r.reached%progressEvery != 0 || r.holdsMessage() {
		return
	}
	r.poll()
	r.depart()
	if r.job.Header.Sleeps == 1 {
		r.giveWay()
	}
}

// isReached reports whether another rank copies from or to a window of this one.
func (r *Rank) isReached(number int) bool {
	mine := shm.ReachOf(r.number, number)
	for other := range r.job.Tables {
		if r.job.Tables[other].Reaching.Load() == mine || r.job.Progress[other].Reached.Load() == mine {
			return true
		}
	}
	return false
}

// PushUnordered implements rma.Unordered.
func (r *Rank) PushUnordered(to rma.Address, scatter rma.Layout, data []byte, gather rma.Layout) bool {
	n, err := layoutBytes(gather, len(data))
	if err != nil || !scatter.IsContiguous() && scatter.Bytes() != n || r.checkPush(to.Rank, rma.DMA, n) != nil {
		return false
	}
	far, near := plain(scatter), plain(gather)
	return r.write(to, &far, cut(data, &near, n), &near, n, false)
}

// pushDirect writes n bytes to a window behind what this rank has sent its owner, and reports whether it has.
func (r *Rank) pushDirect(to rma.Address, scatter *onesided.Layout, data []byte, gather *onesided.Layout, n int) bool {
	return r.write(to, scatter, data, gather, n, true)
}

// write writes n bytes to a window, and reports whether it has. If it is to keep the order, the owner must have taken
// all that this rank has sent, and told so, which it does at times only.
func (r *Rank) write(to rma.Address, scatter *onesided.Layout, data []byte, gather *onesided.Layout, n int, inOrder bool) bool {
	window := r.enter(to.Rank, to.Segment)
	if window == nil {
		return false
	}
	memory, refused := within(window, uint64(to.Offset), uint64(n), scatter)
	o := &r.out[to.Rank]
	if n == 0 || refused.Code != 0 || inOrder && !(o.queue.isEmpty() && o.ring.IsDrained()) {
		r.leave(to.Rank, to.Segment, false)
		return false
	}
	if scatter.IsContiguous() && gather.IsContiguous() {
		o.ring.CopyInOrder(memory, data)
	} else {
		move(memory, scatter, data, gather, 0, n-1)
		shm.StoreFence()
		move(memory, scatter, data, gather, n-1, n)
	}
	r.leave(to.Rank, to.Segment, true)
	return true
}

// pullDirect reads n bytes from a window, and reports whether it has.
func (r *Rank) pullDirect(from rma.Address, gather *onesided.Layout, into []byte, scatter *onesided.Layout, n int) bool {
	window := r.enter(from.Rank, from.Segment)
	if window == nil {
		return false
	}
	memory, refused := within(window, uint64(from.Offset), uint64(n), gather)
	if refused.Code == 0 {
		move(into, scatter, memory, gather, 0, n)
	}
	r.leave(from.Rank, from.Segment, false)
	return refused.Code == 0
}

// move copies, from begin to end, the bytes that one layout names to where another
// says.
func move(memory []byte, scatter *onesided.Layout, data []byte, gather *onesided.Layout, begin, end int) {
	switch {
	case gather.IsContiguous() && scatter.IsContiguous():
		copy(memory[begin:end], data[begin:end])
	case gather.IsContiguous():
		scatter.Scatter(memory, data[begin:end], begin)
	case scatter.IsContiguous():
		gather.Gather(memory[begin:end], data, begin)
	default:
		repack(memory, scatter, data, gather, begin, end)
	}
}

// repack is move between layouts of which none is contiguous.
func repack(memory []byte, scatter *onesided.Layout, data []byte, gather *onesided.Layout, begin, end int) {
	var packed [512]byte
	for begin < end {
		n := gather.Gather(packed[:min(len(packed), end-begin)], data, begin)
		scatter.Scatter(memory, packed[:n], begin)
		begin += n
	}
}

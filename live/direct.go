package live

import (
	"unsafe"

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
func (r *rank) enter(target, number int) []byte {
	if uint(number) >= maxWindows {
		return nil
	}
	place := &r.job.tables[target].windows[number]
	if place.begin.Load() == 0 || r.job.header.failure.Load() != 0 {
		return nil
	}
	r.breathe()
	r.job.tables[r.number].reaching.Store(reachOf(target, number))
	begin := place.begin.Load()
	if begin == 0 {
		r.leave(target, number, false)
		return nil
	}
	return r.job.arenas[begin-1:][:place.bytes:place.bytes]
}

// leave ends what enter has begun. If the owner of the window sleeps, it is woken to see
// what was written, or that the window it withdraws is free.
func (r *rank) leave(target, number int, written bool) {
	reaching := &r.job.tables[r.number].reaching
	if r.job.header.sleeps == 0 {
		storeRelease(reaching, 0)
		return
	}
	reaching.Store(0)
	if written || r.job.tables[target].windows[number].begin.Load() == 0 {
		r.job.wake(target)
	}
}

// breathEvery is how many operations a rank does at once until it looks what others
// want of it. It need not wait for anything meanwhile.
const breathEvery = 64

func (r *rank) breathe() {
	r.reached++
	if r.reached%breathEvery != 0 || r.lends() {
		return
	}
	r.poll()
	r.depart()
	if r.job.header.sleeps == 1 {
		r.giveWay()
	}
}

// isReached reports whether another rank copies from or to a window of this one.
func (r *rank) isReached(number int) bool {
	mine := reachOf(r.number, number)
	for other := range r.job.tables {
		if r.job.tables[other].reaching.Load() == mine || r.job.desks[other].reached.Load() == mine {
			return true
		}
	}
	return false
}

// pushDirect writes n bytes to a window, and reports whether it has.
func (r *rank) pushDirect(to rma.Address, scatter *onesided.Layout, data []byte, gather *onesided.Layout, n int) bool {
	window := r.enter(to.Rank, to.Segment)
	if window == nil {
		return false
	}
	memory, refused := within(window, uint64(to.Offset), uint64(n), scatter)
	o := &r.out[to.Rank]
	if n == 0 || refused.Code != 0 || !o.queue.isEmpty() || !o.taken(o.head) {
		r.leave(to.Rank, to.Segment, false)
		return false
	}
	if scatter.IsContiguous() && gather.IsContiguous() {
		copyInOrder(memory, data, &o.copier)
	} else {
		move(memory, scatter, data, gather, 0, n-1)
		storeFence()
		move(memory, scatter, data, gather, n-1, n)
	}
	r.leave(to.Rank, to.Segment, true)
	return true
}

// pullDirect reads n bytes from a window, and reports whether it has.
func (r *rank) pullDirect(from rma.Address, gather *onesided.Layout, into []byte, scatter *onesided.Layout, n int) bool {
	window := r.enter(from.Rank, from.Segment)
	if window == nil {
		return false
	}
	defer r.leave(from.Rank, from.Segment, false)
	memory, refused := within(window, uint64(from.Offset), uint64(n), gather)
	if refused.Code != 0 {
		return false
	}
	move(into, scatter, memory, gather, 0, n)
	return true
}

// copyInOrder copies data to memory of the same length that others look at, its end
// last, all else as a copier does. An end that is an aligned number of 2, 4 or 8 bytes is
// written at once. The race detector is not told: programs may look at such memory at any
// time.
//
//go:norace
func copyInOrder(memory, data []byte, by *copier) {
	end := uintptr(unsafe.Pointer(unsafe.SliceData(memory))) + uintptr(len(memory))
	unit := 8
	for end%uintptr(unit) != 0 || unit > len(memory) {
		unit /= 2
	}
	rest := len(memory) - unit
	by.copy(memory[:rest], data[:rest])
	storeFence()
	copyUnit(memory[rest:], data[rest:], unit)
}

// copyUnit copies a number of 1, 2, 4 or 8 bytes.
//
//go:norace
func copyUnit(memory, data []byte, unit int) {
	to, from := unsafe.Pointer(&memory[0]), unsafe.Pointer(&data[0])
	switch unit {
	case 8:
		*(*uint64)(to) = *(*uint64)(from)
	case 4:
		*(*uint32)(to) = *(*uint32)(from)
	case 2:
		*(*uint16)(to) = *(*uint16)(from)
	default:
		*(*byte)(to) = *(*byte)(from)
	}
}

// move copies, from begin to end, the bytes that one layout names to where another
// says.
func move(memory []byte, scatter *onesided.Layout, data []byte, gather *onesided.Layout, begin, end int) {
	switch {
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

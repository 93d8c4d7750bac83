package neighbour

import (
	"slices"

	"musubi/mpi/internal/queueplan"
	"musubi/rma"
	"musubi/units"
)

// An eager edge has a buffer: memory of the receiver with slots that the data of rounds
// takes in turns. Its sender is at most one round ahead, so that it may send when it starts a
// round, and two slots would do: what the next one held was taken two rounds ago.
//
// But a slot that is soon written again lies in the cache of the receiver's processor, from
// where each line has to be called back, which takes longer than all the rest. So long data
// between processes goes round in more slots, which such a cache cannot hold together. Found
// by measuring: 16 KiB with two neighbours then take 2.4 us instead of 6 between processors
// that share a last cache, and 4.7 between others. Pages that are touched for the first time
// cost as much as some exchanges, so an operation that is not started often does without.
const (
	fewestSlots  = 2
	longData     = 2 << 10 // bytes of an edge that are worth it
	buffersBytes = 2 << 20 // of all buffers of a rank: about twice what its processor's own cache holds
	settledAt    = 64      // round from which on all slots are used; a multiple of fewestSlots
)

// preferEager lets an operation be eager whose protocol the program leaves open, if all
// neighbours share memory, two rounds of data are no more than buffers should be, and that
// is predicted to take the least time.
func (x *exchange) preferEager(costs rma.QueueCosts, engines, free int, d *queueplan.Demand) {
	if x.options.Protocol != auto || costs.Shared == 0 || d.Most() == 0 {
		return
	}
	if fewestSlots*x.bytesIn() > buffersBytes || !x.sharesWithAll() {
		return
	}
	time := eagerTime(costs, d)
	for queues := range 1 + min(free, d.Most()) {
		if queueplan.Assign(costs, engines, queues, d).Time < time {
			return
		}
	}
	d.Queues, d.Eager = 0, true
}

// eagerTime is how long processors copy: to buffers what they send, and from there what
// comes, which is taken to be as much.
func eagerTime(costs rma.QueueCosts, d *queueplan.Demand) (t units.Time) {
	rate := costs.Shared
	if rate == 0 {
		rate = costs.Rate
	}
	for _, bytes := range d.Out {
		t += rate.Transfer(units.Bytes(2 * bytes))
	}
	return t
}

func (x *exchange) sharesWithAll() bool {
	return !slices.ContainsFunc(x.ins, func(in inEdge) bool { return !x.sharesMemory(in.rank) }) &&
		!slices.ContainsFunc(x.outs, func(out outEdge) bool { return !x.sharesMemory(out.rank) })
}

// beEager gives edges to this rank buffers.
func (x *exchange) beEager() {
	for i := range x.ins {
		in := &x.ins[i]
		in.slots = x.slotsFor(in)
		in.spot.Segment, in.buffer = x.exposeBuffer(in.rank, in.slots*slotBytes(len(in.into)))
	}
}

// slotsFor returns how many slots the buffer of an edge has. What else comes to this rank
// displaces what is in its cache as well. Ranks that take turns on a processor have the same
// cache.
func (x *exchange) slotsFor(in *inEdge) int {
	if x.e.Oversubscribed || len(in.into) < longData || in.rank == x.c.Rank() || !x.sharesMemory(in.rank) {
		return fewestSlots
	}
	bytes := 0
	for _, other := range x.all.all {
		bytes += other.bytesIn()
	}
	return max(fewestSlots, buffersBytes/bytes)
}

// bytesIn is how much data comes to this rank in a round.
func (x *exchange) bytesIn() (n int) {
	for i := range x.ins {
		n += len(x.ins[i].into)
	}
	return n
}

// exposeBuffer makes memory where a rank can write to it best.
func (x *exchange) exposeBuffer(from, n int) (segment int64, memory []byte) {
	if x.sharesMemory(from) {
		if segment, memory, err := x.e.Process.ExposeWindow(n); err == nil {
			x.segments = append(x.segments, segment)
			return int64(segment), memory
		}
	}
	memory = make([]byte, n)
	return int64(x.exposeMemory(memory)), memory
}

func (x *exchange) sharesMemory(rank int) bool {
	return x.all.barriers != nil && x.all.barriers.Shares(int(x.c.Process(rank)))
}

// takeFromSlot takes the data of this round off the buffer of an edge.
func (x *exchange) takeFromSlot(in *inEdge) {
	n := min(len(in.into), int(in.far.Bytes))
	at := slotOf(x.round, in.slots, len(in.into))
	if in.packed != nil {
		in.into = in.buffer[at:][:len(in.into)] // from where it is unpacked
		return
	}
	x.note(x.e.Process.Load(int(in.spot.Segment), at, rma.Layout{}, in.into[:n], rma.Cached))
}

// slotBytes is what a slot of a buffer for n bytes takes, such that each begins a
// line of memory.
func slotBytes(n int) int {
	const line = 64
	return (max(1, n) + line - 1) &^ (line - 1)
}

// slotOf returns where in a buffer of some slots for n bytes those of a round lie.
func slotOf(round uint64, slots, n int) int {
	if round < settledAt {
		return int(round%fewestSlots) * slotBytes(n)
	}
	return int((round-settledAt)%uint64(slots)) * slotBytes(n)
}

func (out *outEdge) isEager() bool { return out.far.Slots > 0 }

// slotIn returns where the data of a round goes.
func (out *outEdge) slotIn(round uint64) spot {
	s := out.far.Data
	if out.isEager() {
		s.Offset += int64(slotOf(round, int(out.far.Slots), int(out.far.Bytes)))
	}
	return s
}

// pairEdges finds the eager edges whose two ends have one the other way round as well. The
// data of that tells that its sender has begun the round, so no word has to.
func (x *exchange) pairEdges() {
	for i := range x.outs {
		out := &x.outs[i]
		for j := range x.ins {
			if in := &x.ins[j]; in.rank == out.rank && in.buffer != nil && out.isEager() {
				in.paired, out.paired = true, true
			}
		}
	}
}

package neighbour

import (
	"slices"

	"musubi/internal/phantom"
	"musubi/mpi/internal/queueplan"
	"musubi/rma"
	"musubi/units"
)

// An eager edge has a buffer at the receiver, with slots that the data of successive rounds uses in
// turn. The sender is at most one round ahead, so two slots suffice, and the sender may write when
// it starts a round: the receiver has taken the previous contents of the slot two rounds ago.
//
// But a slot that is soon written again lies in the cache of the receiver's processor, and moving
// each of its lines to the sender takes longer than everything else. So long data between processes
// uses more slots than such a cache can hold. Measured: 16 KiB with two neighbours then take 2.4 us
// instead of 6 between processors that share a last-level cache, and 4.7 us between others. The first
// access to a page costs as much as several exchanges, so the first rounds use two slots only.
const (
	fewestSlots  = 2
	longData     = 2 << 10 // bytes of an edge from which more than two slots pay
	buffersBytes = 2 << 20 // of all buffers of a rank: about twice what its processor's own cache holds
	allSlotsFrom = 64      // round from which on all slots are used; a multiple of fewestSlots
)

// preferEager chooses protocol Eager for an operation whose program leaves the choice open, if all
// neighbours share memory, two rounds of data fit buffersBytes, and Eager is predicted to take the
// least time.
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

// eagerTime predicts how long the processor copies: data to send into buffers, and received data,
// assumed to be as much, out of them.
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

// beEager gives the edges to this rank buffers.
func (x *exchange) beEager() {
	for i := range x.ins {
		in := &x.ins[i]
		in.slots = x.slotsFor(in)
		in.location.Segment, in.buffer = x.exposeBuffer(in.rank, in.into, in.slots*slotBytes(len(in.into)))
	}
}

// slotsFor returns how many slots the buffer of an edge has. Data of all edges to this rank shares
// its cache, so fewer slots suffice if there is more of it. Ranks that share a processor have the
// same cache, and need no more than fewestSlots.
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

// exposeBuffer exposes n bytes, phantom if into is, where a rank writes to them fastest.
func (x *exchange) exposeBuffer(from int, into []byte, n int) (segment int64, memory []byte) {
	if x.sharesMemory(from) {
		if segment, memory, err := x.e.Process.ExposeWindow(n); err == nil {
			x.segments = append(x.segments, segment)
			return int64(segment), memory
		}
	}
	memory = phantom.Like(into, n)
	return int64(x.exposeMemory(memory)), memory
}

func (x *exchange) sharesMemory(rank int) bool {
	return x.all.barriers != nil && x.all.barriers.Shares(int(x.c.Process(rank)))
}

// takeFromSlot takes the data of this round out of the buffer of an edge.
func (x *exchange) takeFromSlot(in *inEdge) {
	n := min(len(in.into), int(in.far.Bytes))
	at := slotOf(x.round, in.slots, len(in.into))
	if in.packed != nil {
		in.into = in.buffer[at:][:len(in.into)] // unpackAll reads it there
		return
	}
	x.note(x.e.Process.Load(int(in.location.Segment), at, rma.Layout{}, in.into[:n], rma.Cached))
}

// slotBytes is the size of a slot for n bytes: whole cache lines.
func slotBytes(n int) int {
	const line = 64
	return (max(1, n) + line - 1) &^ (line - 1)
}

// slotOf returns the offset of the data of a round in a buffer of some slots for n bytes.
func slotOf(round uint64, slots, n int) int {
	if round < allSlotsFrom {
		return int(round%fewestSlots) * slotBytes(n)
	}
	return int((round-allSlotsFrom)%uint64(slots)) * slotBytes(n)
}

func (out *outEdge) isEager() bool { return out.far.Slots > 0 }

// slotIn returns where the receiver wants the data of a round.
func (out *outEdge) slotIn(round uint64) location {
	s := out.far.Data
	if out.isEager() {
		s.Offset += int64(slotOf(round, int(out.far.Slots), int(out.far.Bytes)))
	}
	return s
}

// pairEdges finds the eager edges with an eager edge in the opposite direction between the same
// ranks. The data of one tells that its sender has begun the round, so the other needs no RTR word.
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

package neighbour

import (
	"slices"

	"musubi/mpi/internal/queueplan"
	"musubi/rma"
	"musubi/units"
)

// An eager edge has a landing: memory of the receiver with places that the data of rounds
// takes in turns. Its sender is at most one round ahead, so that it may send when it starts a
// round, and two places would do: what the next one held was taken two rounds ago.
//
// But a place that is soon written again lies in the cache of the receiver's processor, from
// where each line has to be called back, which takes longer than all the rest. So long data
// between processes goes round in more places, which such a cache cannot hold together. Found
// by measuring: 16 KiB with two neighbours then take 2.4 us instead of 6 between processors
// that share a last cache, and 4.7 between others. Pages that are touched for the first time
// cost as much as some exchanges, so an operation that is not started often does without.
const (
	fewestPlaces = 2
	longData     = 2 << 10 // bytes of an edge that are worth it
	landingBytes = 2 << 20 // of all landings of a rank: about twice what its processor's own cache holds
	settledAt    = 64      // round from which on all places are used; a multiple of fewestPlaces
)

// preferEager lets an operation be eager whose protocol the program leaves open, if all
// neighbours share memory, two rounds of data are no more than landings should be, and that
// is predicted to take the least time.
func (x *exchange) preferEager(costs rma.QueueCosts, engines, free int, d *queueplan.Demand) {
	if x.options.Protocol != auto || costs.Shared == 0 || d.Most() == 0 {
		return
	}
	if fewestPlaces*x.bytesIn() > landingBytes || !x.sharesWithAll() {
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

// eagerTime is how long processors copy: to landings what they send, and from there what
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

// beEager gives edges to this rank landings.
func (x *exchange) beEager() {
	for i := range x.ins {
		in := &x.ins[i]
		in.places = x.placesFor(in)
		in.spot.Segment, in.landing = x.exposeLanding(in.rank, in.places*placeBytes(len(in.into)))
	}
}

// placesFor returns how many places the landing of an edge has. What else comes to this rank
// displaces what is in its cache as well. Ranks that take turns on a processor have the same
// cache.
func (x *exchange) placesFor(in *inEdge) int {
	if x.e.Oversubscribed || len(in.into) < longData || in.rank == x.c.Rank() || !x.sharesMemory(in.rank) {
		return fewestPlaces
	}
	bytes := 0
	for _, other := range x.all.all {
		bytes += other.bytesIn()
	}
	return max(fewestPlaces, landingBytes/bytes)
}

// bytesIn is how much data comes to this rank in a round.
func (x *exchange) bytesIn() (n int) {
	for i := range x.ins {
		n += len(x.ins[i].into)
	}
	return n
}

// exposeLanding makes memory where a rank can write to it best.
func (x *exchange) exposeLanding(from, n int) (segment int64, memory []byte) {
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

// land takes the data of this round off the landing of an edge.
func (x *exchange) land(in *inEdge) {
	n := min(len(in.into), int(in.far.Bytes))
	at := placeOf(x.round, in.places, len(in.into))
	if in.packed != nil {
		in.into = in.landing[at:][:len(in.into)] // from where it is unpacked
		return
	}
	x.note(x.e.Process.Load(int(in.spot.Segment), at, rma.Layout{}, in.into[:n], rma.Cached))
}

// placeBytes is what a place of a landing for n bytes takes, such that each begins a
// line of memory.
func placeBytes(n int) int {
	const line = 64
	return (max(1, n) + line - 1) &^ (line - 1)
}

// placeOf returns where in a landing of some places for n bytes those of a round lie.
func placeOf(round uint64, places, n int) int {
	if round < settledAt {
		return int(round%fewestPlaces) * placeBytes(n)
	}
	return int((round-settledAt)%uint64(places)) * placeBytes(n)
}

func (out *outEdge) isEager() bool { return out.far.Places > 0 }

// placeIn returns where the data of a round goes.
func (out *outEdge) placeIn(round uint64) spot {
	s := out.far.Data
	if out.isEager() {
		s.Offset += int64(placeOf(round, int(out.far.Places), int(out.far.Bytes)))
	}
	return s
}

// pairEdges finds the eager edges whose two ends have one the other way round as well. The
// data of that tells that its sender has begun the round, so no word has to.
func (x *exchange) pairEdges() {
	for i := range x.outs {
		out := &x.outs[i]
		for j := range x.ins {
			if in := &x.ins[j]; in.rank == out.rank && in.landing != nil && out.isEager() {
				in.paired, out.paired = true, true
			}
		}
	}
}

package mpi

import (
	"slices"

	"musubi/rma"
	"musubi/units"
)

// An eager edge has a landing: memory of the receiver with a place for the data of each
// round of even number, and of odd number. Its sender is at most one round ahead, so that
// it may send when it starts a round: what the place held was taken two rounds ago.

// preferEager lets an operation be eager whose protocol the program leaves open, if all
// neighbours share memory and that is predicted to take the least time.
func (x *exchange) preferEager(costs rma.QueueCosts, engines, free int, d *demand) {
	if x.options.Protocol != Auto || costs.Shared == 0 || d.most() == 0 || !x.sharesWithAll() {
		return
	}
	time := eagerTime(costs, d)
	for queues := range 1 + min(free, d.most()) {
		if assign(costs, engines, queues, d).time < time {
			return
		}
	}
	d.queues, d.eager = 0, true
}

// eagerTime is how long processors copy: to landings what they send, and from there what
// comes, which is taken to be as much.
func eagerTime(costs rma.QueueCosts, d *demand) (t units.Time) {
	rate := costs.Shared
	if rate == 0 {
		rate = costs.Rate
	}
	for _, bytes := range d.out {
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
		in.spot.Segment, in.landing = x.exposeLanding(in.rank, 2*placeBytes(len(in.into)))
	}
}

// exposeLanding makes memory where a rank can write to it best.
func (x *exchange) exposeLanding(from, n int) (segment int64, memory []byte) {
	if x.sharesMemory(from) {
		if segment, memory, err := x.e.p.ExposeWindow(n); err == nil {
			x.segments = append(x.segments, segment)
			return int64(segment), memory
		}
	}
	memory = make([]byte, n)
	return int64(x.exposeMemory(memory)), memory
}

func (x *exchange) sharesMemory(rank int) bool {
	return x.e.boards != nil && x.e.boards.Shares(int(x.c.process(rank)))
}

// land takes the data of this round off the landing of an edge.
func (x *exchange) land(in *inEdge) {
	n := min(len(in.into), int(in.far.Bytes))
	at := placeOf(x.round, len(in.into))
	if in.spread != nil {
		in.into = in.landing[at:][:len(in.into)] // from where it is unpacked
		return
	}
	x.note(x.e.p.Load(int(in.spot.Segment), at, rma.Layout{}, in.into[:n], rma.Cached))
}

// placeBytes is what a place of a landing for n bytes takes, such that both places begin a
// line of memory.
func placeBytes(n int) int {
	const line = 64
	return (max(1, n) + line - 1) &^ (line - 1)
}

// placeOf returns where in a landing for n bytes those of a round lie.
func placeOf(round uint64, n int) int { return int(round%2) * placeBytes(n) }

func (out *outEdge) isEager() bool { return out.far.Eager == 1 }

// placeIn returns where the data of a round goes.
func (out *outEdge) placeIn(round uint64) spot {
	s := out.far.Data
	if out.isEager() {
		s.Offset += int64(placeOf(round, int(out.far.Bytes)))
	}
	return s
}

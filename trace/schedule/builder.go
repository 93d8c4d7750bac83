package schedule

import (
	"runtime"

	"musubi/internal/spill"
)

// Edge says that operation To waits for operation From: for its end, or for its start.
type Edge struct {
	From, To uint32
	Start    bool
}

// Connect enters what operations wait for, in the order of edges.
func (r *Rank) Connect(edges []Edge) {
	for _, e := range edges {
		if e.Start {
			r.Ops[e.From].Started++
		} else {
			r.Ops[e.From].Ended++
		}
		r.Ops[e.To].Waits++
	}
	at := uint32(0)
	for i := range r.Ops {
		r.Ops[i].First = at
		at += r.Ops[i].Ended + r.Ops[i].Started
	}
	r.Next = spill.Make[uint32](r.area, int(at))
	entered := spill.New()
	ends, starts := spill.Make[uint32](entered, len(r.Ops)), spill.Make[uint32](entered, len(r.Ops)) // so far
	for _, e := range edges {
		op := &r.Ops[e.From]
		if e.Start {
			r.Next[op.First+op.Ended+starts[e.From]] = e.To
			starts[e.From]++
		} else {
			r.Next[op.First+ends[e.From]] = e.To
			ends[e.From]++
		}
	}
	runtime.KeepAlive(entered)
	r.area.Used(len(edges))
}

// Count counts processors and interfaces.
func (s *Schedule) Count() {
	s.CPUs, s.NICs = 1, 1
	for r := range s.Ranks {
		s.Used(len(s.Ranks[r].Ops))
		for i := range s.Ranks[r].Ops {
			op := &s.Ranks[r].Ops[i]
			s.CPUs, s.NICs = max(s.CPUs, int(op.CPU)+1), max(s.NICs, int(op.NIC)+1)
		}
	}
}

// Builder makes a schedule.
type Builder struct {
	schedule *Schedule
	area     *spill.Area // of edges
	edges    [][]Edge    // of each rank
}

// NewBuilder returns a builder of a schedule of some ranks, which do nothing so far.
func NewBuilder(ranks int) *Builder {
	b := &Builder{schedule: New(), area: spill.New(), edges: make([][]Edge, ranks)}
	for range ranks {
		b.schedule.AddRank()
	}
	return b
}

// Add adds an operation of a rank, and returns its number there. What it waits for in another schedule does not count.
func (b *Builder) Add(rank int, op Op) uint32 {
	op.Waits, op.First, op.Ended, op.Started = 0, 0, 0, 0
	r := &b.schedule.Ranks[rank]
	r.Add(op)
	b.schedule.Used(1)
	return uint32(len(r.Ops) - 1)
}

// Require lets an operation of a rank start when another one has ended.
func (b *Builder) Require(rank int, ended, op uint32) {
	b.add(rank, Edge{From: ended, To: op})
}

// RequireStart lets an operation of a rank start when another one has started.
func (b *Builder) RequireStart(rank int, started, op uint32) {
	b.add(rank, Edge{From: started, To: op, Start: true})
}

func (b *Builder) add(rank int, e Edge) {
	b.edges[rank] = spill.Append(b.area, b.edges[rank], e)
	b.area.Used(1)
}

// Schedule ends the work of the builder.
func (b *Builder) Schedule() *Schedule {
	for r := range b.edges {
		b.schedule.Ranks[r].Connect(b.edges[r])
	}
	b.schedule.Count()
	return b.schedule
}

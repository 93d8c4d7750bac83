package algorithm

import (
	"unsafe"

	"musubi/mpi/internal/reduction"
	"musubi/mpi/internal/schedule"
)

// partial is the partial result of a rank that combines its elements with those of others.
//
// The elements that the program gives are not copied if the operation is commutative: the first
// elements that come from another rank are combined with them where they have been received.
type partial struct {
	s     *schedule.Schedule
	op    reduction.Op
	have  []byte // the result so far
	room  []byte // for what the next rank sends; nil: not drawn yet
	given bool   // have is memory of the program, which is only read
}

// partialOf returns the partial result that is the elements of this rank.
func partialOf(s *schedule.Schedule, a Arguments) partial {
	p := partial{s: s, op: a.Op, have: a.In}
	work := a.Out
	if len(a.Out) != len(a.In) {
		work = nil
	}
	switch {
	case a.Op.Commutative && unsafe.SliceData(a.In) != unsafe.SliceData(a.Out):
		p.given, p.room = true, work
	case work == nil:
		p.have = s.Scratch(a.In, len(a.In))
	default:
		p.have = work
	}
	s.Copy(p.have, a.In)
	return p
}

// into returns memory for the elements of another rank, which has as many.
func (p *partial) into() []byte {
	if p.room == nil {
		p.room = p.s.Scratch(p.have, len(p.have))
	}
	return p.room
}

// accumulates reports whether all that comes from now on is combined with the same memory, whoever sends it.
func (p *partial) accumulates() bool { return p.op.Commutative && !p.given }

// merge combines a range of the elements of this rank with that of another one, which has been
// received. Unless the operation is commutative, the operand from lower ranks is the first.
func (p *partial) merge(r half, receivedIsLower bool) {
	if p.accumulates() || !p.given && receivedIsLower {
		p.s.Combine(r.of(p.room), r.of(p.have))
		return
	}
	p.s.Combine(r.of(p.have), r.of(p.room))
	p.have, p.room = p.room, p.have
	if p.given {
		p.room, p.given = nil, false
	}
}

// mergeAll is merge of all elements.
func (p *partial) mergeAll(receivedIsLower bool) { p.merge(half{0, len(p.have)}, receivedIsLower) }

// inApart returns the elements of this rank in memory apart from the result.
func inApart(s *schedule.Schedule, a Arguments) []byte {
	if unsafe.SliceData(a.In) != unsafe.SliceData(a.Out) {
		return a.In
	}
	in := s.Scratch(a.In, len(a.In))
	s.Copy(in, a.In)
	return in
}

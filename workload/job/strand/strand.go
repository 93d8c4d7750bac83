// Package strand writes down what one rank of a job does, one thing after the other, with messages beside it.
//
// A rank has a main line of computations and operations that wait for each other, and a side line of collective operations that
// only wait for each other and for where they branched off.
package strand

import (
	"slices"

	"musubi/trace/schedule"
)

// Strand is what a rank does.
type Strand struct {
	b    *schedule.Builder
	rank int
	cpu  uint8

	computing int64    // picoseconds that are not written down yet
	last      []uint32 // what the main line waits for
	before    []uint32 // what the last operation of the main line waited for
	side      []uint32 // what the side line waits for
}

// New returns a rank that has done nothing. cpu is the processor of its computations: 0 for one that does nothing else
// meanwhile, others for those beside which messages are passed.
func New(b *schedule.Builder, rank int, cpu uint8) *Strand {
	return &Strand{b: b, rank: rank, cpu: cpu}
}

// Compute lets the main line compute. Computations in a row become one.
func (s *Strand) Compute(picoseconds int64) { s.computing += picoseconds }

// settle writes down what has been computed.
func (s *Strand) settle() {
	if s.computing == 0 {
		return
	}
	op := schedule.CalcOf(s.computing)
	op.CPU = s.cpu
	s.computing = 0
	s.main(op)
}

// add adds an operation that waits for others.
func (s *Strand) add(op schedule.Op, after ...[]uint32) uint32 {
	n := s.b.Add(s.rank, op)
	for _, list := range after {
		for _, other := range list {
			s.b.Require(s.rank, other, n)
		}
	}
	return n
}

// main adds an operation to the main line.
func (s *Strand) main(op schedule.Op) {
	n := s.add(op, s.last)
	s.before, s.last = s.last, []uint32{n}
}

// Call does a collective operation on the main line.
func (s *Strand) Call(op schedule.Op) {
	s.settle()
	s.main(op)
}

// Send sends a message when the main line has come here, which does not wait for its end.
func (s *Strand) Send(to int, bytes int64, tag uint32) (sent uint32) {
	s.settle()
	return s.add(schedule.Op{Kind: schedule.Send, Peer: uint32(to), Size: uint64(bytes), Tag: tag}, s.last)
}

// Receive receives a message from when the main line has come here. Whoever needs it waits for it.
func (s *Strand) Receive(from int, bytes int64, tag uint32) (received uint32) {
	s.settle()
	return s.add(receive(from, bytes, tag), s.last)
}

// ReceiveAhead receives a message from when the last operation of the main line could begin, and lets the main line wait
// for it.
func (s *Strand) ReceiveAhead(from int, bytes int64, tag uint32) {
	s.settle()
	n := s.add(receive(from, bytes, tag), s.before)
	s.last = append(slices.Clone(s.last), n)
}

func receive(from int, bytes int64, tag uint32) schedule.Op {
	return schedule.Op{Kind: schedule.Receive, Peer: uint32(from), Size: uint64(bytes), Tag: tag}
}

// Wait lets the main line wait for operations.
func (s *Strand) Wait(ops ...uint32) {
	s.settle()
	s.last = append(slices.Clone(s.last), ops...)
}

// Beside does a collective operation on the side line, when the main line has come here, which goes on.
func (s *Strand) Beside(op schedule.Op) (n uint32) {
	s.settle()
	n = s.add(op, s.last, s.side)
	s.side = []uint32{n}
	return n
}

// End lets the main line wait for the side line.
func (s *Strand) End() { s.Wait(s.side...) }

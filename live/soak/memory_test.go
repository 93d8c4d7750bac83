//go:build linux

package soak

import (
	"errors"
	"fmt"

	"musubi/mpi"
	"musubi/rma"
)

// exposed is memory of the same size at each rank, with a part for each.
type exposed struct {
	part     int
	segments []int // by rank
	mine     []byte
}

// expose exposes memory, of its own or a window, and tells all others its number.
func (s *soaker) expose(part int) (*exposed, error) {
	e := &exposed{part: part, mine: make([]byte, part*ranks), segments: make([]int, ranks)}
	number := 0
	if s.plan.IntN(2) == 0 {
		number = s.p.Expose(e.mine)
	} else {
		var err error
		if number, e.mine, err = s.p.ExposeWindow(part * ranks); err != nil {
			return nil, err
		}
	}
	return e, mpi.AllGather(s.c, []int{number}, e.segments)
}

// at is the part of this rank in the memory of another.
func (s *soaker) at(e *exposed, rank int) rma.Address {
	return rma.Address{Rank: rank, Segment: e.segments[rank], Offset: e.part * s.p.Rank()}
}

// memory lets each rank write to all others, and read what it and others have written.
func (s *soaker) memory() error {
	e, err := s.expose(2 + s.length())
	if err != nil {
		return err
	}
	if err := s.writeParts(e); err != nil {
		return err
	}
	if err := mpi.Barrier(s.c); err != nil {
		return err
	}
	for rank := range ranks {
		if err := compare(e.mine[rank*e.part:][:e.part], s.round, rank, s.p.Rank()); err != nil {
			return err
		}
	}
	if err := s.readParts(e); err != nil {
		return err
	}
	if err := mpi.Barrier(s.c); err != nil {
		return err
	}
	return s.p.Withdraw(e.segments[s.p.Rank()])
}

// writeParts writes this rank's part at each rank: at once, in pieces, or the even and
// the odd bytes by layouts.
func (s *soaker) writeParts(e *exposed) error {
	var open []rma.Op
	for _, to := range s.own.Perm(ranks) {
		data, at := pattern(e.part, s.round, s.p.Rank(), to), s.at(e, to)
		switch s.own.IntN(3) {
		case 0:
			op, err := s.p.Push(at, data, rma.DMA)
			if err != nil {
				return err
			}
			open = append(open, op)
		case 1:
			ops, err := s.writePieces(at, data)
			if err != nil {
				return err
			}
			open = append(open, ops...)
		case 2:
			for odd := range 2 {
				half := rma.Strided(1, 2, (len(data)+1-odd)/2)
				there := at
				there.Offset += odd
				op, err := s.p.PushLayout(there, half, data[odd:], half, rma.DMA)
				if err != nil {
					return err
				}
				open = append(open, op)
			}
		}
	}
	return s.wait(open)
}

// writePieces writes data in up to 8 pieces.
func (s *soaker) writePieces(at rma.Address, data []byte) ([]rma.Op, error) {
	var open []rma.Op
	piece := max(1, len(data)/8, s.own.IntN(len(data)))
	for len(data) > 0 {
		n := min(piece, len(data))
		op, err := s.p.Push(at, data[:n], rma.DMA)
		if err != nil {
			return open, err
		}
		open, data = append(open, op), data[n:]
		at.Offset += n
	}
	return open, nil
}

func (s *soaker) wait(open []rma.Op) error {
	var all error
	for _, i := range s.own.Perm(len(open)) {
		if err := s.p.Wait(open[i]); err != nil && all == nil {
			all = err
		}
	}
	return all
}

// readParts reads what another rank has written to a third, and makes mistakes.
func (s *soaker) readParts(e *exposed) error {
	target, author := s.own.IntN(ranks), s.own.IntN(ranks)
	at := rma.Address{Rank: target, Segment: e.segments[target], Offset: author * e.part}
	got := make([]byte, e.part)
	op, err := s.p.Pull(at, got)
	if err := errors.Join(err, s.p.Wait(op)); err != nil {
		return err
	}
	if err := compare(got, s.round, author, target); err != nil {
		return err
	}
	at.Offset = ranks*e.part - e.part + 1
	if op, err = s.p.Pull(at, got); err == nil {
		err = s.p.Wait(op)
	}
	if err == nil {
		return fmt.Errorf("wrong data: %d bytes are read at %v, beyond the end", len(got), at)
	}
	return nil
}

// marks lets marks go round in a ring of ranks, in exposed memory.
func (s *soaker) marks() error {
	n := 1 + s.length()/8
	e, err := s.expose(n)
	if err != nil {
		return err
	}
	next, before := (s.p.Rank()+1)%ranks, (s.p.Rank()+ranks-1)%ranks
	inbox := e.mine[before*n:][:n]
	for turn := range 1 + s.plan.IntN(20) {
		data := pattern(n, s.round, turn, next)
		data[n-1] = byte(turn + 1)
		op, err := s.p.Push(s.at(e, next), data, rma.DMA)
		if err != nil {
			return err
		}
		if err := s.p.WaitUntil(func() bool { return inbox[n-1] == byte(turn+1) }); err != nil {
			return err
		}
		want := pattern(n, s.round, turn, s.p.Rank())
		if string(inbox[:n-1]) != string(want[:n-1]) {
			return fmt.Errorf("wrong data: turn %d of %d bytes", turn, n)
		}
		if err := s.p.Wait(op); err != nil {
			return err
		}
		if err := mpi.Barrier(s.c); err != nil { // before it is written again
			return err
		}
	}
	return s.p.Withdraw(e.segments[s.p.Rank()])
}

package mpi

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// Here the schedules of all ranks are carried out in one loop, without a world.

// paper is a world for schedules: messages lie in order between each two ranks.
type paper struct {
	ranks    []*paperRank
	messages map[[2]int][][]byte
	rng      *rand.Rand // who goes on next
	op       operator
	sent     int // messages
}

type paperRank struct {
	schedule
	next    int    // step
	pending []step // receives that have been started
}

func newPaper(size int, seed uint64, op operator) *paper {
	w := &paper{messages: map[[2]int][][]byte{}, rng: rand.New(rand.NewPCG(seed, 0)), op: op}
	for rank := range size {
		r := &paperRank{}
		r.reset(rank, size)
		w.ranks = append(w.ranks, r)
	}
	return w
}

// run carries out all schedules. It fails if ranks wait for ever, if a message has
// another length than was expected, or if one is left.
func (w *paper) run() error {
	for left := len(w.ranks); left > 0; {
		moved := false
		left = 0
		for _, i := range w.rng.Perm(len(w.ranks)) {
			for ok := true; ok; {
				var err error
				if ok, err = w.step(w.ranks[i]); err != nil {
					return err
				}
				moved = moved || ok
			}
			if w.ranks[i].next < len(w.ranks[i].steps) {
				left++
			}
		}
		if left > 0 && !moved {
			return fmt.Errorf("%d ranks wait for ever", left)
		}
	}
	for pair, m := range w.messages {
		if len(m) > 0 {
			return fmt.Errorf("%d messages from rank %d to %d are left", len(m), pair[0], pair[1])
		}
	}
	return nil
}

// step takes one step of a rank, if it can.
func (w *paper) step(r *paperRank) (bool, error) {
	if r.next == len(r.steps) {
		if len(r.pending) > 0 {
			return false, fmt.Errorf("rank %d ends without waiting", r.rank)
		}
		return false, nil
	}
	switch s := r.steps[r.next]; s.action {
	case sendStep:
		pair := [2]int{r.rank, s.peer}
		w.messages[pair] = append(w.messages[pair], bytes.Clone(s.from))
		w.sent++
	case receiveStep:
		r.pending = append(r.pending, s)
	case waitStep:
		for len(r.pending) > 0 {
			ok, err := w.receive(r, r.pending[0])
			if !ok || err != nil {
				return false, err
			}
			r.pending = r.pending[1:]
		}
	default:
		s.compute(w.op)
	}
	r.next++
	return true, nil
}

func (w *paper) receive(r *paperRank, s step) (bool, error) {
	pair := [2]int{s.peer, r.rank}
	m := w.messages[pair]
	if len(m) == 0 {
		return false, nil
	}
	if len(m[0]) != len(s.into) {
		return false, fmt.Errorf("rank %d has sent %d bytes to rank %d, which expects %d", s.peer, len(m[0]), r.rank, len(s.into))
	}
	copy(s.into, m[0])
	w.messages[pair] = m[1:]
	return true, nil
}

// span is an element for an operation that is not commutative: consecutive ranks.
// Combining others yields broken, for good.
type span struct{ from, to int8 }

var broken = span{-1, -1}

func join(a, b span) span {
	if a == broken || b == broken || a.to != b.from {
		return broken
	}
	return span{a.from, b.to}
}

// joinSpans is associative, not commutative.
var joinSpans = Op[span]{Apply: func(in, inout []span) {
	for i := range in {
		inout[i] = join(in[i], inout[i])
	}
}}

var addBytes = Op[span]{Commutative: true, Apply: func(in, inout []span) {
	for i := range in {
		inout[i].from += in[i].from
		inout[i].to += in[i].to
	}
}}

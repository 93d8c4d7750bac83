package algorithm

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/reduction"
	"musubi/mpi/internal/schedule"
)

// Here the schedules of all ranks are carried out in one loop, without a world.

// paper is a world for schedules: messages lie in order between each two ranks.
type paper struct {
	ranks    []*paperRank
	messages map[[2]int][][]byte
	rng      *rand.Rand // who goes on next
	op       reduction.Op
	sent     int // messages
}

type paperRank struct {
	schedule.Schedule
	next    int             // step
	round   int             // part of that, if it has rounds
	begun   bool            // the messages of an Exchange, which is next
	pending []schedule.Step // receives that have been started
}

func newPaper(size int, seed uint64, op reduction.Op) *paper {
	w := &paper{messages: map[[2]int][][]byte{}, rng: rand.New(rand.NewPCG(seed, 0)), op: op}
	for rank := range size {
		r := &paperRank{}
		r.Reset(rank, size)
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
			if w.ranks[i].next < len(w.ranks[i].Steps) {
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
	if r.next == len(r.Steps) {
		if len(r.pending) > 0 {
			return false, fmt.Errorf("rank %d ends without waiting", r.Rank)
		}
		return false, nil
	}
	s := r.Steps[r.next]
	rounds := s.HasRounds()
	if rounds {
		round, more := r.Part(&s, r.round)
		if !more {
			r.next, r.round = r.next+1, 0
			return true, nil
		}
		s = round
	}
	switch s.Action {
	case schedule.Send:
		w.send(r, s)
	case schedule.Receive:
		r.pending = append(r.pending, s)
	case schedule.SendEach, schedule.ReceiveEach:
		for i := 0; ; i++ {
			part, more := r.Part(&s, i)
			if !more {
				break
			}
			if part.Action == schedule.Send {
				w.send(r, part)
			} else {
				r.pending = append(r.pending, part)
			}
		}
	case schedule.Exchange:
		if !r.begun {
			r.begun = true
			w.send(r, s)
			s.Peer = s.Source
			r.pending = append(r.pending, s)
			return true, nil
		}
		if ok, err := w.receiveAll(r); !ok || err != nil {
			return false, err
		}
		r.begun = false
	case schedule.Wait:
		if ok, err := w.receiveAll(r); !ok || err != nil {
			return false, err
		}
	default:
		r.Compute(&s, w.op)
	}
	if rounds {
		r.round++
	} else {
		r.next++
	}
	return true, nil
}

func (w *paper) send(r *paperRank, s schedule.Step) {
	pair := [2]int{r.Rank, int(s.Peer)}
	w.messages[pair] = append(w.messages[pair], bytes.Clone(s.From))
	w.sent++
}

// receiveAll receives what has been started, and reports whether all of it has come.
func (w *paper) receiveAll(r *paperRank) (bool, error) {
	for len(r.pending) > 0 {
		ok, err := w.receive(r, r.pending[0])
		if !ok || err != nil {
			return false, err
		}
		r.pending = r.pending[1:]
	}
	return true, nil
}

func (w *paper) receive(r *paperRank, s schedule.Step) (bool, error) {
	pair := [2]int{int(s.Peer), r.Rank}
	m := w.messages[pair]
	if len(m) == 0 {
		return false, nil
	}
	if len(m[0]) != len(s.Into) {
		return false, fmt.Errorf("rank %d has sent %d bytes to rank %d, which expects %d", s.Peer, len(m[0]), r.Rank, len(s.Into))
	}
	copy(s.Into, m[0])
	w.messages[pair] = m[1:]
	return true, nil
}

// span is an element for an operation that is not Commutative: consecutive ranks.
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
var joinSpans = onSpans(false, join)

var addBytes = onSpans(true, func(a, b span) span { return span{a.from + b.from, a.to + b.to} })

func onSpans(commutative bool, combine func(a, b span) span) reduction.Op {
	return reduction.Op{Commutative: commutative, Apply: func(in, inout []byte) {
		from, into := elements.Of[span](in), elements.Of[span](inout)
		for i := range from {
			into[i] = combine(from[i], into[i])
		}
	}}
}

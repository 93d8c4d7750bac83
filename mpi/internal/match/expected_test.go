package match

import (
	"math/rand/v2"
	"testing"
)

// fromAll expects a message from each rank but the first one.
type fromAll struct {
	tag  int32
	made []*Receive // by rank
}

func (f *fromAll) Receive(from int32) *Receive {
	if from == 0 || f.made[from] != nil {
		return nil
	}
	f.made[from] = &Receive{Peer: from, Tag: f.tag}
	return f.made[from]
}

// Receives that are expected match as if they were posted: each takes one message of its source and tag, behind those
// that are posted. None is made before.
func TestExpectedReceivesMatchLikePostedOnes(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 1))
		ranks := 2 + rng.IntN(100)
		var counts Counts
		q := New(ranks, false, &counts)
		x, y := &fromAll{7, make([]*Receive, ranks)}, &fromAll{8, make([]*Receive, ranks)}
		q.Expect(&Expected{Tag: 7, Left: ranks - 1, From: x})
		q.Expect(&Expected{Tag: 8, Left: ranks - 1, From: y})
		earlier := &Receive{Peer: int32(1 + rng.IntN(ranks-1)), Tag: 7}
		q.Post(earlier)
		if len(q.Receives()) != 1 {
			t.Fatalf("seed %d: %d receives before a message has come; expected that which is posted", seed, len(q.Receives()))
		}
		open, isEarlierTaken := 2*(ranks-1)+1, false
		check := func(from, tag int32, got, want *Receive) {
			if got != want {
				t.Fatalf("seed %d: a message from %d with tag %d takes %+v, want %+v", seed, from, tag, got, want)
			}
			if got != nil {
				open--
			}
			if counts.Posted != open || q.IsEmpty() != (open == 0) {
				t.Fatalf("seed %d: %d receives are open and the queue is empty: %v; there are %d", seed, counts.Posted, q.IsEmpty(), open)
			}
		}
		for _, i := range rng.Perm(4 * ranks) {
			from, of := int32(i/4), x
			if i%2 == 1 {
				of = y
			}
			before := of.made[from]
			looked, _ := q.First(from, of.tag) // a look changes nothing but that the receive is made
			got := q.Take(from, of.tag)
			switch {
			case looked != got:
				t.Fatalf("seed %d: First finds %+v, and then Take %+v", seed, looked, got)
			case of == x && from == earlier.Peer && !isEarlierTaken:
				isEarlierTaken = true
				check(from, of.tag, got, earlier)
			case before == nil && from != 0:
				check(from, of.tag, got, of.made[from])
			default:
				check(from, of.tag, got, nil)
			}
		}
		check(0, 9, q.Take(0, 9), nil)
		if left := len(q.AllExpected()); left != 0 || open > 1 {
			t.Fatalf("seed %d: %d are expected still, %d receives open", seed, left, open)
		}
	}
}

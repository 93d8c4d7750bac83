package reliable

import (
	"math/rand/v2"
	"testing"
)

func TestOutboxNumbersAsManyAsItsWindow(t *testing.T) {
	o := NewOutbox(3)
	for want := range uint16(3) {
		if !o.Ready() {
			t.Fatalf("not ready for packet %d of a window of 3", want)
		}
		if got := o.Next(); got != want {
			t.Errorf("packet %d has number %d", want, got)
		}
	}
	if first, n := o.Outstanding(); o.Ready() || first != 0 || n != 3 {
		t.Errorf("ready %v, %d outstanding from %d on; expected a full window of 3 from 0 on", o.Ready(), n, first)
	}
	if released := o.Acked(2); released != 2 {
		t.Errorf("2 expected next releases %d; expected 2", released)
	}
	if first, n := o.Outstanding(); !o.Ready() || first != 2 || n != 1 || o.Next() != 3 {
		t.Errorf("%d outstanding from %d on; expected 1 from 2 on, and 3 as the next number", n, first)
	}
}

func TestOutboxPanics(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"no window", func() { NewOutbox(0) }},
		{"a window in which old and new numbers look alike", func() { NewOutbox(MaxSequence/2 + 1) }},
		{"more packets than the window", func() {
			o := NewOutbox(1)
			o.Next()
			o.Next()
		}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: expected a panic", c.name)
				}
			}()
			c.f()
		}()
	}
}

// TestOutboxAgreesWithNaive compares with an outbox whose numbers do not go round,
// over acknowledgements of any kind: of packets outstanding, stale, from the future,
// out of the format.
func TestOutboxAgreesWithNaive(t *testing.T) {
	const seed = 4
	for i := range 200 {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		window := 1 + rng.IntN(MaxSequence/2)
		o, first, next := NewOutbox(window), 0, 0 // of all packets ever
		for range 200 {
			for range rng.IntN(window + 1) {
				if o.Ready() != (next-first < window) {
					t.Fatalf("case %d of seed %d: ready %v with %d of %d outstanding", i, seed, o.Ready(), next-first, window)
				}
				if !o.Ready() {
					break
				}
				if got := int(o.Next()); got != next%(MaxSequence+1) {
					t.Fatalf("case %d of seed %d: packet %d has number %d", i, seed, next, got)
				}
				next++
			}
			sequence := uint16(rng.Uint32()) >> rng.IntN(5)
			if rng.IntN(2) == 0 {
				sequence = uint16((first + rng.IntN(next-first+1)) % (MaxSequence + 1))
			}
			want := naiveAcked(first, next, int(sequence))
			if got := o.Acked(sequence); got != want {
				t.Fatalf("case %d of seed %d: %d expected next, of packets %d to %d: releases %d, want %d", i, seed, sequence, first, next, got, want)
			}
			first += want
			if got, n := o.Outstanding(); int(got) != first%(MaxSequence+1) || n != next-first {
				t.Fatalf("case %d of seed %d: %d outstanding from %d on; expected %d from %d on", i, seed, n, got, next-first, first)
			}
		}
		if next < 2*MaxSequence && window > MaxSequence/8 {
			t.Errorf("case %d of seed %d: %d packets do not go round", i, seed, next)
		}
	}
}

// naiveAcked looks for the packet that is expected next among those from first to
// next.
func naiveAcked(first, next, sequence int) int {
	for packet := first; packet <= next; packet++ {
		if packet%(MaxSequence+1) == sequence {
			return packet - first
		}
	}
	return 0
}

// Whatever has been sent before and is still on the way lies within a window of
// what is expected, on one side or the other.
func TestInboxTellsOldFromNew(t *testing.T) {
	var in Inbox
	for expected := range 3 * (MaxSequence + 1) {
		if got := int(in.Expected()); got != expected%(MaxSequence+1) {
			t.Fatalf("packet %d is expected as %d", expected, got)
		}
		for _, c := range []struct {
			distance int
			want     Order
		}{{0, Expected}, {1, Gap}, {MaxSequence / 2, Gap}, {-1, Duplicate}, {-MaxSequence / 2, Duplicate}} {
			sequence := uint16((expected + c.distance + MaxSequence + 1) % (MaxSequence + 1))
			if got := in.Check(sequence); got != c.want {
				t.Fatalf("number %d when %d is expected: %d, want %d", sequence, in.Expected(), got, c.want)
			}
		}
		in.Take()
	}
	in = Inbox{}
	for _, sequence := range []uint16{MaxSequence + 1, 1<<16 - 1} {
		if got := in.Check(sequence); got != Gap {
			t.Errorf("number %d, which the format cannot carry: %d, want %d", sequence, got, Gap)
		}
	}
}

func TestInboxSendsOneNackForAGap(t *testing.T) {
	var in Inbox
	check := func(sequence uint16, order Order, nack bool) {
		t.Helper()
		if got := in.Check(sequence); got != order {
			t.Errorf("number %d: order %d, want %d", sequence, got, order)
		}
		if order != Duplicate && nack != in.Nack() {
			t.Errorf("number %d: expected a Nack: %v", sequence, nack)
		}
	}
	check(0, Expected, true) // refused, as the ring is full
	check(1, Gap, false)
	check(2, Gap, false)
	check(0, Expected, true) // sent again and refused again
	check(1, Gap, false)
	if in.Check(0) == Expected {
		in.Take()
	}
	check(0, Duplicate, false)
	check(2, Gap, true) // 1 has been lost
	check(3, Gap, false)
}

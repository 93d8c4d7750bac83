package mpi

import (
	"math/rand/v2"
	"testing"

	"musubi/rma"
)

// Flights leave in the order in which they came, however the ring grows and wraps.
func TestFlightsAreAQueue(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var q flights
	var added, dropped rma.Op
	for range 20_000 {
		if rng.IntN(100) < 52 {
			added++
			q.add(flight{op: added})
		} else if q.count > 0 {
			dropped++
			if got := q.head().op; got != dropped {
				t.Fatalf("flight %d is the first; expected %d", got, dropped)
			}
			q.drop()
		}
		if want := int(added - dropped); q.count != want {
			t.Fatalf("%d flights; expected %d", q.count, want)
		}
	}
}

// Buffers have room for what was asked for, do not overlap, and come again when they
// are given back. Those that are to be exposed lie in memory that was.
func TestPool(t *testing.T) {
	for _, exposing := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(2, 2))
		var p pool
		exposed := 0
		if exposing {
			p.expose = func(memory []byte) int { exposed += len(memory); return 0 }
		}
		got, written := 0, 0
		var live [][]byte
		for range 2000 {
			if len(live) > 0 && rng.IntN(2) == 0 {
				last := len(live) - 1
				at := rng.IntN(last + 1)
				b := live[at]
				live[at], live = live[last], live[:last]
				for i, v := range b {
					if v != b[0] {
						t.Fatalf("byte %d of a buffer is %d; %d was written to all", i, v, b[0])
					}
				}
				p.put(b)
				continue
			}
			n := rng.IntN(1 << rng.IntN(18))
			b := p.get(n)
			if len(b) != n {
				t.Fatalf("a buffer of %d bytes; expected %d", len(b), n)
			}
			whole := b[:cap(b)]
			for i := range whole {
				whole[i] = byte(written)
			}
			got += cap(b)
			written++
			live = append(live, whole)
		}
		if exposing != (exposed > 0) || exposed > got/2 {
			t.Errorf("%d bytes exposed for %d", exposed, got)
		}
	}
}

// Numbers of sends that have been answered are used again.
func TestTableUsesNumbersAgain(t *testing.T) {
	var sends [3]Request
	var asked table
	for i := range sends {
		if id := asked.add(&sends[i]); id != uint32(i) {
			t.Errorf("send %d has number %d", i, id)
		}
	}
	asked.remove(1)
	if asked.get(1) != nil || asked.get(2) != &sends[2] || asked.get(3) != nil {
		t.Error("the table has not what it should")
	}
	if id := asked.add(&sends[1]); id != 1 {
		t.Errorf("number %d instead of that which is free", id)
	}
}

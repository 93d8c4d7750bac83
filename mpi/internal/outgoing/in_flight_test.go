package outgoing

import (
	"math/rand/v2"
	"testing"

	"musubi/rma"
)

// Flights leave in the order in which they came, however the ring grows and wraps.
func TestFlightsAreAQueue(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var q inFlightQueue
	var added, dropped rma.Op
	for range 20_000 {
		if rng.IntN(100) < 52 {
			added++
			q.Add(InFlight{Op: added})
		} else if q.Count > 0 {
			dropped++
			if got := q.Head().Op; got != dropped {
				t.Fatalf("flight %d is the first; expected %d", got, dropped)
			}
			q.drop()
		}
		if want := int(added - dropped); q.Count != want {
			t.Fatalf("%d flights; expected %d", q.Count, want)
		}
	}
}

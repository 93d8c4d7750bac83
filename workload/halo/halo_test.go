package halo

import (
	"testing"

	"musubi/units"
)

// The computation hides what the exchange is shorter than both after each other, as far
// as processors waited in it.
func TestTimeOverlap(t *testing.T) {
	const us = units.Microsecond
	for _, test := range []struct {
		exchange, compute, total units.Time
		want                     float64
	}{
		{8 * us, 10 * us, 10 * us, 1},
		{8 * us, 10 * us, 14 * us, 0.5},
		{8 * us, 10 * us, 18 * us, 0},
		{8 * us, 2 * us, 9 * us, 0.5}, // of a short computation
		{8 * us, 10 * us, 19 * us, 0}, // not below nothing,
		{8 * us, 10 * us, 9 * us, 1},  // nor above all
		{0, 10 * us, 10 * us, 1},      // there is nothing to save
	} {
		if got := timeOverlap(test.exchange, test.compute, test.total); got != test.want {
			t.Errorf("%v: got %v", test, got)
		}
	}
}

// What goes one way in a stencil comes from the other, so that numbers of edges agree.
func TestStencilsAreSymmetric(t *testing.T) {
	for name, s := range stencils {
		for _, way := range s {
			opposite := 0
			for _, other := range s {
				same := len(other) == len(way)
				for i := range way {
					same = same && other[i] == -way[i]
				}
				if same {
					opposite++
				}
			}
			if opposite != 1 {
				t.Errorf("%s: %v has %d opposites", name, way, opposite)
			}
		}
	}
}

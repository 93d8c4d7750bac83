package workload

import (
	"testing"

	"musubi/units"
)

// The computation hides what the exchange is shorter than both after each other, as far
// as processors waited in it.
func TestOverlap(t *testing.T) {
	const us = units.Microsecond
	for _, test := range []struct {
		alone, idle, compute, both units.Time
		want                       float64
	}{
		{10 * us, 8 * us, 10 * us, 12 * us, 1}, // all but the work in start and wait
		{10 * us, 8 * us, 10 * us, 16 * us, 0.5},
		{10 * us, 8 * us, 10 * us, 20 * us, 0},
		{10 * us, 8 * us, 2 * us, 10 * us, 1}, // a short computation vanishes
		{10 * us, 8 * us, 2 * us, 11 * us, 0.5},
		{10 * us, 8 * us, 10 * us, 21 * us, 0}, // not below nothing,
		{10 * us, 8 * us, 10 * us, 11 * us, 1}, // nor above all
		{10 * us, 0, 10 * us, 20 * us, 1},      // there is nothing to hide
	} {
		got := overlap(haloTime{mean: test.alone, idle: test.idle}, test.compute, haloTime{mean: test.both})
		if got != test.want {
			t.Errorf("%v: got %v", test, got)
		}
	}
}

// Between real processes it is what they wait that counts, whatever the work takes.
func TestOverlapOfRealProcesses(t *testing.T) {
	const us = units.Microsecond
	for _, test := range []struct {
		alone, compute, both units.Time // both: what is waited beside the computation
		want                 float64
	}{
		{4 * us, 10 * us, 0, 1},
		{4 * us, 10 * us, us, 0.75},
		{4 * us, 2 * us, 3 * us, 0.5}, // of the computation, which is shorter
		{4 * us, 10 * us, 5 * us, 0},
		{0, 10 * us, 0, 1},  // there is nothing to hide,
		{0, 10 * us, us, 0}, // but beside the computation there is
	} {
		got := halo{realTime: true}.overlap(haloTime{mean: 7 * us, idle: test.alone}, test.compute, haloTime{mean: 30 * us, idle: test.both})
		if got != test.want {
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

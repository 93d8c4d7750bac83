package sample

import (
	"testing"

	"musubi/units"
)

func TestOverlap(t *testing.T) {
	const us = units.Microsecond
	for _, test := range []struct {
		saved, idle, compute units.Time
		want                 float64
	}{
		{8 * us, 8 * us, 10 * us, 1}, // all but the work in start and wait
		{4 * us, 8 * us, 10 * us, 0.5},
		{0, 8 * us, 10 * us, 0},
		{2 * us, 8 * us, 2 * us, 1}, // a short computation vanishes
		{1 * us, 8 * us, 2 * us, 0.5},
		{-us, 8 * us, 10 * us, 0},    // not below nothing,
		{9 * us, 8 * us, 10 * us, 1}, // nor above all
		{-us, 0, 10 * us, 1},         // there is nothing to hide
	} {
		if got := Overlap(test.saved, test.idle, test.compute); got != test.want {
			t.Errorf("%v: got %v", test, got)
		}
	}
}

// The time that an exchange and a computation save together is at most that of the shorter one.

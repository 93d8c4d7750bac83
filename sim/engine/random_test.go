package engine

import (
	"math"
	"testing"
)

// TestStreamsAreUnrelated correlates the first numbers of neighbouring streams.
func TestStreamsAreUnrelated(t *testing.T) {
	const streams, draws = 200, 200
	for _, lag := range []uint64{1, 2, 64} {
		sum := 0.0
		for s := range uint64(streams) {
			a, b := NewStream(1, s), NewStream(1, s+lag)
			for range draws {
				sum += (a.Float64() - 0.5) * (b.Float64() - 0.5)
			}
		}
		// The product of two independent uniform numbers has a deviation of 1/12.
		if deviations := math.Abs(sum) / math.Sqrt(streams*draws) * 12; deviations > 4 {
			t.Errorf("streams %d apart correlate by %.1f standard deviations", lag, deviations)
		}
	}
}

func TestStreamsRepeat(t *testing.T) {
	a, b, c := NewStream(7, 3), NewStream(7, 3), NewStream(8, 3)
	x := a.Uint64()
	if x != b.Uint64() {
		t.Error("the same stream differs from itself")
	}
	if x == c.Uint64() {
		t.Error("streams of different seeds begin alike")
	}
}

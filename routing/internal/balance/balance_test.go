package balance

import (
	"testing"

	"musubi/routing/internal/ways"
)

// TestCheapestMoveIsTheFirstOfEqualOnes, so that all machines choose alike.
func TestCheapestMoveIsTheFirstOfEqualOnes(t *testing.T) {
	b := balancer{channels: []channel{{5, 1}, {2, 1}, {2, 1}, {4, 1}}, cost: []float64{0, 0, 300}}
	for _, c := range []struct {
		moves []ways.Move
		f     float64
		want  int
	}{
		{[]ways.Move{{Channel: 0, To: 0}, {Channel: 1, To: 0}, {Channel: 2, To: 1}}, 1, 1}, // 216, 27, 27
		{[]ways.Move{{Channel: 1, To: 2}, {Channel: 0, To: 0}, {Channel: 3, To: 0}}, 1, 2}, // 27 + 300, 216, 125
		{[]ways.Move{{Channel: 0, To: 0}, {Channel: 1, To: 2}}, 3, 1},                      // 512, 125 + 300
	} {
		if got := b.cheapest(c.moves, c.f); got != c.want {
			t.Errorf("moves %v with %v more pairs: move %d; want %d", c.moves, c.f, got, c.want)
		}
	}
}

package device

import (
	"math/rand/v2"
	"testing"
)

// TestFIFO compares with a plain slice.
func TestFIFO(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var f fifo[int]
	var want []int
	for step := range 10_000 {
		growing := step/100%2 == 0
		if len(want) > 0 && rng.IntN(3) > 0 != growing {
			if got := f.pop(); got != want[0] {
				t.Fatalf("step %d: popped %d, want %d", step, got, want[0])
			}
			want = want[1:]
		} else {
			f.push(step)
			want = append(want, step)
		}
		if f.len() != len(want) || len(want) > 0 && *f.front() != want[0] {
			t.Fatalf("step %d: %d items, want %d, or the wrong one in front", step, f.len(), len(want))
		}
	}
	if most := 200; cap(f.items) > 4*most {
		t.Errorf("room for %d items, though there were never more than %d", cap(f.items), most)
	}
}

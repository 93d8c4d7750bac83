package host

import (
	"math/rand/v2"
	"testing"
)

// TestFIFO compares with a plain slice.
func TestFIFO(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var f FIFO[int]
	var want []int
	for step := range 10_000 {
		growing := step/100%2 == 0
		if len(want) > 0 && rng.IntN(3) > 0 != growing {
			if got := f.Pop(); got != want[0] {
				t.Fatalf("step %d: popped %d, want %d", step, got, want[0])
			}
			want = want[1:]
		} else {
			f.Push(step)
			want = append(want, step)
		}
		if f.Len() != len(want) || len(want) > 0 && *f.Front() != want[0] {
			t.Fatalf("step %d: %d items, want %d, or the wrong one in front", step, f.Len(), len(want))
		}
	}
	if most := 200; cap(f.items) > 4*most {
		t.Errorf("room for %d items, though there were never more than %d", cap(f.items), most)
	}
}

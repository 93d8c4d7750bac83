package host_test

import (
	"math/rand/v2"
	"testing"

	"musubi/sim/host"
)

// A slab holds what a map does, and its values stay where they are.
func TestSlab(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var s host.Slab[int]
	want, at := map[uint32]int{}, map[uint32]*int{}
	for i := range 5000 {
		id := uint32(r.IntN(1 << r.IntN(13)))
		*s.New(id) = i
		want[id] = i
		if p := at[id]; p != nil && p != s.At(id) {
			t.Fatalf("the value of %d has moved", id)
		}
		at[id] = s.At(id)
	}
	for id, value := range want {
		if got := *s.At(id); got != value {
			t.Errorf("%d has %d; expected %d", id, got, value)
		}
	}
}

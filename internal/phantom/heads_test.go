package phantom_test

import (
	"math/rand/v2"
	"testing"

	"musubi/internal/phantom"
)

// Heads are what a map has.
func TestHeadsAreAMap(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(5, seed))
		var heads phantom.Heads
		want := map[uint64]string{}
		distance := uint64(1) << rng.IntN(12)
		for range 3000 {
			at := rng.Uint64N(200) * distance
			switch bytes := []byte("of a message with a head")[:rng.IntN(25)]; rng.IntN(3) {
			case 0:
				heads.Set(at, bytes)
				want[at] = string(bytes)
			case 1:
				heads.Delete(at)
				delete(want, at)
			}
			at = rng.Uint64N(200) * distance
			got, has := heads.Get(at)
			if expected, is := want[at]; is != has || is && string(got) != expected {
				t.Fatalf("seed %d: at %d is %q (%v); expected %q (%v)", seed, at, got, has, expected, is)
			}
		}
	}
}

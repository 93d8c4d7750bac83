package routing

import (
	"math/rand/v2"
	"testing"

	"musubi/routing/internal/tree"
)

// TestParentsAreTheLowestNeighboursAbove checks the tie that decides how trees branch.
func TestParentsAreTheLowestNeighboursAbove(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 33))
		net := anyNetwork(t, rng)
		tr := tree.New(net, rng.IntN(len(net.Switches)))
		for s := range net.Switches {
			want := int32(-1)
			for u := range net.Switches {
				for _, c := range net.Out(s) {
					if net.To(int(c)).Switch == u && tr.Level[u] == tr.Level[s]-1 && want < 0 {
						want = int32(u)
					}
				}
			}
			if tr.Parent[s] != want {
				t.Fatalf("seed %d: parent of switch %d is %d; want %d", seed, s, tr.Parent[s], want)
			}
		}
	}
}

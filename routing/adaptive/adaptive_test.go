package adaptive

import (
	"testing"

	"musubi/topology/generate"
)

// TestSchemesAreProved proves all schemes on networks of all kinds.
func TestSchemesAreProved(t *testing.T) {
	for _, network := range []string{"dragonfly:a=4,h=2,p=2", "dragonfly:a=4,h=2,p=2,absolute=1", "dragonfly:a=4,h=2,p=2,g=5", "torus:4x4", "torus:5x3x4", "mesh:3x5", "ring:7", "ring:3",
		"hypercube:5", "fattree:k=4", "fullmesh:6", "random:switches=16,degree=4,seed=1", "random:switches=40,degree=3,seed=2", "tree:arity=3,levels=3", "tofu:2x2x2x2x3x2"} {
		net, err := generate.Network(network, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, about := range All() {
			s, err := Build(about.Name, net, Options{Seed: 1})
			if err != nil {
				if net.Groups == nil && (about.Name == "booksim-min" || about.Name == "booksim-ugal") {
					continue
				}
				t.Fatal(network, about.Name, err)
			}
			proof := Prove(s)
			n := int64(len(net.EndPoints))
			if proof.Unreachable > 0 || proof.Pairs != n*(n-1) || proof.DeadlockFree() == about.Unsafe {
				t.Errorf("%s on %s with %d virtual channels: %d of %d pairs unreachable; cycle of %d", about.Name, network, s.VCs(), proof.Unreachable, proof.Pairs, len(proof.Cycle))
			}
			t.Logf("%s on %s: %d VCs, %d states, %d dependencies, cycle %d, escape %v", about.Name, network, s.VCs(), s.States(), proof.Dependencies, len(proof.Cycle), proof.Escape)
		}
	}
}

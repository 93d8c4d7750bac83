package adaptive

import (
	"testing"

	"musubi/internal/check"
	"musubi/topology/generate"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

// TestSchemesAreProved proves all schemes on networks of all kinds.
func TestSchemesAreProved(t *testing.T) {
	for _, network := range []string{"dragonfly:a=4,h=2,p=2", "dragonfly:a=4,h=2,p=2,absolute=1", "dragonfly:a=4,h=2,p=2,g=5", "torus:4x4", "torus:4x3", "mesh:3x5", "ring:7", "ring:3",
		"hypercube:4", "fattree:k=4", "fullmesh:6", "random:switches=16,degree=4,seed=1", "random:switches=24,degree=3,seed=2", "tree:arity=3,levels=3", "tofu:2x1x2x2x3x2",
		"hyperx:5", "hyperx:4x4,t=2", "hyperx:3x4,k=2x1", "hyperx:2x3x3", "slimfly:q=3,p=1", "slimfly:q=4,p=1", "polarfly:q=3", "polarfly:q=4,p=1", "xgft:m=2x3x4,w=1x3x2", "xgft:m=4x4x4,w=1x1x2"} {
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
		}
	}
}

// TestVirtualChannels says how many virtual channels schemes need.
func TestVirtualChannels(t *testing.T) {
	for _, c := range []struct {
		network                         string
		minimal, detour, escape, hopped int
	}{
		{"dragonfly:a=4,h=2,p=2", 2, 3, 0, 432},
		{"dragonfly:a=4,h=2,p=2,absolute=1", 2, 3, 0, 432},
		{"fattree:k=4", 1, 2, 0, 128},
		{"torus:4x4", 3, 4, 2, 104},
		{"mesh:4x4", 2, 2, 1, 0},
		{"fullmesh:6", 1, 2, 0, 0},
		{"hyperx:6", 1, 2, 0, 0},
		{"hyperx:4x4,t=4", 2, 2, 1, 0},
		{"hyperx:3x3x3x3x3", 2, 2, 1, 0},
		{"slimfly:q=4", 2, 4, 0, 0},
		{"polarfly:q=5", 2, 4, 0, 0},
		{"xgft:m=4x4x8,w=1x2x2", 1, 2, 0, 0},
		{"random:switches=40,degree=3,seed=2", 2, 2, 1, 0},
	} {
		net, err := generate.Network(c.network, 0)
		if err != nil {
			t.Fatal(err)
		}
		minimal, err := Build("adaptive", net, Options{})
		if err != nil {
			t.Fatal(err)
		}
		detour, err := Build("ugal", net, Options{})
		if err != nil {
			t.Fatal(err)
		}
		proof := Prove(minimal)
		if minimal.VCs() != c.minimal || detour.VCs() != c.detour || len(proof.Escape) != c.escape {
			t.Errorf("%s: %d and %d virtual channels, %d to escape to; want %d, %d and %d", c.network, minimal.VCs(), detour.VCs(), len(proof.Escape), c.minimal, c.detour, c.escape)
		}
		if c.hopped > 0 && proof.Dependencies != c.hopped {
			t.Errorf("%s: %d dependencies; want %d", c.network, proof.Dependencies, c.hopped)
		}
	}
}

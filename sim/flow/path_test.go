package flow

import (
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric/fabrictest"
)

// Paths that are kept are those of the routes, also behind new ones, and those to the last two destinations are not computed
// again.
func TestPathsThatAreKept(t *testing.T) {
	net, routes := fabrictest.Build(t, "torus:4x4", 1, "ecube", routing.Options{Selection: routing.LowPort})
	_, others := fabrictest.Build(t, "torus:4x4", 1, "ecube", routing.Options{Selection: routing.Regular})
	f, err := New(fabrictest.DefaultConfig(net, routes), new(engine.Queue))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	differ := false
	for _, now := range []*routing.Routes{routes, others} {
		if !now.Computed() {
			t.Fatal("the paths are stored; expected some that are computed")
		}
		f.Reroute(now, nil)
		for range 2000 {
			src, dst := rng.IntN(16), rng.IntN(4) // so few that some are kept
			path, ok := f.path(src, dst)
			want, _ := now.Path(src, dst)
			if !ok || !slices.Equal(path, want) {
				t.Fatalf("path %v from %d to %d; expected %v", path, src, dst, want)
			}
			before, _ := routes.Path(src, dst)
			differ = differ || !slices.Equal(path, before)
		}
	}
	if !differ {
		t.Error("both routes have the same paths")
	}
	if n := testing.AllocsPerRun(10, func() { f.path(5, 4); f.path(5, 6) }); n > 0 {
		t.Errorf("paths to both neighbours are computed again: %v allocations", n)
	}
}

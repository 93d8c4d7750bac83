package routing

import (
	"math/rand/v2"
	"testing"

	"musubi/internal/check"
	"musubi/routing/internal/order"
	"musubi/topology/networks"
)

// The authors of the RHiNET-2 paper need at most two virtual channels on their networks.
func TestLASHNeedsTwoLayersOnTheNetworksOfRHiNET2(t *testing.T) {
	for _, name := range []string{"mesh:4x4", "torus:4x4", "rhinet2-a", "rhinet2-b"} {
		for hosts := 1; hosts <= 4; hosts++ {
			net, err := networks.Open(name, hosts)
			check.Must(t, err)
			for _, opt := range []Options{
				{Selection: Spread}, {Selection: LowPort},
				{Selection: Spread, DestinationOnly: true}, {Selection: LowPort, DestinationOnly: true}, {Selection: Balanced, DestinationOnly: true},
			} {
				r := build(t, "lash", net, opt)
				if r.VCs > 2 || !Verify(r).OK() || r.Statistics().MinimalFraction != 1 {
					t.Errorf("%s with %d hosts per switch, %+v: %d virtual channels, proved: %v, minimal: %v; expected at most 2, and all", name, hosts, opt, r.VCs, Verify(r).OK(), r.Statistics().MinimalFraction)
				}
			}
		}
	}
}

// How hosts share paths does not change how many layers there are, but for a second one, and all
// paths stay shortest ones.
func TestLASHSpreadsInTheLayersOfLowPort(t *testing.T) {
	for seed := range uint64(50) {
		net := anyNetwork(t, rand.New(rand.NewPCG(seed, 31)))
		low := build(t, "lash", net, Options{Selection: LowPort})
		spread := build(t, "lash", net, Options{Selection: Spread})
		if spread.VCs > max(2, low.VCs) {
			t.Errorf("seed %d: %d layers with spread paths; expected at most %d, as low-port needs %d", seed, spread.VCs, max(2, low.VCs), low.VCs)
		}
		if a, b := spread.Statistics().Hops, low.Statistics().Hops; a != b {
			t.Errorf("seed %d: hops %+v; expected %+v", seed, a, b)
		}
		if !Verify(spread).OK() {
			t.Errorf("seed %d: not proved", seed)
		}
	}
}

// Of the orders that are tried, none needs fewer layers, and a path lies in the layer that it was
// given.
func TestFitTakesTheBestOrder(t *testing.T) {
	for seed := range uint64(20) {
		net := anyNetwork(t, rand.New(rand.NewPCG(seed, 32)))
		var paths []Path
		for id, r := 0, build(t, "minimal", net, Options{Selection: LowPort}); id < r.NumPaths(); id++ {
			paths = append(paths, r.PathByID(id))
		}
		l := &layering{turns: order.NewTurnNumbers(net), limit: MaxVCs}
		vcs := l.fit(paths)
		first := &layering{turns: l.turns, limit: MaxVCs}
		for _, p := range paths {
			first.place(p)
		}
		if len(l.layers) > len(first.layers) {
			t.Errorf("seed %d: %d layers; the first order needs %d", seed, len(l.layers), len(first.layers))
		}
		// Each path adds no dependency to its layer, which has them all.
		for i, p := range paths {
			if len(p) > 1 && !l.layers[vcs[i]].has(p) {
				t.Errorf("seed %d: path %d is not in layer %d", seed, i, vcs[i])
			}
		}
	}
}

// has reports whether a layer has the dependencies of a path.
func (y *layer) has(p Path) bool {
	for i := 1; i < len(p); i++ {
		if !y.order.Edge.Has(y.order.Number(int32(p[i-1].Channel()), int32(p[i].Channel()))) {
			return false
		}
	}
	return true
}

// The virtual channels that are given are enough where trees fit into them.
func TestLASHFitsIntoTheVirtualChannelsGiven(t *testing.T) {
	net, err := networks.Open("torus:4x4", 4)
	check.Must(t, err)
	r := build(t, "lash", net, Options{Selection: Spread, DestinationOnly: true, VCs: 2})
	if r.VCs != 2 || !Verify(r).OK() {
		t.Errorf("%d virtual channels, proved: %v; expected 2", r.VCs, Verify(r).OK())
	}
}

// Trees that fit into fewer layers are trees of shortest paths, and are proved.
func TestFittedTreesAreShortestAndForwardByDestination(t *testing.T) {
	fitted := 0
	for seed := range uint64(60) {
		net := anyNetwork(t, rand.New(rand.NewPCG(seed, 33)))
		opt := Options{Selection: Balanced, DestinationOnly: true, algorithm: "lash"}
		first := build(t, "lash", net, opt)
		r, done, err := newLaneGrower(net, opt, usualLayers, 0).routes(inTurn(len(endSwitches(net))))
		check.Must(t, err)
		if !done {
			continue
		}
		fitted++
		if r.VCs > usualLayers || !Verify(r).OK() || r.Statistics().Hops != first.Statistics().Hops {
			t.Errorf("seed %d: %d layers, proved: %v, hops %+v; expected %d and %+v", seed, r.VCs, Verify(r).OK(), r.Statistics().Hops, usualLayers, first.Statistics().Hops)
		}
		outs := map[[2]int]int{} // by switch and end point
		for src := range net.EndPoints {
			for dst := range net.EndPoints {
				path, ok := r.Path(src, dst)
				for _, h := range path {
					at := [2]int{net.From(h.Channel()).Switch, dst}
					if c, known := outs[at]; !ok || known && c != h.Channel() {
						t.Fatalf("seed %d: a switch sends packets to %d two ways", seed, dst)
					}
					outs[at] = h.Channel()
				}
			}
		}
	}
	if fitted < 20 {
		t.Errorf("%d networks of 60 fit; expected more", fitted)
	}
}

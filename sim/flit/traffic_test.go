package flit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
	"musubi/topology"
	"musubi/units"
)

// textbook gives the switches of a configuration the router of BookSim2's
// defaults, with so many virtual channels and flits per buffer: wormhole
// switching, four stages of a cycle each, cables of one cycle.
func textbook(cfg fabric.Config, vcs, buffer int) fabric.Config {
	cycle := cfg.Rate.Transfer(cfg.Flit)
	cfg.Switch, cfg.Cable, cfg.HostCable = 4*cycle, cycle, cycle
	cfg.Buffer = units.Bytes(buffer) * cfg.Flit
	cfg.Router = fabric.Router{
		Switching: fabric.Wormhole, Lanes: vcs / cfg.VCs, AnyHostVC: true,
		RoutingDelay: 1, VCAllocDelay: 1, SwitchAllocDelay: 1, CrossbarDelay: 1,
	}
	return cfg
}

// dimensionOrder routes a k-ary 2-mesh or 2-cube as BookSim2's dim_order does: x
// first; in a torus, virtual channel 1 in a dimension whose coordinate is to
// become smaller and 0 otherwise, whichever way round. Of two ways of equal
// length it takes the upward one in dimension d if bit d of ties is set.
func dimensionOrder(t testing.TB, net *topology.Network, k int, torus bool, ties int) *routing.Routes {
	t.Helper()
	vcs := 1
	if torus {
		vcs = 2
	}
	b, err := routing.NewBuilder("dimension order", net, vcs)
	if err != nil {
		t.Fatal(err)
	}
	channel := make(map[[2]int]int)
	for c := range net.Channels() {
		channel[[2]int{net.From(c).Switch, net.To(c).Switch}] = c
	}
	for src := range net.Switches {
		for dst := range net.Switches {
			var path routing.Path
			at := src
			for d, stride := range []int{1, k} {
				from, to := at/stride%k, dst/stride%k
				vc := 0
				if torus && from > to {
					vc = 1
				}
				for _, next := range walk(from, to, k, torus, ties>>d&1 == 1) {
					there := at + (next-at/stride%k)*stride
					path = append(path, routing.MakeHop(channel[[2]int{at, there}], vc))
					at = there
				}
			}
			b.Variants(src, dst, 1, 1)
			b.Add(path, 0)
		}
	}
	return b.Routes()
}

// walk lists the coordinates from one to another on a line or ring of k.
func walk(from, to, k int, ring, tieGoesUp bool) []int {
	up, distance := to > from, (to-from+k)%k
	if ring {
		up = 2*distance < k || 2*distance == k && tieGoesUp
	}
	var coordinates []int
	for from != to {
		if up {
			from = (from + 1) % k
		} else {
			from = (from + k - 1) % k
		}
		coordinates = append(coordinates, from)
	}
	return coordinates
}

// bookSim describes a k-ary 2-mesh or 2-cube with the textbook router. As in
// BookSim2, each packet throws a coin between ways round of equal length.
func bookSim(t testing.TB, kind string, k, vcs, buffer int) fabric.Config {
	t.Helper()
	net := nettest.Generate(t, fmt.Sprintf("%s:%dx%d", kind, k, k), 1)
	torus := kind == "torus"
	cfg := textbook(fabrictest.DefaultConfig(net, dimensionOrder(t, net, k, torus, 0)), vcs, buffer)
	if torus && k%2 == 0 {
		for ties := 1; ties < 4; ties++ {
			cfg.Router.Alternates = append(cfg.Router.Alternates, dimensionOrder(t, net, k, torus, ties))
		}
	}
	return cfg
}

// permutation is a traffic pattern of a k by k network in which each node sends
// to one other.
func permutation(name string, k int) func(int, *rand.Rand) int {
	return func(src int, _ *rand.Rand) int {
		x, y := src%k, src/k
		switch name {
		case "transpose":
			return x*k + y
		case "bitcomp":
			return k*k - 1 - src
		case "tornado":
			shift := (k+1)/2 - 1
			return (y+shift)%k*k + (x+shift)%k
		}
		panic("unknown pattern " + name)
	}
}

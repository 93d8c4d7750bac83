package routing

import (
	"math/rand/v2"
	"testing"

	"musubi/internal/check"
	"musubi/topology/networks"
)

// No root that was tried is better than the first one, and each costs what Up*/Down* from there costs.
func TestRootCostsAreThoseOfUpDown(t *testing.T) {
	for seed := range uint64(20) {
		net := anyNetwork(t, rand.New(rand.NewPCG(seed, 41)))
		costs, err := RootCosts(net, Options{Selection: LowPort})
		check.Must(t, err)
		if want := min(mostRoots, len(net.Switches)); len(costs) != want {
			t.Errorf("seed %d: %d roots are tried, want %d", seed, len(costs), want)
		}
		for i, c := range costs {
			s := build(t, "updown", net, Options{Selection: LowPort, Root: c.Root}).Statistics()
			if s.Hops != c.Hops || s.ChannelLoad.Max != c.Load {
				t.Errorf("seed %d, root %d: %+v; Up*/Down* has %+v and %d", seed, c.Root, c, s.Hops, s.ChannelLoad.Max)
			}
			if first := costs[0]; c.Hops.Mean < first.Hops.Mean || i > 0 && c.Hops.Mean == costs[i-1].Hops.Mean && c.Load < costs[i-1].Load {
				t.Errorf("seed %d: %+v comes at place %d, the first is %+v", seed, c, i, first)
			}
		}
	}
}

func TestTheMiddleOfAChainIsMostCentral(t *testing.T) {
	net, err := networks.Open("mesh:5x1", 1)
	check.Must(t, err)
	if got := central(net, 1); got[0] != 2 {
		t.Errorf("switch %d is the most central of a chain of five, want 2", got[0])
	}
}

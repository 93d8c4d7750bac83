package routing

import (
	"math/rand/v2"
	"testing"

	"musubi/internal/nettest"
	"musubi/routing/internal/order"
)

// A channelOrder accepts an edge if and only if the graph stays free of cycles,
// keeps a topological order, and forgets what is rolled back.
func TestChannelOrderAgreesWithNaiveGraph(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 5))
		net := nettest.New(t, 8, nettest.RandomLinks(rng, 8, 12), nettest.Hosts(1))
		g := order.NewChannelOrder(order.NewTurnNumbers(net))
		naive := make(map[Hop]map[Hop]bool)
		for range 60 {
			g.Begin()
			tried := cloneGraph(naive)
			refused := false
			for range 1 + rng.IntN(4) {
				in := rng.IntN(net.Channels())
				outs := net.Out(net.To(in).Switch)
				out := int(outs[rng.IntN(len(outs))])
				next := cloneGraph(tried)
				insert(next, in, out)
				sound := !cyclic(cloneGraph(next))
				if got := g.Add(int32(in), int32(out)); got != sound {
					t.Fatalf("seed %d: add(%d, %d) = %v, expected %v", seed, in, out, got, sound)
				}
				if !sound {
					refused = true
					break
				}
				tried = next
			}
			if refused {
				g.RollBack()
			} else {
				naive = tried
			}
			checkOrder(t, seed, g, naive)
		}
	}
}

func insert(g map[Hop]map[Hop]bool, in, out int) {
	for _, c := range []int{in, out} {
		if g[MakeHop(c, 0)] == nil {
			g[MakeHop(c, 0)] = make(map[Hop]bool)
		}
	}
	g[MakeHop(in, 0)][MakeHop(out, 0)] = true
}

func cloneGraph(g map[Hop]map[Hop]bool) map[Hop]map[Hop]bool {
	c := make(map[Hop]map[Hop]bool)
	for v, next := range g {
		c[v] = make(map[Hop]bool)
		for w := range next {
			c[v][w] = true
		}
	}
	return c
}

// checkOrder compares the edges of g with those expected and looks at their
// ranks.
func checkOrder(t *testing.T, seed uint64, g *order.ChannelOrder, want map[Hop]map[Hop]bool) {
	t.Helper()
	edges, expected := 0, 0
	for in := range g.First {
		for _, out := range g.Graph.After(int32(in)) {
			edges++
			if !want[MakeHop(in, 0)][MakeHop(int(out), 0)] {
				t.Fatalf("seed %d: edge from %d to %d should have been rolled back", seed, in, out)
			}
			if g.Graph.Rank(int32(in)) >= g.Graph.Rank(out) {
				t.Fatalf("seed %d: the order does not follow the edge from %d to %d", seed, in, out)
			}
		}
	}
	for _, next := range want {
		expected += len(next)
	}
	if edges != expected {
		t.Fatalf("seed %d: %d edges, expected %d", seed, edges, expected)
	}
}

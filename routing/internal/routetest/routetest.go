// Package routetest makes the routes on which proofs and tables are tested.
package routetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/topology"
)

// walkDown takes a random shortest path, given the distances to its end; vc
// chooses the virtual channel of each hop.
func walkDown(rng *rand.Rand, net *topology.Network, src int, dist []int, vc func(hop int) int) routing.Path {
	var p routing.Path
	for at := src; dist[at] > 0; {
		var closer []int
		for _, c := range net.Out(at) {
			if dist[net.To(int(c)).Switch] == dist[at]-1 {
				closer = append(closer, int(c))
			}
		}
		c := closer[rng.IntN(len(closer))]
		p = append(p, routing.MakeHop(c, vc(len(p))))
		at = net.To(c).Switch
	}
	return p
}

// RandomMinimal routes over random shortest paths, up to 2 x 2 variants per pair
// of switches, with random virtual channels. Many such routings can deadlock.
func RandomMinimal(t testing.TB, rng *rand.Rand, net *topology.Network, vcs int) *routing.Routes {
	b, err := routing.NewBuilder("random", net, vcs)
	if err != nil {
		t.Fatal(err)
	}
	for dst := range net.Switches {
		dist := net.Distances(dst)
		for src := range net.Switches {
			rows, cols := 1+rng.IntN(2), 1+rng.IntN(2)
			b.Variants(src, dst, rows, cols)
			for range rows * cols {
				b.Add(walkDown(rng, net, src, dist, func(int) int { return rng.IntN(vcs) }), rng.IntN(vcs))
			}
		}
	}
	return b.Routes()
}

// Clockwise routes a ring of n switches in one direction only.
func Clockwise(t testing.TB, net *topology.Network, vcs int, vc func(src, at int) int) *routing.Routes {
	n := len(net.Switches)
	b, err := routing.NewBuilder("clockwise", net, vcs)
	if err != nil {
		t.Fatal(err)
	}
	for src := range n {
		for dst := range n {
			b.Variants(src, dst, 1, 1)
			var p routing.Path
			for at := src; at != dst; at = (at + 1) % n {
				p = append(p, routing.MakeHop(nettest.Channel(net, at, (at+1)%n), vc(src, at)))
			}
			b.Add(p, 0)
		}
	}
	return b.Routes()
}

// WithHoles copies routes and leaves out some paths.
func WithHoles(t *testing.T, rng *rand.Rand, r *routing.Routes) *routing.Routes {
	b, err := routing.NewBuilder(r.Algorithm, r.Net, r.VCs)
	if err != nil {
		t.Fatal(err)
	}
	for src := range r.Net.Switches {
		for dst := range r.Net.Switches {
			if rng.IntN(10) == 0 {
				continue
			}
			r.SwitchPaths(src, dst, func(i, j, rows, cols, id int) {
				if i == 0 && j == 0 {
					b.Variants(src, dst, rows, cols)
				}
				if rng.IntN(5) == 0 {
					b.AddHole()
				} else {
					b.Add(r.PathByID(id), 0)
				}
			})
		}
	}
	return b.Routes()
}

// Trees sends all packets for an end point along a random tree of shortest
// paths; vc chooses the virtual channel by pair and number of hops so far. The
// pairs of switches come in random order, so that any pair may have path 0.
func Trees(t testing.TB, rng *rand.Rand, net *topology.Network, vcs int, vc func(src, dst, hop int) int) *routing.Routes {
	return trees(t, rng, net, vcs, vc, rng.Perm)
}

// trees is Trees with the pairs in an order.
func trees(t testing.TB, rng *rand.Rand, net *topology.Network, vcs int, vc func(src, dst, hop int) int, order func(n int) []int) *routing.Routes {
	b, err := routing.NewBuilder("trees", net, vcs)
	if err != nil {
		t.Fatal(err)
	}
	next := make([][]routing.Path, len(net.EndPoints)) // by destination and switch: one hop
	for d, e := range net.EndPoints {
		dist := net.Distances(e.At.Switch)
		for s := range net.Switches {
			p := walkDown(rng, net, s, dist, func(int) int { return 0 })
			next[d] = append(next[d], p[:min(1, len(p))])
		}
	}
	n := len(net.Switches)
	for _, i := range order(n * n) {
		src, dst := i/n, i%n
		from, to := net.EndPointsAt(src), net.EndPointsAt(dst)
		if len(from) == 0 || len(to) == 0 {
			continue
		}
		b.Variants(src, dst, len(from), len(to))
		for _, s := range from {
			for _, d := range to {
				var p routing.Path
				for at := src; at != dst; at = net.To(p[len(p)-1].Channel()).Switch {
					p = append(p, routing.MakeHop(next[d][at][0].Channel(), vc(int(s), int(d), len(p))))
				}
				b.Add(p, vc(int(s), int(d), 0))
			}
		}
	}
	return b.Routes()
}

// Large returns the routes of a random regular graph of 1,024 switches, or 256 with -short, and degree 10 over
// destination trees, on two virtual channels. Its paths lie in the order of the pairs, as those of algorithms do.
func Large(b *testing.B) *routing.Routes {
	switches := 1024
	if testing.Short() {
		switches = 256
	}
	net := nettest.Generate(b, fmt.Sprintf("random:switches=%d,degree=10,seed=1", switches), 1)
	return trees(b, rand.New(rand.NewPCG(1, 1)), net, 2, func(src, _, _ int) int { return src % 2 }, inTurn)
}

// inTurn returns the numbers below n.
func inTurn(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

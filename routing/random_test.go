package routing

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"musubi/topology"
)

// newNetwork joins n switches by links between the given pairs; eps[s] lists the
// kinds of the end points of switch s. Ports are numbered in the order of use,
// end points first.
func newNetwork(t testing.TB, n int, links [][2]int, eps func(s int) []topology.Kind) *topology.Network {
	t.Helper()
	var net topology.Network
	for s := range n {
		net.Switches = append(net.Switches, topology.Switch{ID: fmt.Sprintf("s%d", s)})
	}
	port := func(s int) topology.Port {
		net.Switches[s].Ports++
		return topology.Port{Switch: s, Number: net.Switches[s].Ports}
	}
	for s := range n {
		for i, k := range eps(s) {
			net.Adapters = append(net.Adapters, topology.Adapter{ID: fmt.Sprintf("h%d.%d", s, i), Kind: k, Ports: 1})
			net.EndPoints = append(net.EndPoints, topology.EndPoint{Adapter: len(net.Adapters) - 1, AdapterPort: 1, At: port(s)})
		}
	}
	for _, l := range links {
		net.Links = append(net.Links, topology.Link{A: port(l[0]), B: port(l[1])})
	}
	checked, err := topology.New(net)
	if err != nil {
		t.Fatal(err)
	}
	return checked
}

// hosts gives every switch n hosts.
func hosts(n int) func(int) []topology.Kind {
	return func(int) []topology.Kind { return make([]topology.Kind, n) }
}

func ringLinks(n int) [][2]int {
	var links [][2]int
	for s := range n {
		links = append(links, [2]int{s, (s + 1) % n})
	}
	return links
}

func newRing(t testing.TB, n, hostsPerSwitch int) *topology.Network {
	return newNetwork(t, n, ringLinks(n), hosts(hostsPerSwitch))
}

// channel returns the first channel from switch a to switch b.
func channel(net *topology.Network, a, b int) int {
	for _, c := range net.Out(a) {
		if net.To(int(c)).Switch == b {
			return int(c)
		}
	}
	panic(fmt.Sprintf("no link from switch %d to switch %d", a, b))
}

// randomLinks makes a connected graph: a random tree and extra links, some of
// them parallel.
func randomLinks(rng *rand.Rand, n, extra int) [][2]int {
	var links [][2]int
	for s := 1; s < n; s++ {
		links = append(links, [2]int{s, rng.IntN(s)})
	}
	for range extra {
		a, b := rng.IntN(n), rng.IntN(n)
		if a != b {
			links = append(links, [2]int{a, b})
		}
	}
	return links
}

// randomNetwork has 2 to maxSwitches switches with 0 to 3 end points each.
func randomNetwork(t testing.TB, rng *rand.Rand, maxSwitches int) *topology.Network {
	n := 2 + rng.IntN(maxSwitches-1)
	return newNetwork(t, n, randomLinks(rng, n, rng.IntN(n)), func(int) []topology.Kind {
		kinds := make([]topology.Kind, rng.IntN(4))
		for i := range kinds {
			if rng.IntN(4) == 0 {
				kinds[i] = topology.Kind(rng.IntN(numKinds))
			}
		}
		return kinds
	})
}

// walkDown takes a random shortest path, given the distances to its end; vc
// chooses the virtual channel of each hop.
func walkDown(rng *rand.Rand, net *topology.Network, src int, dist []int, vc func(hop int) int) Path {
	var p Path
	for at := src; dist[at] > 0; {
		var closer []int
		for _, c := range net.Out(at) {
			if dist[net.To(int(c)).Switch] == dist[at]-1 {
				closer = append(closer, int(c))
			}
		}
		c := closer[rng.IntN(len(closer))]
		p = append(p, MakeHop(c, vc(len(p))))
		at = net.To(c).Switch
	}
	return p
}

// randomMinimal routes over random shortest paths, up to 2 x 2 variants per pair
// of switches, with random virtual channels. Many such routings can deadlock.
func randomMinimal(t testing.TB, rng *rand.Rand, net *topology.Network, vcs int) *Routes {
	b, err := NewBuilder("random", net, vcs)
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

// destinationTrees routes to every destination along a tree of shortest paths.
func destinationTrees(t *testing.T, net *topology.Network) *Routes {
	b, err := NewBuilder("trees", net, 1)
	must(t, err)
	for dst := range net.Switches {
		dist := net.Distances(dst)
		for src := range net.Switches {
			var p Path
			for at := src; at != dst; at = net.To(p[len(p)-1].Channel()).Switch {
				for _, c := range net.Out(at) {
					if dist[net.To(int(c)).Switch] == dist[at]-1 {
						p = append(p, MakeHop(int(c), 0))
						break
					}
				}
			}
			b.Variants(src, dst, 1, 1)
			b.Add(p, 0)
		}
	}
	return b.Routes()
}

// Package nettest makes the networks that tests of several packages run on.
package nettest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"musubi/topology"
)

// New joins n switches by links between the given pairs; eps[s] lists the
// kinds of the end points of switch s. Ports are numbered in the order of use,
// end points first.
func New(t testing.TB, n int, links [][2]int, eps func(s int) []topology.Kind) *topology.Network {
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

// Hosts gives every switch n Hosts.
func Hosts(n int) func(int) []topology.Kind {
	return func(int) []topology.Kind { return make([]topology.Kind, n) }
}

func RingLinks(n int) [][2]int {
	var links [][2]int
	for s := range n {
		links = append(links, [2]int{s, (s + 1) % n})
	}
	return links
}

func Ring(t testing.TB, n, hostsPerSwitch int) *topology.Network {
	return New(t, n, RingLinks(n), Hosts(hostsPerSwitch))
}

// Channel returns the first Channel from switch a to switch b.
func Channel(net *topology.Network, a, b int) int {
	for _, c := range net.Out(a) {
		if net.To(int(c)).Switch == b {
			return int(c)
		}
	}
	panic(fmt.Sprintf("no link from switch %d to switch %d", a, b))
}

// RandomLinks makes a connected graph: a random tree and extra links, some of
// them parallel.
func RandomLinks(rng *rand.Rand, n, extra int) [][2]int {
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

// Random has 2 to maxSwitches switches with 0 to 3 end points each.
func Random(t testing.TB, rng *rand.Rand, maxSwitches int) *topology.Network {
	n := 2 + rng.IntN(maxSwitches-1)
	return New(t, n, RandomLinks(rng, n, rng.IntN(n)), func(int) []topology.Kind {
		kinds := make([]topology.Kind, rng.IntN(4))
		for i := range kinds {
			if rng.IntN(4) == 0 {
				kinds[i] = topology.Kind(rng.IntN(len(topology.Kinds())))
			}
		}
		return kinds
	})
}

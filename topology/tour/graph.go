package tour

import (
	"slices"

	"musubi/topology"
)

// graph is the switches of a network that have hosts, and the links between them.
type graph struct {
	net  *topology.Network
	all  []int32   // switches with hosts
	near [][]int32 // per switch of the network: those with hosts that a link joins it with
}

func graphOf(net *topology.Network) *graph {
	g := &graph{net: net, near: make([][]int32, len(net.Switches))}
	for s := range net.Switches {
		if hasHost(net, s) {
			g.all = append(g.all, int32(s))
		}
	}
	for _, s := range g.all {
		for _, c := range net.Out(int(s)) {
			if to := net.To(int(c)).Switch; hasHost(net, to) {
				g.near[s] = append(g.near[s], int32(to))
			}
		}
		slices.Sort(g.near[s])
		g.near[s] = slices.Compact(g.near[s])
	}
	return g
}

// hasHost reports whether a switch has a host. Hosts come before other end points.
func hasHost(net *topology.Network, s int) bool {
	at := net.EndPointsAt(s)
	return len(at) > 0 && int(at[0]) < net.Hosts()
}

func (g *graph) adjacent(a, b int32) bool {
	_, found := slices.BinarySearch(g.near[a], b)
	return found
}

// isRing reports whether each switch of an order is adjacent to the next, and the last one to the
// first.
func (g *graph) isRing(order []int) bool {
	for i, s := range order {
		if !g.adjacent(int32(s), int32(order[(i+1)%len(order)])) {
			return false
		}
	}
	return true
}

// prune returns the number of neighbours of each switch that is left when those with fewer than
// two have been taken away again and again; negative for those. first is the first one that has
// fewer than two from the outset, or -1.
func (g *graph) prune() (degree []int, first int) {
	degree, first = make([]int, len(g.near)), -1
	var away []int32
	for s := range degree {
		degree[s] = -1
	}
	for _, s := range g.all {
		if degree[s] = len(g.near[s]); degree[s] < 2 {
			away = append(away, s)
		}
	}
	if len(away) > 0 {
		first = int(away[0])
	}
	for len(away) > 0 {
		s := away[len(away)-1]
		away, degree[s] = away[:len(away)-1], -1
		for _, t := range g.near[s] {
			if degree[t]--; degree[t] == 1 {
				away = append(away, t)
			}
		}
	}
	return degree, first
}

// part is a connected part of a graph.
type part struct {
	sides     [2]int // switches of each colour, where neighbours have different ones
	bipartite bool   // all neighbours have
}

// size is how many switches the part has.
func (p part) size() int { return p.sides[0] + p.sides[1] }

// longest returns how many switches a ring in the part has at most.
func (p part) longest() int {
	if p.bipartite {
		return 2 * min(p.sides[0], p.sides[1])
	}
	return p.size()
}

// parts returns the connected parts of the switches with at least two neighbours, by the number of
// neighbours that prune returns.
func (g *graph) parts(degree []int) (list []part) {
	colour := make([]int8, len(degree)) // 0: not seen
	for _, s := range g.all {
		if degree[s] < 2 || colour[s] != 0 {
			continue
		}
		p := part{bipartite: true}
		colour[s] = 1
		for queue := []int32{s}; len(queue) > 0; {
			at := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			p.sides[colour[at]-1]++
			for _, t := range g.near[at] {
				switch {
				case degree[t] < 2:
				case colour[t] == 0:
					colour[t] = 3 - colour[at]
					queue = append(queue, t)
				case colour[t] == colour[at]:
					p.bipartite = false
				}
			}
		}
		list = append(list, p)
	}
	return list
}

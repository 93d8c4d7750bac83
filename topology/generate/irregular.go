package generate

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"musubi/topology"
)

// fullMesh links every two switches; ports are ordered by the other switch.
func fullMesh(args string, hosts int) (plan, error) {
	n, err := number(args, "the number of switches", 1)
	if err != nil {
		return plan{}, err
	}
	hosts = max(hosts, 1)
	f := float64(n)
	if err := topology.CheckSize(f, f*(f-1)/2, f*float64(hosts)); err != nil {
		return plan{}, err
	}
	return plan{switches: n, linkPorts: constant(n - 1), hosts: constant(hosts), links: clique(0, n)}, nil
}

// clique returns links between all pairs of switches first to first+n-1. Port i
// of each leads to the i-th of the others.
func clique(first, n int) []topology.Link {
	var links []topology.Link
	for i := range n {
		for j := i + 1; j < n; j++ {
			links = append(links, topology.Link{A: topology.Port{Switch: first + i, Number: j}, B: topology.Port{Switch: first + j, Number: i + 1}})
		}
	}
	return links
}

// random makes a random connected graph in which every switch has the same
// number of links, none of them parallel; or with a number of links in all, one in
// which no switch has more. Ports are ordered by the other switch. The same seed gives
// the same graph.
func random(args string, hosts int) (plan, error) {
	n := parameter{key: "switches", low: 1}
	degree := parameter{key: "degree", low: 0}
	seed := parameter{key: "seed", low: 0, value: 1, optional: true}
	links := parameter{key: "links", low: 0, optional: true}
	if err := assignments(args, &n, &degree, &seed, &links); err != nil {
		return plan{}, err
	}
	if links.given {
		return sparse(n.value, degree.value, links.value, seed.value, max(hosts, 1))
	}
	if err := checkRegular(n.value, degree.value); err != nil {
		return plan{}, err
	}
	hosts = max(hosts, 1)
	f := float64(n.value)
	if err := topology.CheckSize(f, f*float64(degree.value)/2, f*float64(hosts)); err != nil {
		return plan{}, err
	}
	r := rand.New(rand.NewPCG(uint64(seed.value), 0))
	return irregular(n.value, degree.value, hosts, connectedRegular(r, n.value, degree.value)), nil
}

// irregular is a network of a simple graph.
func irregular(n, degree, hosts int, edges [][2]int) plan {
	return plan{switches: n, linkPorts: constant(degree), hosts: constant(hosts), links: cables(n, edges)}
}

// checkRegular reports why no connected graph of n nodes has the given degree.
func checkRegular(n, degree int) error {
	switch {
	case degree >= n:
		return fmt.Errorf("degree is %d; %d switches allow at most %d", degree, n, n-1)
	case n*degree%2 != 0:
		return fmt.Errorf("%d switches of degree %d have an odd number of link ends; expected an even one", n, degree)
	case degree < 2 && n > degree+1:
		return fmt.Errorf("degree is %d; expected at least 2, for %d switches are not connected otherwise", degree, n)
	}
	return nil
}

// cables gives the edges of a simple graph ports, in order of the other end.
func cables(n int, edges [][2]int) []topology.Link {
	slices.SortFunc(edges, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	used := make([]int, n)
	next := func(s int) topology.Port {
		used[s]++
		return topology.Port{Switch: s, Number: used[s]}
	}
	links := make([]topology.Link, 0, len(edges))
	for _, e := range edges {
		links = append(links, topology.Link{A: next(e[0]), B: next(e[1])})
	}
	return links
}

// connectedRegular draws graphs until one is connected, which from degree 3 on
// nearly all are. Edges are pairs with the lower switch first.
func connectedRegular(r *rand.Rand, n, degree int) [][2]int {
	if degree == 2 {
		return cycle(r.Perm(n))
	}
	for {
		edges := regular(r, n, degree)
		if connected(n, edges) {
			return edges
		}
	}
}

func cycle(order []int) [][2]int {
	var edges [][2]int
	last := order[len(order)-1]
	for _, s := range order {
		edges = append(edges, [2]int{min(last, s), max(last, s)})
		last = s
	}
	return edges
}

// regular draws a simple regular graph. Above half the possible degree it draws
// the links that are missing, of which there are fewer.
func regular(r *rand.Rand, n, degree int) [][2]int {
	if degree > (n-1)/2 {
		return complement(n, regular(r, n, n-1-degree))
	}
	for {
		if edges, ok := pairStubs(r, n, degree); ok {
			return edges
		}
	}
}

// pairStubs joins free link ends at random, never to the same switch nor twice
// between two switches (Steger and Wormald, Generating Random Regular Graphs
// Quickly, 1999). It reports false when the ends left over cannot be joined.
func pairStubs(r *rand.Rand, n, degree int) ([][2]int, bool) {
	stubs := make([]int, 0, n*degree)
	for s := range n {
		for range degree {
			stubs = append(stubs, s)
		}
	}
	neighbours := make([][]int, n)
	var edges [][2]int
	fits := func(a, b int) bool { return a != b && !slices.Contains(neighbours[a], b) }
	take := func(i int) {
		stubs[i] = stubs[len(stubs)-1]
		stubs = stubs[:len(stubs)-1]
	}
	for misses := 0; len(stubs) > 0; {
		i, j := r.IntN(len(stubs)), r.IntN(len(stubs))
		a, b := stubs[i], stubs[j]
		if !fits(a, b) {
			if misses++; misses > 20*len(stubs) && !anyPair(stubs, fits) {
				return nil, false
			}
			continue
		}
		misses = 0
		take(max(i, j))
		take(min(i, j))
		neighbours[a] = append(neighbours[a], b)
		neighbours[b] = append(neighbours[b], a)
		edges = append(edges, [2]int{min(a, b), max(a, b)})
	}
	return edges, true
}

func anyPair(stubs []int, fits func(a, b int) bool) bool {
	for i, a := range stubs {
		for _, b := range stubs[i+1:] {
			if fits(a, b) {
				return true
			}
		}
	}
	return false
}

func complement(n int, edges [][2]int) [][2]int {
	linked := make(map[[2]int]bool, len(edges))
	for _, e := range edges {
		linked[e] = true
	}
	var missing [][2]int
	for a := range n {
		for b := a + 1; b < n; b++ {
			if !linked[[2]int{a, b}] {
				missing = append(missing, [2]int{a, b})
			}
		}
	}
	return missing
}

func connected(n int, edges [][2]int) bool {
	root := make([]int, n)
	for s := range root {
		root[s] = s
	}
	find := func(s int) int {
		for root[s] != s {
			root[s] = root[root[s]]
			s = root[s]
		}
		return s
	}
	parts := n
	for _, e := range edges {
		if a, b := find(e[0]), find(e[1]); a != b {
			root[a] = b
			parts--
		}
	}
	return parts == 1
}

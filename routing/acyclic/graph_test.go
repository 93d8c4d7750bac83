package acyclic

import (
	"math/rand/v2"
	"testing"
)

// A graph takes an edge if and only if no path leads back, and copies and rolled back graphs have
// the edges that they should.
func TestGraphAgreesWithReachability(t *testing.T) {
	const n = 7
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g := New(n)
		var edges [n][n]bool
		for range 40 {
			kept := edges
			g.Begin()
			for range 3 {
				a, b := rng.IntN(n), rng.IntN(n)
				if edges[a][b] {
					continue
				}
				if want, got := !reaches(edges, b, a), g.Add(int32(a), int32(b)); got != want {
					t.Fatalf("seed %d: Add(%d, %d) = %v; expected %v", seed, a, b, got, want)
				} else if got {
					edges[a][b] = true
				}
			}
			if rng.IntN(2) == 0 {
				g.RollBack()
				edges = kept
			}
			if rng.IntN(8) == 0 {
				g = g.Clone()
			}
			check(t, seed, g, edges)
		}
	}
}

func reaches(edges [7][7]bool, from, to int) bool {
	var seen [7]bool
	seen[from] = true
	queue := []int{from}
	for ; len(queue) > 0; queue = queue[1:] {
		for v, e := range edges[queue[0]] {
			if e && !seen[v] {
				seen[v] = true
				queue = append(queue, v)
			}
		}
	}
	return seen[to]
}

func check(t *testing.T, seed uint64, g *Graph, edges [7][7]bool) {
	t.Helper()
	for a := range edges {
		for b, want := range edges[a] {
			if g.Has(int32(a), int32(b)) != want {
				t.Fatalf("seed %d: edge from %d to %d: %v; expected %v", seed, a, b, !want, want)
			}
			if want && g.Rank(int32(a)) >= g.Rank(int32(b)) {
				t.Fatalf("seed %d: the order does not follow the edge from %d to %d", seed, a, b)
			}
		}
	}
}

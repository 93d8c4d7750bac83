package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"musubi/topology"
)

// sparse makes a random connected graph with a number of links and a largest degree.
func sparse(n, degree, links, seed, hosts int) (plan, error) {
	if err := checkSparse(n, degree, links); err != nil {
		return plan{}, err
	}
	if err := topology.CheckSize(float64(n), float64(links), float64(n)*float64(hosts)); err != nil {
		return plan{}, err
	}
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	for {
		g := newGrowth(r, n, degree)
		if g.tree(); g.fill(links) {
			return irregular(n, degree, hosts, g.edges), nil
		}
	}
}

// checkSparse reports why no such graph is made. Above three quarters of the largest number of links
// nearly all draws would leave ends that cannot be joined.
func checkSparse(n, degree, links int) error {
	most := min(n*degree/2, n*(n-1)/2) * 3 / 4
	switch {
	case degree < 2 && n > degree+1:
		return fmt.Errorf("degree is %d; expected at least 2, for %d switches are not connected otherwise", degree, n)
	case links < n-1 || links > max(n-1, most):
		return fmt.Errorf("links is %d; expected %d to %d, for %d switches of up to %d links; without links there are %d for each", links, n-1, max(n-1, most), n, degree, degree)
	}
	return nil
}

// growth is a graph to which random edges are added.
type growth struct {
	rng        *rand.Rand
	degree     int   // the largest
	free       []int // switches that may have more links
	neighbours [][]int
	edges      [][2]int // the lower switch first
}

func newGrowth(rng *rand.Rand, n, degree int) *growth {
	return &growth{rng: rng, degree: degree, neighbours: make([][]int, n)}
}

// tree links each switch, in random order, to one of those before it.
func (g *growth) tree() {
	order := g.rng.Perm(len(g.neighbours))
	for i, s := range order {
		if i > 0 {
			g.join(s, g.free[g.rng.IntN(len(g.free))])
		}
		if len(g.neighbours[s]) < g.degree {
			g.free = append(g.free, s)
		}
	}
}

// join links two switches.
func (g *growth) join(a, b int) {
	g.neighbours[a], g.neighbours[b] = append(g.neighbours[a], b), append(g.neighbours[b], a)
	g.edges = append(g.edges, [2]int{min(a, b), max(a, b)})
	g.free = slices.DeleteFunc(g.free, func(s int) bool { return len(g.neighbours[s]) == g.degree })
}

// fill adds edges until there are enough; false if no two switches can be linked any more.
func (g *growth) fill(links int) bool {
	fits := func(a, b int) bool { return a != b && !slices.Contains(g.neighbours[a], b) }
	for misses := 0; len(g.edges) < links; {
		if len(g.free) < 2 {
			return false
		}
		a, b := g.free[g.rng.IntN(len(g.free))], g.free[g.rng.IntN(len(g.free))]
		if fits(a, b) {
			g.join(a, b)
			misses = 0
		} else if misses++; misses > 20*len(g.free) && !anyPair(g.free, fits) {
			return false
		}
	}
	return true
}

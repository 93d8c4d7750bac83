package mpi

import "fmt"

// grid is the arithmetic of a Cartesian topology. Ranks count along the last
// dimension first.
type grid struct {
	dims     []int
	periodic []bool
	size     int // product of dims
}

// newGrid fails if there are not as many dimensions of both kinds, or if they do not
// fit a number of ranks.
func newGrid(dims []int, periodic []bool, ranks int) (grid, error) {
	if len(periodic) != len(dims) {
		return grid{}, fmt.Errorf("%d dimensions, and %d that are periodic or not; expected as many", len(dims), len(periodic))
	}
	size := 1
	for i, d := range dims {
		if d < 1 {
			return grid{}, fmt.Errorf("dimension %d of %d ranks; expected at least 1", i, d)
		}
		if d > ranks/size {
			return grid{}, fmt.Errorf("a grid of %v ranks; there are %d", dims, ranks)
		}
		size *= d
	}
	return grid{dims, periodic, size}, nil
}

// coordinates returns those of a rank.
func (g *grid) coordinates(rank int) []int {
	at := make([]int, len(g.dims))
	for i := len(g.dims) - 1; i >= 0; i-- {
		at[i] = rank % g.dims[i]
		rank /= g.dims[i]
	}
	return at
}

// rankAt is the inverse of coordinates. Those of periodic dimensions are counted in
// a circle; with others that are beyond the edge it returns None.
func (g *grid) rankAt(at []int) int {
	rank := 0
	for i, d := range g.dims {
		x := at[i]
		if g.periodic[i] {
			x = (x%d + d) % d
		}
		if x < 0 || x >= d {
			return None
		}
		rank = rank*d + x
	}
	return rank
}

// moved returns the rank some steps from another one along a dimension, or None.
func (g *grid) moved(rank, dim, steps int) int {
	at := g.coordinates(rank)
	if g.periodic[dim] {
		steps %= g.dims[dim]
	}
	at[dim] += steps // if that overflows, there is nobody either
	return g.rankAt(at)
}

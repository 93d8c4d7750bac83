package mpi

import (
	"fmt"
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/fault"
)

// Cart is a communicator whose ranks are at the points of a grid, of any number of
// dimensions. Ranks count along the last dimension first.
type Cart struct {
	*Comm
	grid grid
}

// Cart makes a communicator with a grid of some ranks in each dimension. Along
// periodic dimensions the last is next to the first. Ranks that the grid has no
// point for get nil. All ranks call it with the same arguments.
//
// If reorder is set, ranks may get other numbers than here, such that neighbours are
// near each other. The contract does not tell what is near, so they keep theirs.
//
// It fails with ErrDims if a dimension is not at least 1, or if there are fewer ranks
// than points.
func (c *Comm) Cart(dims []int, periodic []bool, reorder bool) (*Cart, error) {
	const call = "Cart"
	defer c.enter(call).Leave()
	comm := c.inner()
	if err := comm.Check(call); err != nil {
		return nil, err
	}
	g, err := newGrid(slices.Clone(dims), slices.Clone(periodic), c.Size())
	if err != nil {
		return nil, comm.Fail(fault.Dims, call, err)
	}
	made, err := comm.First(call, g.size)
	if made == nil || err != nil {
		return nil, err
	}
	return &Cart{&Comm{comm: made}, g}, nil
}

// Dims returns how many ranks there are along each dimension.
func (c *Cart) Dims() []int { return slices.Clone(c.grid.dims) }

// Periodic returns for each dimension whether its last rank is next to its first.
func (c *Cart) Periodic() []bool { return slices.Clone(c.grid.periodic) }

// check fails if the communicator cannot be used, which is nil for ranks that the
// grid has no point for.
func (c *Cart) check(call string) error {
	if c == nil {
		return (*Comm)(nil).inner().Check(call)
	}
	return c.Comm.inner().Check(call)
}

// Coordinates returns where a rank is. It fails with ErrRank if there is no such one.
func (c *Cart) Coordinates(rank int) ([]int, error) {
	const call = "Coordinates"
	if err := c.check(call); err != nil {
		return nil, err
	}
	if rank < 0 || rank >= c.Size() {
		return nil, c.inner().Failf(fault.Rank, call, "rank %d; there are ranks 0 to %d", rank, c.Size()-1)
	}
	return c.grid.coordinates(rank), nil
}

// RankAt returns the rank at a point. Coordinates of periodic dimensions count in a
// circle. It fails with ErrDims if there is no such point.
func (c *Cart) RankAt(coordinates ...int) (int, error) {
	const call = "RankAt"
	if err := c.check(call); err != nil {
		return 0, err
	}
	if len(coordinates) != len(c.grid.dims) {
		return 0, c.inner().Failf(fault.Dims, call, "%d coordinates; expected %d", len(coordinates), len(c.grid.dims))
	}
	rank := c.grid.rankAt(coordinates)
	if rank == None {
		return 0, c.inner().Failf(fault.Dims, call, "coordinates %v; expected ones in a grid of %v", coordinates, c.grid.dims)
	}
	return rank, nil
}

// Shift returns the partners of a shift by some steps along a dimension: whom this
// rank receives from and whom it sends to. Beyond the edge of a dimension that is not
// periodic they are None. It fails with ErrDims if there is no such dimension.
func (c *Cart) Shift(dim, steps int) (from, to int, err error) {
	const call = "Shift"
	if err := c.check(call); err != nil {
		return None, None, err
	}
	if dim < 0 || dim >= len(c.grid.dims) {
		return None, None, c.inner().Failf(fault.Dims, call, "dimension %d; expected 0 to %d", dim, len(c.grid.dims)-1)
	}
	return c.grid.moved(c.inner().Rank(), dim, -steps), c.grid.moved(c.inner().Rank(), dim, steps), nil
}

// Sub makes communicators of the ranks that differ only in the dimensions to be
// kept, each with the grid of these. All ranks call it with the same argument. It
// fails with ErrDims if that is not about as many dimensions as there are.
func (c *Cart) Sub(keep []bool) (*Cart, error) {
	const call = "Sub"
	if err := c.check(call); err != nil {
		return nil, err
	}
	if len(keep) != len(c.grid.dims) {
		return nil, c.inner().Failf(fault.Dims, call, "%d dimensions; expected %d", len(keep), len(c.grid.dims))
	}
	sub, dropped := grid{size: 1}, grid{size: 1}
	var subAt, droppedAt []int
	for i, x := range c.grid.coordinates(c.inner().Rank()) {
		g, at := &dropped, &droppedAt
		if keep[i] {
			g, at = &sub, &subAt
		}
		g.dims = append(g.dims, c.grid.dims[i])
		g.periodic = append(g.periodic, c.grid.periodic[i])
		g.size *= c.grid.dims[i]
		*at = append(*at, x)
	}
	comm, err := c.Split(dropped.rankAt(droppedAt), sub.rankAt(subAt))
	if err != nil {
		return nil, err
	}
	return &Cart{comm, sub}, nil
}

// neighbours returns the ranks before and after this one along each dimension.
func (c *Cart) neighbours() neighbours {
	if c == nil {
		return neighbours{}
	}
	var list []int
	for dim := range c.grid.dims {
		list = append(list, c.grid.moved(c.inner().Rank(), dim, -1), c.grid.moved(c.inner().Rank(), dim, 1))
	}
	return neighbours{c.Comm, algorithm.Neighbours{Sources: list, Destinations: list, Mirrored: true}}
}

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

// coordinates returns where a rank is in the grid.
func (g *grid) coordinates(rank int) []int {
	at := make([]int, len(g.dims))
	for i := len(g.dims) - 1; i >= 0; i-- {
		at[i] = rank % g.dims[i]
		rank /= g.dims[i]
	}
	return at
}

// rankAt returns the rank at coordinates. Coordinates of periodic dimensions are counted in
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

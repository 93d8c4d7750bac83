package datatypes

import (
	"slices"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/abi/typemap"
)

// subarrayType is a part of an array, whose extent is that of the whole.
func subarrayType(c *abi.Call) error {
	dims := c.At(0)
	if dims <= 0 {
		return abi.Wrong(standard.ErrArg, "%d dimensions; expected at least 1", dims)
	}
	sizes, parts, starts := c.Ints(c.Words[1], dims, c.Large), c.Ints(c.Words[2], dims, c.Large), c.Ints(c.Words[3], dims, c.Large)
	order := c.At(4)
	t, err := c.Datatype(5)
	if err != nil {
		return err
	}
	if order != standard.OrderC && order != standard.OrderFortran {
		return abi.Wrong(standard.ErrArg, "order %d; expected MPI_ORDER_C or MPI_ORDER_FORTRAN", order)
	}
	indices := make([][]typemap.Range, dims)
	for d := range dims {
		if sizes[d] < 1 || parts[d] < 1 || starts[d] < 0 || starts[d]+parts[d] > sizes[d] {
			return abi.Wrong(standard.ErrArg, "%d elements from %d on of %d in dimension %d", parts[d], starts[d], sizes[d], d)
		}
		indices[d] = []typemap.Range{{From: starts[d], Count: parts[d]}}
	}
	n := array(t, sizes, indices, order)
	if c.Large {
		n.Made = abi.Envelope{Combiner: standard.CombinerSubarray, Ints: []int{dims, order}, Counts: slices.Concat(sizes, parts, starts), Types: []*abi.Datatype{t}}
	} else {
		n.Made = abi.Envelope{Combiner: standard.CombinerSubarray, Ints: slices.Concat([]int{dims}, sizes, parts, starts, []int{order}), Types: []*abi.Datatype{t}}
	}
	putType(c, c.Words[6], n)
	return nil
}

// array is the elements of an array with some indices in each dimension.
func array(t *abi.Datatype, sizes []int, indices [][]typemap.Range, order int) *abi.Datatype {
	return &abi.Datatype{Type: typemap.Array(&t.Type, sizes, indices, order)}
}

// darrayType is the part that a process has of an array that is distributed.
func darrayType(c *abi.Call) error {
	size, rank, dims := c.At(0), c.At(1), c.At(2)
	sizes := c.Ints(c.Words[3], dims, c.Large)
	kinds, args, grid := c.Ints(c.Words[4], dims, false), c.Ints(c.Words[5], dims, false), c.Ints(c.Words[6], dims, false)
	order := c.At(7)
	t, err := c.Datatype(8)
	if err != nil {
		return err
	}
	processes := 1
	for _, g := range grid {
		processes *= g
	}
	if dims <= 0 || processes != size || rank < 0 || rank >= size {
		return abi.Wrong(standard.ErrArg, "rank %d of %d in a grid of %v", rank, size, grid)
	}
	indices := make([][]typemap.Range, dims)
	rest := rank
	for d := dims - 1; d >= 0; d-- { // processes count along the last dimension first
		own := rest % grid[d]
		rest /= grid[d]
		indices[d] = typemap.Distributed(kinds[d], args[d], sizes[d], grid[d], own)
		if indices[d] == nil && kinds[d] == standard.DistributeBlock && args[d] != standard.DistributeDfltDarg && args[d]*grid[d] < sizes[d] {
			return abi.Wrong(standard.ErrArg, "blocks of %d in dimension %d", args[d], d)
		}
	}
	n := array(t, sizes, indices, order)
	if c.Large {
		n.Made = abi.Envelope{Combiner: standard.CombinerDarray, Ints: slices.Concat([]int{size, rank, dims}, kinds, args, grid, []int{order}), Counts: sizes, Types: []*abi.Datatype{t}}
	} else {
		n.Made = abi.Envelope{Combiner: standard.CombinerDarray, Ints: slices.Concat([]int{size, rank, dims}, sizes, kinds, args, grid, []int{order}), Types: []*abi.Datatype{t}}
	}
	putType(c, c.Words[9], n)
	return nil
}

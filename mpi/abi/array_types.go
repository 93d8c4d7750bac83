package abi

import (
	"slices"

	"musubi/mpi/abi/standard"
	"musubi/mpi/abi/typemap"
)

// subarrayType is a part of an array, whose extent is that of the whole.
func (c *call) subarrayType() error {
	dims := c.at(0)
	if dims <= 0 {
		return wrong(standard.ErrArg, "%d dimensions; expected at least 1", dims)
	}
	sizes, parts, starts := c.ints(c.a[1], dims, c.large), c.ints(c.a[2], dims, c.large), c.ints(c.a[3], dims, c.large)
	order := c.at(4)
	t, err := c.datatype(5)
	if err != nil {
		return err
	}
	if order != standard.OrderC && order != standard.OrderFortran {
		return wrong(standard.ErrArg, "order %d; expected MPI_ORDER_C or MPI_ORDER_FORTRAN", order)
	}
	indices := make([][]typemap.Range, dims)
	for d := range dims {
		if sizes[d] < 1 || parts[d] < 1 || starts[d] < 0 || starts[d]+parts[d] > sizes[d] {
			return wrong(standard.ErrArg, "%d elements from %d on of %d in dimension %d", parts[d], starts[d], sizes[d], d)
		}
		indices[d] = []typemap.Range{{From: starts[d], Count: parts[d]}}
	}
	n := array(t, sizes, indices, order)
	if c.large {
		n.made = envelope{combiner: standard.CombinerSubarray, ints: []int{dims, order}, counts: slices.Concat(sizes, parts, starts), types: []int64{t.handle}}
	} else {
		n.made = envelope{combiner: standard.CombinerSubarray, ints: slices.Concat([]int{dims}, sizes, parts, starts, []int{order}), types: []int64{t.handle}}
	}
	c.putType(c.a[6], n)
	return nil
}

// array is the elements of an array with some indices in each dimension.
func array(t *datatype, sizes []int, indices [][]typemap.Range, order int) *datatype {
	return &datatype{Type: typemap.Array(&t.Type, sizes, indices, order)}
}

// darrayType is the part that a process has of an array that is distributed.
func (c *call) darrayType() error {
	size, rank, dims := c.at(0), c.at(1), c.at(2)
	sizes := c.ints(c.a[3], dims, c.large)
	kinds, args, grid := c.ints(c.a[4], dims, false), c.ints(c.a[5], dims, false), c.ints(c.a[6], dims, false)
	order := c.at(7)
	t, err := c.datatype(8)
	if err != nil {
		return err
	}
	processes := 1
	for _, g := range grid {
		processes *= g
	}
	if dims <= 0 || processes != size || rank < 0 || rank >= size {
		return wrong(standard.ErrArg, "rank %d of %d in a grid of %v", rank, size, grid)
	}
	indices := make([][]typemap.Range, dims)
	rest := rank
	for d := dims - 1; d >= 0; d-- { // processes count along the last dimension first
		own := rest % grid[d]
		rest /= grid[d]
		indices[d] = typemap.Distributed(kinds[d], args[d], sizes[d], grid[d], own)
		if indices[d] == nil && kinds[d] == standard.DistributeBlock && args[d] != standard.DistributeDfltDarg && args[d]*grid[d] < sizes[d] {
			return wrong(standard.ErrArg, "blocks of %d in dimension %d", args[d], d)
		}
	}
	n := array(t, sizes, indices, order)
	if c.large {
		n.made = envelope{combiner: standard.CombinerDarray, ints: slices.Concat([]int{size, rank, dims}, kinds, args, grid, []int{order}), counts: sizes, types: []int64{t.handle}}
	} else {
		n.made = envelope{combiner: standard.CombinerDarray, ints: slices.Concat([]int{size, rank, dims}, sizes, kinds, args, grid, []int{order}), types: []int64{t.handle}}
	}
	c.putType(c.a[9], n)
	return nil
}

package abi

import "slices"

// places returns the dimensions of an array from the one that varies slowest on.
func places(dims int, order int) []int {
	list := make([]int, dims)
	for i := range list {
		if list[i] = i; order == cOrderFortran {
			list[i] = dims - 1 - i
		}
	}
	return list
}

// subarrayType is a part of an array, whose extent is that of the whole.
func (c *call) subarrayType() error {
	dims := c.at(0)
	if dims <= 0 {
		return wrong(cErrArg, "%d dimensions; expected at least 1", dims)
	}
	sizes, parts, starts := c.ints(c.a[1], dims, c.large), c.ints(c.a[2], dims, c.large), c.ints(c.a[3], dims, c.large)
	order := c.at(4)
	t, err := c.datatype(5)
	if err != nil {
		return err
	}
	if order != cOrderC && order != cOrderFortran {
		return wrong(cErrArg, "order %d; expected MPI_ORDER_C or MPI_ORDER_FORTRAN", order)
	}
	indices := make([][]int, dims)
	for d := range dims {
		if sizes[d] < 1 || parts[d] < 1 || starts[d] < 0 || starts[d]+parts[d] > sizes[d] {
			return wrong(cErrArg, "%d elements from %d on of %d in dimension %d", parts[d], starts[d], sizes[d], d)
		}
		for i := range parts[d] {
			indices[d] = append(indices[d], starts[d]+i)
		}
	}
	n := arrayType(t, sizes, indices, order)
	if c.large {
		n.made = envelope{combiner: cCombinerSubarray, ints: []int{dims, order}, counts: slices.Concat(sizes, parts, starts), types: []int64{t.handle}}
	} else {
		n.made = envelope{combiner: cCombinerSubarray, ints: slices.Concat([]int{dims}, sizes, parts, starts, []int{order}), types: []int64{t.handle}}
	}
	c.putType(c.a[6], n)
	return nil
}

// arrayType is the elements of an array with some indices in each dimension.
func arrayType(t *datatype, sizes []int, indices [][]int, order int) *datatype {
	var blocks []block
	by := places(len(sizes), order)
	var visit func(k, at int)
	visit = func(k, at int) {
		if k == len(by) {
			if last := len(blocks) - 1; last >= 0 && blocks[last].at+blocks[last].count*t.extent() == at*t.extent() {
				blocks[last].count++
			} else {
				blocks = append(blocks, block{at * t.extent(), 1, t})
			}
			return
		}
		for _, i := range indices[by[k]] {
			visit(k+1, at*sizes[by[k]]+i)
		}
	}
	visit(0, 0)
	n := compose(blocks, envelope{})
	whole := t.extent()
	for _, s := range sizes {
		whole *= s
	}
	n.lower, n.upper = 0, whole
	n.setSimple()
	return n
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
		return wrong(cErrArg, "rank %d of %d in a grid of %v", rank, size, grid)
	}
	indices := make([][]int, dims)
	rest := rank
	for d := dims - 1; d >= 0; d-- { // processes count along the last dimension first
		own := rest % grid[d]
		rest /= grid[d]
		indices[d] = distributed(kinds[d], args[d], sizes[d], grid[d], own)
		if indices[d] == nil && kinds[d] == cDistributeBlock && args[d] != cDistributeDfltDarg && args[d]*grid[d] < sizes[d] {
			return wrong(cErrArg, "blocks of %d in dimension %d", args[d], d)
		}
	}
	n := arrayType(t, sizes, indices, order)
	if c.large {
		n.made = envelope{combiner: cCombinerDarray, ints: slices.Concat([]int{size, rank, dims}, kinds, args, grid, []int{order}), counts: sizes, types: []int64{t.handle}}
	} else {
		n.made = envelope{combiner: cCombinerDarray, ints: slices.Concat([]int{size, rank, dims}, sizes, kinds, args, grid, []int{order}), types: []int64{t.handle}}
	}
	c.putType(c.a[9], n)
	return nil
}

// distributed returns the indices that a process has in a dimension.
func distributed(kind, arg, size, processes, own int) (list []int) {
	block := arg
	switch kind {
	case cDistributeNone:
		block = size
	case cDistributeBlock:
		if arg == cDistributeDfltDarg {
			block = (size + processes - 1) / processes
		}
	case cDistributeCyclic:
		if arg == cDistributeDfltDarg {
			block = 1
		}
	}
	if block <= 0 {
		return nil
	}
	for i := range size {
		if i/block%processes == own {
			list = append(list, i)
		}
	}
	return list
}

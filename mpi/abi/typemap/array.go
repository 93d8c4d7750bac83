package typemap

import (
	"slices"

	"musubi/mpi/abi/standard"
)

// Range is some indices of a dimension in a row.
type Range struct{ From, Count int }

// Array is the elements of an array with some indices in each dimension. Its extent is that of the
// whole array. order is standard.OrderC or standard.OrderFortran.
func Array(t *Type, sizes []int, indices [][]Range, order int) Type {
	made, whole := *t, t.Extent()
	for _, d := range slices.Backward(slowestFirst(len(sizes), order)) {
		of := made
		blocks := make([]Block, len(indices[d]))
		for i, r := range indices[d] {
			blocks[i] = Block{r.From * whole, r.Count, whole, &of}
		}
		made = Compose(blocks)
		whole *= sizes[d]
	}
	made.SetBounds(0, whole)
	return made
}

// slowestFirst returns the dimensions of an array from the one that varies slowest on.
func slowestFirst(dims, order int) []int {
	list := make([]int, dims)
	for i := range list {
		if list[i] = i; order == standard.OrderFortran {
			list[i] = dims - 1 - i
		}
	}
	return list
}

// Distributed returns the indices that one of some processes has in a dimension of an array, none if
// blocks have no elements. kind is standard.DistributeBlock, DistributeCyclic or DistributeNone, and
// arg the elements of a block or standard.DistributeDfltDarg.
func Distributed(kind, arg, size, processes, own int) (list []Range) {
	block := arg
	switch {
	case kind == standard.DistributeNone:
		block = size
	case kind == standard.DistributeBlock && arg == standard.DistributeDfltDarg:
		block = (size + processes - 1) / processes
	case kind == standard.DistributeCyclic && arg == standard.DistributeDfltDarg:
		block = 1
	}
	if block <= 0 {
		return nil
	}
	for from := own * block; from < size; from += processes * block {
		list = append(list, Range{from, min(block, size-from)})
	}
	return list
}

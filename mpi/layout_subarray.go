package mpi

import "fmt"

// Subarray is part of an array of any number of dimensions, such as a column of a matrix or a
// face of a block: in each dimension, of which dims tells the length, counts elements from
// begins on. The last dimension is that whose elements follow each other in the slice. What
// is not in the array is refused by the function that is given the layout.
func Subarray(dims, counts, begins []int) Layout {
	if err := checkSubarray(dims, counts, begins); err != nil {
		return Layout{wrong: err}
	}
	last, inner := len(dims)-1, 1 // behind the last one whole dimensions, of so many elements
	for last > 0 && counts[last] == dims[last] {
		inner *= dims[last]
		last--
	}
	places := []int{0} // in an array of the dimensions so far
	for d := range last {
		places = inDimension(places, dims[d], counts[d], begins[d])
	}
	blocks := make([]Block, len(places))
	for i, place := range places {
		blocks[i] = Block{At: (place*dims[last] + begins[last]) * inner, Count: counts[last] * inner}
	}
	return Layout{blocks: blocks}
}

// inDimension returns where elements are that lie at some places of an array, and at some of
// one more dimension.
func inDimension(places []int, dim, count, begin int) []int {
	list := make([]int, 0, len(places)*count)
	for _, place := range places {
		for i := range count {
			list = append(list, place*dim+begin+i)
		}
	}
	return list
}

// checkSubarray fails if there is no such part.
func checkSubarray(dims, counts, begins []int) error {
	if len(dims) == 0 || len(counts) != len(dims) || len(begins) != len(dims) {
		return fmt.Errorf("a subarray of %d dimensions, with %d counts and %d begins; expected at least 1, and as many",
			len(dims), len(counts), len(begins))
	}
	for d, dim := range dims {
		if begins[d] < 0 || counts[d] < 0 || begins[d] > dim-counts[d] {
			return fmt.Errorf("dimension %d of a subarray, %d elements from %d on; there are %d elements", d, counts[d], begins[d], dim)
		}
	}
	return nil
}

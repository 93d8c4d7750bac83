package tour

import "musubi/topology"

// gridRing returns a cycle through all switches of a network with coordinates, or nil if its shape
// has none.
//
// The switches are a product of paths and cycles, one for each dimension. A cycle times a path has
// a cycle, whatever their lengths (Batagelj and Pisanski, Hamiltonian cycles in the Cartesian
// product of a tree and a cycle, 1982), and so has a path times a path if one of them has an even
// length. So the ring of one dimension is spread over the others, one after the other.
func gridRing(s *topology.Shape) []int {
	base, rest := firstRing(dimensions(s))
	if base == nil {
		return nil
	}
	for _, d := range rest {
		base = spread(base, d)
	}
	return base
}

// dimension is one of those that have more than one switch.
type dimension struct {
	size   int
	stride int // between the numbers of switches that are neighbours in it
	wrap   bool
}

func dimensions(s *topology.Shape) (list []dimension) {
	stride := 1
	for i, size := range s.Dims {
		if size > 1 {
			list = append(list, dimension{size, stride, s.Wrap[i] || s.Full && size > 2})
		}
		stride *= size
	}
	return list
}

// firstRing returns a ring of as few dimensions as give one, and those that are left; nil if
// there is none.
func firstRing(dims []dimension) (ring []int, rest []dimension) {
	for i, d := range dims {
		if d.wrap {
			return snake(dims[i : i+1]), without(dims, i)
		}
	}
	if len(dims) < 2 {
		return nil, nil // a path, of which only the one of length 2 is a ring
	}
	for i, d := range dims {
		if d.size%2 == 0 {
			// All others are one path, because that of an odd length times one of an odd length has
			// no ring to begin with.
			return comb(snake(without(dims, i)), d), nil
		}
	}
	return nil, nil
}

func without(dims []dimension, i int) []dimension {
	return append(append([]dimension{}, dims[:i]...), dims[i+1:]...)
}

// spread returns a ring through all copies of a ring along a dimension.
func spread(ring []int, d dimension) []int {
	if len(ring)%2 == 1 && d.size%2 == 1 {
		return oddSpread(ring, d)
	}
	if d.size%2 == 0 {
		return comb(ring, d)
	}
	// The ring has an even length, so the comb has its teeth along the dimension.
	all := make([]int, 0, len(ring)*d.size)
	for i, s := range ring {
		for j := range d.size - 1 {
			if i%2 == 1 {
				j = d.size - 2 - j
			}
			all = append(all, s+(j+1)*d.stride)
		}
	}
	for i := range ring {
		all = append(all, ring[len(ring)-1-i])
	}
	return all
}

// comb returns a ring through all copies of a path along a dimension of an even size: through the
// copies to and fro, and back along their first switches.
func comb(path []int, d dimension) []int {
	all := make([]int, 0, len(path)*d.size)
	for j := range d.size {
		for i := 1; i < len(path); i++ {
			at := i
			if j%2 == 1 {
				at = len(path) - i
			}
			all = append(all, path[at]+j*d.stride)
		}
	}
	for j := range d.size {
		all = append(all, path[0]+(d.size-1-j)*d.stride)
	}
	return all
}

// oddSpread is spread of an odd length along an odd size: the first copy of the ring, opened
// between its first two switches, is joined there with a comb of the others.
func oddSpread(ring []int, d dimension) []int {
	others := d
	others.size--
	all := make([]int, 0, len(ring)*d.size)
	// From the second switch around to the first, and then by the comb, which ends at the first of
	// its first copy, back to the second.
	all = append(append(all, ring[1:]...), ring[0])
	teeth := comb(ring, others)
	all = append(all, teeth[len(teeth)-1]+d.stride)
	for i := len(teeth) - 2; i >= 0; i-- {
		all = append(all, teeth[i]+d.stride)
	}
	return all
}

// snake returns all switches of some dimensions in boustrophedon order: each row in the direction
// opposite to the one before.
func snake(dims []dimension) []int {
	order := []int{0}
	for _, d := range dims {
		row := order
		for j := 1; j < d.size; j++ {
			for i := range row {
				at := i
				if j%2 == 1 {
					at = len(row) - 1 - i
				}
				order = append(order, row[at]+j*d.stride)
			}
		}
	}
	return order
}

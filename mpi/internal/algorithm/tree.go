package algorithm

import (
	"math/bits"

	"musubi/mpi/internal/schedule"
)

// place is a rank's place in a binomial tree: its number is that of the rank counted from the root,
// in a circle. The subtree of a place whose lowest set bit is 2^k has the 2^k places that begin with
// it, as far as they exist; its children are 1, 2, 4 and so on places on. So every subtree is a range
// of places.
type place struct {
	Number, size, root int
}

// TreeFrom returns this rank's place in the tree from a root.
func TreeFrom(s *schedule.Schedule, root int) place {
	return place{(s.Rank - root + s.Size) % s.Size, s.Size, root}
}

// rank returns the rank at a place.
func (p place) rank(number int) int { return (number + p.root) % p.size }

// reach returns by how much the numbers of the subtree can exceed the place's own,
// plus one: a power of two.
func (p place) reach() int {
	if p.Number == 0 {
		return 1 << bits.Len(uint(p.size-1))
	}
	return p.Number & -p.Number
}

// subtree returns how many places the subtree has.
func (p place) subtree() int { return min(p.reach(), p.size-p.Number) }

// Parent returns the rank above this one. The root has none.
func (p place) Parent() int { return p.rank(p.Number - p.reach()) }

// NearChildren calls f for the distance and the rank of each child, from the
// nearest with the smallest subtree to the farthest.
func (p place) NearChildren(f func(distance, rank int)) {
	for d := 1; d < p.reach() && p.Number+d < p.size; d *= 2 {
		f(d, p.rank(p.Number+d))
	}
}

// farChildren calls f for the distance and the rank of each child, from the farthest with the
// largest subtree to the nearest.
func (p place) farChildren(f func(distance, rank int)) {
	for d := p.reach() / 2; d > 0; d /= 2 {
		if p.Number+d < p.size {
			f(d, p.rank(p.Number+d))
		}
	}
}

// childSize returns how many places the subtree of the child at a distance has.
func (p place) childSize(distance int) int { return min(distance, p.size-p.Number-distance) }

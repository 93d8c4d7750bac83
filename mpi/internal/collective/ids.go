package collective

import (
	"errors"
	"math/bits"
)

// mostComms is how many communicators a process can be in at once.
const mostComms = 4096

// ids is the set of ids of the communicators that a process is in. The ranks of the communicator
// from which a new one is derived take the first id that is free at all of them. So the
// communicators of a process have different ids, and no message matches in another one; disjoint
// communicators may have the same id.
type ids struct {
	used []uint64 // a set of bits, as far as there are any
}

// free returns the free ids, as a set of bits.
func (s *ids) free() []uint64 {
	list := make([]uint64, mostComms/64)
	for i := range list {
		list[i] = ^uint64(0)
	}
	for i, word := range s.used {
		list[i] = ^word
	}
	list[0] &^= 1 // the communicator of all processes
	return list
}

func (s *ids) take(id uint32) {
	for len(s.used) <= int(id/64) {
		s.used = append(s.used, 0)
	}
	s.used[id/64] |= 1 << (id % 64)
}

// release gives back an id, whether it has been taken or not.
func (s *ids) release(id uint32) {
	if int(id/64) < len(s.used) {
		s.used[id/64] &^= 1 << (id % 64)
	}
}

// lowest returns the first id of a set.
func lowest(set []uint64) (uint32, bool) {
	for i, word := range set {
		if word != 0 {
			return uint32(64*i + bits.TrailingZeros64(word)), true
		}
	}
	return 0, false
}

var errNoContext = errors.New("no number is left that all ranks could give to a communicator; expected less than 4096 at once: Free those that are done with")

package collective

import (
	"errors"
	"math/bits"
)

// mostComms is how many communicators a process can be in at once.
const mostComms = 4096

// ids is the numbers that a process has not given to a communicator yet. A number
// is chosen by all ranks of the communicator that a new one is made of: the first
// that all of them have left. So those that a process is in differ, and no message
// is taken for one of another communicator; disjoint communicators may share one.
type ids struct {
	used [mostComms / 64]uint64
}

// free returns the numbers that are left, as a set of bits.
func (s *ids) free() []uint64 {
	list := make([]uint64, len(s.used))
	for i, word := range s.used {
		list[i] = ^word
	}
	list[0] &^= 1 // the communicator of all processes
	return list
}

func (s *ids) take(id uint32) { s.used[id/64] |= 1 << (id % 64) }

func (s *ids) giveBack(id uint32) { s.used[id/64] &^= 1 << (id % 64) }

// lowest returns the first number of a set.
func lowest(set []uint64) (uint32, bool) {
	for i, word := range set {
		if word != 0 {
			return uint32(64*i + bits.TrailingZeros64(word)), true
		}
	}
	return 0, false
}

var errNoContext = errors.New("no number is left that all ranks could give to a communicator; expected less than 4096 at once: Free those that are done with")

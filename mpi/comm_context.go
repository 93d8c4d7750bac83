package mpi

import (
	"errors"
	"math/bits"
	"slices"

	"musubi/mpi/internal/fault"
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

// agree returns a number that all ranks have left, after they have told each other
// what else there is to tell. All of them call it.
func (c *Comm) agree(call string, tell func() error) (uint32, error) {
	left := c.e.ids.free()
	err := c.usually(func() error {
		if err := tell(); err != nil {
			return err
		}
		return AllReduce(c, left, left, And[uint64]())
	})
	if err != nil {
		return 0, err
	}
	id, ok := lowest(left)
	if !ok {
		return 0, c.fail(fault.Other, call, errNoContext)
	}
	return id, nil
}

// usually does something by the usual algorithms, as those that SetAlgorithm has chosen
// may not fit.
func (c *Comm) usually(do func() error) error {
	forced := c.collectives.forced
	c.collectives.forced = choices{}
	defer func() { c.collectives.forced = forced }()
	return do()
}

// nothingElse is for agree where there is nothing else to tell.
func nothingElse() error { return nil }

// made returns a communicator of some processes, nil for all, that this one is in.
// It inherits the choice of algorithms.
func (c *Comm) made(members []int32, id uint32) *Comm {
	c.e.ids.take(id)
	n := newComm(c.e, members, id)
	n.collectives.forced = c.collectives.forced
	return n
}

// Dup returns a communicator of the same processes with the same ranks, whose
// messages do not mix with those of this one. All ranks call it.
func (c *Comm) Dup() (*Comm, error) {
	const call = "Dup"
	if err := c.check(call); err != nil {
		return nil, err
	}
	id, err := c.agree(call, nothingElse)
	if err != nil {
		return nil, err
	}
	return c.made(c.members, id), nil
}

// Free ends the use of a communicator. All of its ranks call it, each when all is
// complete that it has started there, and all received that has come: if not, it fails with
// ErrRequest. It fails with ErrComm if the communicator is nil, has been freed before, or is
// that of New or of a window.
func (c *Comm) Free() error {
	const call = "Free"
	if err := c.check(call); err != nil {
		return err
	}
	if c.point == 0 {
		return c.failf(fault.Comm, call, "the communicator of all processes; expected one that has been made of another")
	}
	if c.e.windowOf(c.point) != nil {
		return c.failf(fault.Comm, call, "the communicator of a window, which its Free frees")
	}
	if left := slices.Concat(c.e.pending(c), c.e.notReceived(c)); len(left) > 0 {
		return c.failf(fault.Request, call, "not complete: %s", listed(left))
	}
	err := c.e.exchanges.free(c)
	c.release()
	c.e.ids.giveBack(c.point / 2)
	if err != nil {
		return c.fail(fault.Other, call, err)
	}
	return nil
}

package mpi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// An owner that computes keeps nobody waiting for the lock of its memory, where interfaces change
// words: the others have had it many times before the owner calls anything.
func TestLocksDoNotWaitForTheOwner(t *testing.T) {
	const rounds, computation = 10, 100 * units.Millisecond
	everywhere(t, 4, func(c *mpi.Comm) error {
		p := c.Process()
		_, atomic := p.(rma.Atomics)
		w, err := mpi.AllocateWindow[int64](c, 1)
		if err := errors.Join(err, mpi.Barrier(c)); err != nil {
			return err
		}
		begin := p.Now()
		if c.Rank() == 0 {
			p.Compute(computation)
		} else if err := countUnderLock(w, 0, rounds); err != nil {
			return err
		}
		if took := p.Now() - begin; atomic && c.Rank() != 0 && took >= computation {
			return fmt.Errorf("%d rounds took %v; expected less than the %v that the owner computes", rounds, took, computation)
		}
		if err := mpi.Barrier(c); err != nil {
			return err
		}
		if want := int64(rounds * 3); c.Rank() == 0 && w.Memory()[0] != want {
			return fmt.Errorf("counted to %d; expected %d", w.Memory()[0], want)
		}
		return w.Free()
	})
}

// countUnderLock adds 1 to an element some times, each time with the lock of its rank.
func countUnderLock(w *mpi.Window[int64], rank, rounds int) error {
	n := make([]int64, 1)
	for range rounds {
		if err := errors.Join(w.Lock(rank), w.Get(rank, 0, n), w.Flush(rank)); err != nil {
			return err
		}
		n[0]++
		if err := errors.Join(w.Put(rank, 0, n), w.Unlock(rank)); err != nil {
			return err
		}
	}
	return nil
}

// Ranks that wait for each other's locks in a circle are told so: they do not wait for ever.
func TestLocksInACircleAreADeadlock(t *testing.T) {
	err := job{machine: "ndr", ranks: 2}.run(func(c *mpi.Comm) error {
		w, err := mpi.AllocateWindow[int64](c, 1)
		if err != nil {
			return err
		}
		return errors.Join(w.Lock(c.Rank()), mpi.Barrier(c), w.Lock(1-c.Rank()))
	})
	if err == nil || !strings.Contains(err.Error(), "Lock") {
		t.Errorf("%v; expected an error that names Lock", err)
	}
}

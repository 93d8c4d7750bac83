package rank

import (
	"errors"
	"fmt"
	"testing"

	"musubi/mpi"
	"musubi/rma"
)

// Two ranks that each lock the memory of a third one again and again, and count in it, wait only for each
// other: the owner, which is of another group, is in no call of package mpi or of the rank until they are
// done.
func TestLocksOverStreamsDoNotWaitForTheOwner(t *testing.T) {
	const owner, others, rounds = 0, 2, 20
	done := make(chan struct{}, others)
	err := newTestJob(t, variants["windows"], 1+others, mixes["each alone"]).run(func(p rma.Process) error {
		return mpi.Run(p, func(c *mpi.Comm) error {
			w, err := mpi.AllocateWindow[int64](c, 2)
			if err := errors.Join(err, mpi.Barrier(c)); err != nil {
				return err
			}
			if c.Rank() == owner {
				for range others {
					<-done
				}
			} else {
				err = countTwice(w, owner, rounds)
				done <- struct{}{}
			}
			if err := errors.Join(err, mpi.Barrier(c)); err != nil {
				return err
			}
			if got := [2]int64(w.Memory()); c.Rank() == owner && got != [2]int64{others * rounds, others * rounds} {
				return fmt.Errorf("counted %d; expected %d each", got, others*rounds)
			}
			return w.Free()
		})
	})
	if err != nil {
		t.Error(err)
	}
}

// countTwice adds 1 to two elements of a rank some times with its lock: to one by an operation, to the
// other by reading and writing it.
func countTwice(w *mpi.Window[int64], rank, rounds int) error {
	n := make([]int64, 1)
	for range rounds {
		if err := w.Lock(rank); err != nil {
			return err
		}
		if _, err := w.FetchAndOp(rank, 0, 1, mpi.Sum[int64]()); err != nil {
			return err
		}
		if err := errors.Join(w.Get(rank, 1, n), w.Flush(rank)); err != nil {
			return err
		}
		n[0]++
		if err := errors.Join(w.Put(rank, 1, n), w.Unlock(rank)); err != nil {
			return err
		}
	}
	return nil
}

package mpitest_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"musubi/live"
	"musubi/mpi"
	"musubi/rma"
)

// A rank of this host that computes, in no call, keeps nobody waiting for the lock of its memory: it
// sees there what the others have counted with that lock, and only then calls something.
func TestOwnersThatComputeKeepNobodyWaiting(t *testing.T) {
	j := jobs{test: "TestOwnersThatComputeKeepNobodyWaiting"}
	const ranks, rounds, patience = 3, 20, time.Minute
	_, err := j.run(t, live.Config{Ranks: ranks}, func(p rma.Process) ([]byte, error) {
		return nil, mpi.Run(p, func(c *mpi.Comm) error {
			w, err := mpi.AllocateWindow[int64](c, 1)
			if err := errors.Join(err, mpi.Barrier(c)); err != nil {
				return err
			}
			if c.Rank() == 0 {
				count := &w.Memory()[0]
				for begin := time.Now(); atomic.LoadInt64(count) < rounds*(ranks-1); {
					if time.Since(begin) > patience {
						return fmt.Errorf("%d rounds in %v; expected %d", atomic.LoadInt64(count), patience, rounds*(ranks-1))
					}
				}
				return w.Free()
			}
			for round := range rounds {
				n := make([]int64, 1)
				if err := errors.Join(w.Lock(0), w.Get(0, 0, n), w.Flush(0)); err != nil {
					return err
				}
				n[0]++
				if err := errors.Join(write(w, n, round), w.Unlock(0)); err != nil {
					return err
				}
			}
			return w.Free()
		})
	})
	if err != nil {
		t.Error(err)
	}
}

// write puts a number into the window of rank 0, every other time by a request.
func write(w *mpi.Window[int64], n []int64, round int) error {
	if round%2 == 0 {
		return w.Put(0, 0, n)
	}
	r, err := w.RPut(0, 0, n)
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

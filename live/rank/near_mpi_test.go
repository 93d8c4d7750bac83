package rank

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"musubi/mpi"
	"musubi/rma"
)

// Where ranks share memory, a rank combines elements of another one that makes no call at all, also elements that the
// interface has no operation for.
func TestAccumulatesInSharedMemoryNeedNobody(t *testing.T) {
	for _, name := range []string{"windows", "small arenas"} {
		done := make(chan struct{})
		err := inProcess(variants[name], 2, func(p rma.Process) error {
			return mpi.Run(p, func(c *mpi.Comm) error {
				reals, err := mpi.AllocateWindow[float64](c, 8)
				if err != nil {
					return err
				}
				halves, err := mpi.AllocateWindow[int16](c, 3)
				if err != nil {
					return err
				}
				if err := mpi.Barrier(c); err != nil {
					return err
				}
				if c.Rank() == 0 {
					err := changeAll(reals, halves)
					close(done)
					if err != nil {
						return err
					}
				} else {
					select {
					case <-done: // in no call
					case <-time.After(20 * time.Second):
						return errors.New("accumulates of rank 0 wait for this rank, which makes no call")
					}
				}
				if err := mpi.Barrier(c); err != nil {
					return err
				}
				if got, want := fmt.Sprint(reals.Memory(), halves.Memory()), "[3 0 5 0 7 0 0 0] [4 9 0]"; c.Rank() == 1 && got != want {
					return fmt.Errorf("the windows have %s; expected %s", got, want)
				}
				return errors.Join(halves.Free(), reals.Free())
			})
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// changeAll changes elements of rank 1 in all ways.
func changeAll(reals *mpi.Window[float64], halves *mpi.Window[int16]) error {
	if err := errors.Join(reals.LockShared(1), halves.LockShared(1)); err != nil {
		return err
	}
	sum, was := mpi.Sum[float64](), make([]float64, 3)
	one, two := mpi.Vector(1, 3, 3), mpi.Vector(3, 1, 2)
	err := errors.Join(
		reals.AccumulateLayout(1, 0, two, []float64{1, 2, 3}, one, sum),
		reals.GetAccumulateLayout(1, 0, two, []float64{2, 3, 4}, one, was, one, sum))
	if err == nil {
		err = reals.Flush(1)
	}
	if err == nil && !slices.Equal(was, []float64{1, 2, 3}) {
		err = fmt.Errorf("the old elements are %v; expected 1, 2, 3", was)
	}
	if err != nil {
		return err
	}
	before, err := halves.FetchAndOp(1, 0, 4, mpi.Max[int16]())
	if err != nil || before != 0 {
		return fmt.Errorf("a maximum finds %d, %v; expected 0", before, err)
	}
	for i, want := range []int16{0, 9} {
		if before, err = halves.CompareAndSwap(1, 1, 0, 9); err != nil || before != want {
			return fmt.Errorf("swap %d finds %d, %v; expected %d", i, before, err, want)
		}
	}
	return errors.Join(halves.Unlock(1), reals.Unlock(1))
}

// Ranks change the same elements at the same time, each of them atomically.
func TestAccumulatesInSharedMemoryMeet(t *testing.T) {
	const ranks, times = 3, 2000
	for _, name := range []string{"windows", "small arenas"} {
		err := inProcess(variants[name], ranks, func(p rma.Process) error {
			return mpi.Run(p, func(c *mpi.Comm) error {
				w, err := mpi.AllocateWindow[float32](c, 2)
				if err != nil {
					return err
				}
				if err := w.LockAll(); err != nil {
					return err
				}
				for range times {
					if err := w.Accumulate(1, 0, []float32{1, 2}, mpi.Sum[float32]()); err != nil {
						return err
					}
					if _, err := w.FetchAndOp(1, 1, 1, mpi.Sum[float32]()); err != nil {
						return err
					}
				}
				if err := errors.Join(w.UnlockAll(), mpi.Barrier(c)); err != nil {
					return err
				}
				if want := []float32{ranks * times, 3 * ranks * times}; c.Rank() == 1 && !slices.Equal(w.Memory(), want) {
					return fmt.Errorf("the window has %v; expected %v", w.Memory(), want)
				}
				return w.Free()
			})
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

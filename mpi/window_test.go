package mpi_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"musubi/mpi"
	"musubi/units"
)

// Each rank puts into its neighbours, and gets from them, in each kind of epoch.
func TestPutAndGet(t *testing.T) {
	everywhere(t, 4, func(c *mpi.Comm) error {
		for _, n := range []int{0, 1, 63, 64, 65, 5000} {
			w, err := mpi.AllocateWindow[int64](c, 2*n)
			if err != nil {
				return err
			}
			for i, epoch := range []func(*mpi.Window[int64], func() error) error{fenced, locked, lockedAll, started} {
				if err := ringOfPuts(w, n, int64(100*i), epoch); err != nil {
					return fmt.Errorf("%d elements, epoch %d: %w", n, i, err)
				}
			}
			if err := w.Free(); err != nil {
				return err
			}
		}
		return nil
	})
}

// ringOfPuts puts n elements to the rank to the right, and gets as many from it.
func ringOfPuts(w *mpi.Window[int64], n int, base int64, epoch func(*mpi.Window[int64], func() error) error) error {
	c := w.Comm()
	right, left := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	mine, theirs := values(n, base+int64(c.Rank())), values(n, base+int64(left))
	copy(w.Memory(), values(n, base-int64(c.Rank())))
	if err := mpi.Barrier(c); err != nil {
		return err
	}
	got := make([]int64, n)
	err := epoch(w, func() error { return errors.Join(w.Put(right, n, mine), w.Get(right, 0, got)) })
	if err != nil {
		return err
	}
	if err := mpi.Barrier(c); err != nil {
		return err
	}
	if !slices.Equal(w.Memory()[n:], theirs) {
		return fmt.Errorf("rank %d did not put here what it has", left)
	}
	if !slices.Equal(got, values(n, base-int64(right))) {
		return fmt.Errorf("what has been got from rank %d is not what it has", right)
	}
	return mpi.Barrier(c)
}

func values(n int, seed int64) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = seed*1000003 + int64(i)
	}
	return list
}

// Epochs in which a rank accesses the one to the right.
func fenced(w *mpi.Window[int64], access func() error) error {
	return errors.Join(w.Fence(), access(), w.Fence())
}

func locked(w *mpi.Window[int64], access func() error) error {
	right := (w.Comm().Rank() + 1) % w.Comm().Size()
	return errors.Join(w.Lock(right), access(), w.Flush(right), w.Unlock(right))
}

func lockedAll(w *mpi.Window[int64], access func() error) error {
	return errors.Join(w.LockAll(), access(), w.FlushAll(), w.UnlockAll())
}

func started(w *mpi.Window[int64], access func() error) error {
	n := w.Comm().Size()
	right, left := (w.Comm().Rank()+1)%n, (w.Comm().Rank()+n-1)%n
	return errors.Join(w.Post(left), w.Start(right), access(), w.Complete(), w.Wait())
}

// Who asks for a lock first has it first: rank 0 holds that of rank 3 until the others
// have asked for it one after the other.
func TestLocksAreGivenInOrder(t *testing.T) {
	everywhere(t, 4, func(c *mpi.Comm) error {
		const holder = 3
		w, err := mpi.AllocateWindow[int64](c, 4)
		if err != nil {
			return err
		}
		p := c.Process()
		if c.Rank() == 0 {
			err = w.Lock(holder)
		}
		if err := errors.Join(err, mpi.Barrier(c)); err != nil {
			return err
		}
		p.Compute(units.Time(c.Rank()) * 100 * units.Microsecond)
		if c.Rank() > 0 {
			if err := w.Lock(holder); err != nil {
				return err
			}
			n := make([]int64, 1)
			if err := errors.Join(w.Get(holder, 0, n), w.Flush(holder)); err != nil {
				return err
			}
			n[0]++
			if err := errors.Join(w.Put(holder, 0, n), w.Put(holder, int(n[0]), []int64{int64(c.Rank())})); err != nil {
				return err
			}
		} else {
			p.Compute(units.Millisecond)
		}
		if err := errors.Join(w.Unlock(holder), mpi.Barrier(c)); err != nil {
			return err
		}
		if want := []int64{3, 1, 2, 3}; c.Rank() == holder && !slices.Equal(w.Memory(), want) {
			return fmt.Errorf("memory %v; expected %v", w.Memory(), want)
		}
		return w.Free()
	})
}

// Who has all locks has that of its own memory, and may use this without a call: nobody
// else has it meanwhile.
func TestLockAllLocksOwnMemory(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.AllocateWindow[int64](c, 1)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			err = w.LockAll()
		}
		if err := errors.Join(err, mpi.Barrier(c)); err != nil {
			return err
		}
		if c.Rank() == 0 {
			c.Process().Compute(units.Millisecond)
			err := w.Sync() // answers those who ask for the lock
			c.Process().Compute(units.Millisecond)
			w.Memory()[0] = 1
			return errors.Join(err, w.UnlockAll(), w.Free())
		}
		seen := make([]int64, 1)
		if err := errors.Join(w.Lock(0), w.Get(0, 0, seen), w.Unlock(0)); err != nil {
			return err
		}
		if seen[0] != 1 {
			return errors.New("another rank has accessed memory that its owner had locked")
		}
		return w.Free()
	})
}

// Ranks that hold shared locks of two others, in either order, and ranks that wait for
// an exclusive one of these, do not wait in a circle.
func TestLocksDoNotMakeACircle(t *testing.T) {
	begins := map[string]func(w *mpi.Window[int64], first, second int) (enter, next, end error){
		"LockShared": func(w *mpi.Window[int64], first, second int) (enter, next, end error) {
			enter = w.LockShared(first)
			w.Comm().Process().Compute(100 * units.Microsecond)
			next = w.LockShared(second)
			return enter, next, errors.Join(w.Unlock(first), w.Unlock(second))
		},
		"LockAll": func(w *mpi.Window[int64], first, second int) (enter, next, end error) {
			enter = errors.Join(w.LockAll(), w.Get(first, 0, make([]int64, 1)))
			w.Comm().Process().Compute(100 * units.Microsecond)
			return enter, w.Get(second, 0, make([]int64, 1)), w.UnlockAll()
		},
	}
	for name, begin := range begins {
		t.Run(name, func(t *testing.T) {
			everywhere(t, 6, func(c *mpi.Comm) error {
				w, err := mpi.AllocateWindow[int64](c, 1)
				if err != nil {
					return err
				}
				for range 3 {
					switch r := c.Rank(); r {
					case 0, 1: // each the other way round
						err = errors.Join(begin(w, 4+r, 5-r))
					case 2, 3: // in between
						c.Process().Compute(50 * units.Microsecond)
						err = errors.Join(w.Lock(2+r), w.Unlock(2+r))
					}
					if err := errors.Join(err, mpi.Barrier(c)); err != nil {
						return err
					}
				}
				return w.Free()
			})
		})
	}
}

// Ranks that are nobody are accessed without effect.
func TestAccessesToNone(t *testing.T) {
	everywhere(t, 1, func(c *mpi.Comm) error {
		w, err := mpi.AllocateWindow[int64](c, 1)
		if err != nil {
			return err
		}
		one, layout := []int64{5}, mpi.Indexed(mpi.Block{Count: 1})
		sum := mpi.Sum[int64]()
		_, fetched := w.FetchAndOp(mpi.None, 0, 1, sum)
		_, swapped := w.CompareAndSwap(mpi.None, 0, 1, 2)
		r, err := w.RPut(mpi.None, 0, one)
		if err == nil {
			_, err = r.Wait()
		}
		return errors.Join(err, fetched, swapped, w.Put(mpi.None, 7, one), w.Get(mpi.None, 7, one),
			w.PutLayout(mpi.None, 0, layout, one, layout), w.GetLayout(mpi.None, 0, layout, one, layout),
			w.Accumulate(mpi.None, 0, one, sum), w.GetAccumulate(mpi.None, 0, one, one, sum),
			w.Lock(mpi.None), w.Unlock(mpi.None), w.Flush(mpi.None), w.Free())
	})
}

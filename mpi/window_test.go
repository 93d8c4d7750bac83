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

// Ranks have any number of elements, also none, in memory of their own.
func TestWindowsOfAnySize(t *testing.T) {
	everywhere(t, 3, func(c *mpi.Comm) error {
		mine := make([]float32, 3*c.Rank())
		w, err := mpi.NewWindow(c, mine)
		if err != nil {
			return err
		}
		for rank := -1; rank <= c.Size(); rank++ {
			want := 3 * rank
			if rank < 0 || rank == c.Size() {
				want = -1
			}
			if got := w.Len(rank); got != want {
				return fmt.Errorf("rank %d has %d elements; expected %d", rank, got, want)
			}
		}
		if err := w.Fence(); err != nil {
			return err
		}
		for to := range c.Size() {
			if err := w.Put(to, to, slices.Repeat([]float32{float32(to)}, to)); err != nil {
				return err
			}
		}
		if err := errors.Join(w.Fence(), w.Free()); err != nil || w.Memory() != nil {
			return fmt.Errorf("Free: %v; then the window has memory %v", err, w.Memory())
		}
		for i, v := range mine {
			want := float32(0)
			if i >= c.Rank() && i < 2*c.Rank() {
				want = float32(c.Rank())
			}
			if v != want {
				return fmt.Errorf("element %d is %v; expected %v", i, v, want)
			}
		}
		return nil
	})
}

// Each ticket is drawn once, whoever draws it.
func TestFetchAndOpDrawsEachTicketOnce(t *testing.T) {
	const each = 25
	everywhere(t, 4, func(c *mpi.Comm) error {
		w, err := mpi.AllocateWindow[int32](c, 1)
		if err != nil {
			return err
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		mine := make([]int32, each)
		for i := range mine {
			if mine[i], err = w.FetchAndOp(1, 0, 1, mpi.Sum[int32]()); err != nil {
				return err
			}
		}
		if err := errors.Join(w.UnlockAll(), w.Free()); err != nil {
			return err
		}
		if !slices.IsSorted(mine) {
			return fmt.Errorf("tickets %v; expected them in order", mine)
		}
		all := make([]int32, each*c.Size())
		if err := mpi.AllGather(c, mine, all); err != nil {
			return err
		}
		slices.Sort(all)
		for i, ticket := range all {
			if ticket != int32(i) {
				return fmt.Errorf("tickets %v; expected each once", all)
			}
		}
		return nil
	})
}

// Additions under a lock that CompareAndSwap makes, and under that of the window, are
// not lost.
func TestCriticalSections(t *testing.T) {
	const rounds, holder = 8, 2
	sections := map[string]struct {
		enter, leave func(w *mpi.Window[int64]) error
	}{
		"spin lock": {
			func(w *mpi.Window[int64]) error {
				for {
					was, err := w.CompareAndSwap(holder, 0, 0, int64(w.Comm().Rank()+1))
					if err != nil || was == 0 {
						return err
					}
				}
			},
			func(w *mpi.Window[int64]) error {
				err := w.Flush(holder)
				if err != nil {
					return err
				}
				_, err = w.FetchAndOp(holder, 0, 0, mpi.Replace[int64]())
				return err
			},
		},
		"lock": {
			func(w *mpi.Window[int64]) error { return errors.Join(w.UnlockAll(), w.Lock(holder)) },
			func(w *mpi.Window[int64]) error { return errors.Join(w.Unlock(holder), w.LockAll()) },
		},
	}
	for name, s := range sections {
		t.Run(name, func(t *testing.T) {
			everywhere(t, 4, func(c *mpi.Comm) error {
				w, err := mpi.AllocateWindow[int64](c, 2)
				if err != nil {
					return err
				}
				if err := w.LockAll(); err != nil {
					return err
				}
				for range rounds {
					if err := s.enter(w); err != nil {
						return err
					}
					sum := make([]int64, 1)
					if err := errors.Join(w.Get(holder, 1, sum), w.Flush(holder)); err != nil {
						return err
					}
					c.Process().Compute(units.Microsecond)
					sum[0]++
					if err := errors.Join(w.Put(holder, 1, sum), s.leave(w)); err != nil {
						return err
					}
				}
				if err := errors.Join(w.UnlockAll(), mpi.Barrier(c)); err != nil {
					return err
				}
				if got, want := w.Memory()[1], int64(rounds*c.Size()); c.Rank() == holder && got != want {
					return fmt.Errorf("the sum is %d; expected %d", got, want)
				}
				return w.Free()
			})
		})
	}
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

// A rank that waits for a change of its own memory sees it, by any way of looking.
func TestRanksSeeWhatIsPutWhileTheyLook(t *testing.T) {
	ways := map[string]func(w *mpi.Window[uint32]) (uint32, error){
		"Sync": func(w *mpi.Window[uint32]) (uint32, error) { return w.Memory()[0], w.Sync() },
		"Get": func(w *mpi.Window[uint32]) (uint32, error) {
			var got [1]uint32
			err := errors.Join(w.Get(w.Comm().Rank(), 0, got[:]), w.Flush(w.Comm().Rank()))
			return got[0], err
		},
		"FetchAndOp": func(w *mpi.Window[uint32]) (uint32, error) {
			return w.FetchAndOp(w.Comm().Rank(), 0, 0, mpi.NoOp[uint32]())
		},
		"CompareAndSwap": func(w *mpi.Window[uint32]) (uint32, error) {
			return w.CompareAndSwap(w.Comm().Rank(), 0, 0, 0)
		},
	}
	changes := map[string]func(w *mpi.Window[uint32], to int) error{
		"Put":        func(w *mpi.Window[uint32], to int) error { return w.Put(to, 0, []uint32{9}) },
		"Accumulate": func(w *mpi.Window[uint32], to int) error { return w.Accumulate(to, 0, []uint32{9}, mpi.Sum[uint32]()) },
	}
	for name, look := range ways {
		for change, do := range changes {
			t.Run(name+" "+change, func(t *testing.T) {
				everywhere(t, 2, func(c *mpi.Comm) error {
					w, err := mpi.AllocateWindow[uint32](c, 1)
					if err != nil {
						return err
					}
					if err := w.LockAll(); err != nil {
						return err
					}
					if c.Rank() == 0 {
						c.Process().Compute(20 * units.Microsecond)
						err = errors.Join(do(w, 1), w.Flush(1))
					}
					for seen := uint32(0); c.Rank() == 1 && seen != 9 && err == nil; {
						seen, err = look(w)
					}
					return errors.Join(err, w.UnlockAll(), w.Free())
				})
			})
		}
	}
}

// Accesses that return requests are complete when these say so, in the midst of other
// requests.
func TestAccessesWithRequests(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		const n = 3000
		w, err := mpi.AllocateWindow[int64](c, 2*n)
		if err != nil {
			return err
		}
		other := 1 - c.Rank()
		copy(w.Memory(), values(n, int64(c.Rank())))
		if err := errors.Join(mpi.Barrier(c), w.LockAll()); err != nil {
			return err
		}
		got, was := make([]int64, n), make([]int64, n)
		var list [4]*mpi.Request
		var errs [5]error
		list[0], errs[0] = w.RGet(other, 0, got)
		list[1], errs[1] = w.RGetAccumulate(other, 0, nil, was, mpi.NoOp[int64]())
		list[2], errs[2] = mpi.IReceive(c, other, 0, make([]int64, n))
		list[3], errs[3] = mpi.ISend(c, other, 0, make([]int64, n))
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
		for range list {
			i, status, err := mpi.WaitAny(list[:]...)
			if err != nil || i < 2 && status != (mpi.Status{From: other, Bytes: 8 * n}) {
				return fmt.Errorf("request %d: status %+v, %v", i, status, err)
			}
		}
		if want := values(n, int64(other)); !slices.Equal(got, want) || !slices.Equal(was, want) {
			return fmt.Errorf("what has been got is not what rank %d has", other)
		}
		put, err := w.RPut(other, n, got)
		if err != nil {
			return err
		}
		if _, err := put.Wait(); err != nil {
			return err
		}
		clear(got)
		add, err := w.RAccumulate(other, n, was, mpi.Sum[int64]())
		if err != nil {
			return err
		}
		clear(was)
		if _, done, err := add.Test(); !done || err != nil {
			return fmt.Errorf("RAccumulate is not complete, %v", err)
		}
		return errors.Join(w.UnlockAll(), w.Free())
	})
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

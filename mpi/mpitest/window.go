package mpitest

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"musubi/mpi"
	"musubi/units"
)

var windowChecks = group{"windows", []check{
	{name: "windows of any size", ranks: 3, program: windowsOfAnySize},
	{name: "tickets", ranks: 4, program: tickets},
	{name: "critical sections", ranks: 4, program: criticalSections},
	{name: "readers and writers", ranks: 4, program: readersAndWriters},
	{name: "what is put while a rank looks", ranks: 2, program: seenWhileLooking},
	{name: "puts of two ranks that a flush completes", ranks: 2, program: completeWhenFlushed},
	{name: "accesses with requests", ranks: 2, program: accessesWithRequests},
	{name: "random programs of accesses", program: func(c *mpi.Comm) error { return RandomAccesses(c, 0, 3) }},
}}

// holder is the rank whose window has what all ranks share.
const holder = 2

// Ranks have any number of elements, also none, in memory of their own.
func windowsOfAnySize(c *mpi.Comm) error {
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
		err := errors.Join(
			w.Put(to, to, slices.Repeat([]float32{float32(to)}, to)),
			w.Put(to, w.Len(to), nil), w.Get(to, w.Len(to), nil), w.Accumulate(to, w.Len(to), nil, mpi.Sum[float32]()),
			w.GetAccumulate(to, w.Len(to), nil, nil, mpi.Sum[float32]()))
		if err != nil {
			return err
		}
	}
	if err := errors.Join(w.Fence(), w.Free()); err != nil || w.Memory() != nil {
		return fmt.Errorf("call of Free: %v; then the window has memory %v", err, w.Memory())
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
}

// Each ticket is drawn once, whoever draws it.
func tickets(c *mpi.Comm) error {
	const each = 25
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
}

// Accesses that return requests are complete when these say so, in the midst of other
// requests.
func accessesWithRequests(c *mpi.Comm) error {
	const n = 3000
	w, err := mpi.AllocateWindow[int64](c, 2*n)
	if err != nil {
		return err
	}
	other := 1 - c.Rank()
	copy(w.Memory(), series(n, int64(c.Rank())))
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
	if want := series(n, int64(other)); !slices.Equal(got, want) || !slices.Equal(was, want) {
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
}

// section is a way to be the only rank in a part of a program.
type section struct {
	name         string
	enter, leave func(w *mpi.Window[int64]) error
}

// Additions under a lock that CompareAndSwap makes, and under that of the window, are
// not lost.
func criticalSections(c *mpi.Comm) error {
	for _, s := range []section{
		{"a lock made of CompareAndSwap",
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
		{"the lock of the window",
			func(w *mpi.Window[int64]) error { return errors.Join(w.UnlockAll(), w.Lock(holder)) },
			func(w *mpi.Window[int64]) error { return errors.Join(w.Unlock(holder), w.LockAll()) },
		},
	} {
		if err := s.count(c); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// count lets all ranks add to the same element, each time in the section.
func (s section) count(c *mpi.Comm) error {
	const rounds = 8
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
}

// Who has a lock to write is alone, and who has one to read, or has locked all, sees no half of what
// another one writes: two elements far from each other that are always equal.
func readersAndWriters(c *mpi.Comm) error {
	const rounds, far = 12, 1000
	w, err := mpi.AllocateWindow[int64](c, far+1)
	if err != nil {
		return err
	}
	written := int64(0)
	for round := range rounds {
		switch (c.Rank() + round) % 3 {
		case 0:
			written++
			err = writePair(w, far)
		case 1:
			err = errors.Join(w.LockShared(holder), readPair(w, far), w.Unlock(holder))
		default:
			err = errors.Join(w.LockAll(), readPair(w, far), w.UnlockAll())
		}
		if err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	sum, err := mpi.AllReduceValue(c, written, mpi.Sum[int64])
	if err != nil {
		return err
	}
	if got := w.Memory()[far]; c.Rank() == holder && got != sum {
		return fmt.Errorf("%d have been written; expected %d", got, sum)
	}
	return w.Free()
}

// writePair adds 1 to both elements of the holder.
func writePair(w *mpi.Window[int64], far int) error {
	was := make([]int64, 1)
	if err := errors.Join(w.Lock(holder), w.Get(holder, 0, was), w.Flush(holder)); err != nil {
		return err
	}
	next := []int64{was[0] + 1}
	if err := w.Put(holder, 0, next); err != nil {
		return err
	}
	w.Comm().Process().Compute(units.Microsecond)
	return errors.Join(w.Put(holder, far, next), w.Unlock(holder))
}

// readPair fails if the elements of the holder differ.
func readPair(w *mpi.Window[int64], far int) error {
	a, b := make([]int64, 1), make([]int64, 1)
	if err := errors.Join(w.Get(holder, 0, a), w.Get(holder, far, b), w.Flush(holder)); err != nil {
		return err
	}
	if a[0] != b[0] {
		return fmt.Errorf("%d and %d are written; expected the same", a[0], b[0])
	}
	return nil
}

// A rank that waits for a change of its own memory sees it, by any way of looking.
func seenWhileLooking(c *mpi.Comm) error {
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
	for _, name := range slices.Sorted(maps.Keys(ways)) {
		for _, change := range slices.Sorted(maps.Keys(changes)) {
			if name == "CompareAndSwap" && change == "Put" {
				continue // these may not overlap: it may write what it has read before
			}
			if err := seen(c, changes[change], ways[name]); err != nil {
				return fmt.Errorf("%s looked for by %s: %w", change, name, err)
			}
		}
	}
	return nil
}

// completeWhenFlushed lets two ranks put to each other, flush, and look what the other one has put. Of two flushes one
// returns first, so at least one of the ranks sees it.
func completeWhenFlushed(c *mpi.Comm) error {
	w, err := mpi.AllocateWindow[int64](c, 1)
	if err != nil {
		return err
	}
	if err := w.LockAll(); err != nil {
		return err
	}
	own, other := c.Rank(), 1-c.Rank()
	for round := int64(1); round <= 1000; round++ {
		var got, most [1]int64
		if err := first(mpi.Barrier(c), w.Put(other, 0, []int64{round}), w.Flush(other), w.Get(own, 0, got[:]), w.Flush(own),
			mpi.AllReduce(c, got[:], most[:], mpi.Max[int64]())); err != nil {
			return err
		}
		if most[0] != round {
			return fmt.Errorf("round %d: neither rank sees what the other one has put, but %d at most", round, most[0])
		}
	}
	return errors.Join(w.UnlockAll(), w.Free())
}

func seen(c *mpi.Comm, do func(w *mpi.Window[uint32], to int) error, look func(w *mpi.Window[uint32]) (uint32, error)) error {
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
}

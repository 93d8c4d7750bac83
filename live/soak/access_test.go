//go:build linux

package soak

import (
	"errors"
	"fmt"
	"slices"

	"musubi/mpi"
)

// access makes a window of package mpi, uses it in one of several ways, and frees it.
// Each rank has a part of the elements of each other.
func (s *soaker) access() error {
	part := 1 + s.length()/8
	w, err := s.window(part * ranks)
	if err != nil {
		return err
	}
	ways := []func(*soaker, *mpi.Window[int64], int) error{
		(*soaker).putAndFence, (*soaker).putAndLock, (*soaker).accumulate, (*soaker).putToNext, (*soaker).count,
	}
	if err := ways[s.plan.IntN(len(ways))](s, w, part); err != nil {
		return err
	}
	return w.Free()
}

// window makes one of fresh memory, or of memory that is there.
func (s *soaker) window(n int) (*mpi.Window[int64], error) {
	if s.plan.IntN(2) == 0 {
		return mpi.AllocateWindow[int64](s.c, n)
	}
	return mpi.NewWindow(s.c, make([]int64, n))
}

// values are what a rank puts to another.
func (s *soaker) values(n, from, to int) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = int64(s.round)<<32 + int64(from)<<24 + int64(to)<<16 + int64(i)
	}
	return all
}

// sameValues fails if numbers are not those that a rank puts to another.
func (s *soaker) sameValues(got []int64, from, to int) error {
	if !slices.Equal(got, s.values(len(got), from, to)) {
		return fmt.Errorf("wrong data: %d elements of rank %d at rank %d", len(got), from, to)
	}
	return nil
}

// haveAll compares what all ranks have put to this one.
func (s *soaker) haveAll(w *mpi.Window[int64], part int) error {
	for from := range ranks {
		if err := s.sameValues(w.Memory()[from*part:][:part], from, s.c.Rank()); err != nil {
			return err
		}
	}
	return nil
}

func (s *soaker) putAndFence(w *mpi.Window[int64], part int) error {
	if err := w.Fence(); err != nil {
		return err
	}
	me := s.c.Rank()
	for _, to := range s.own.Perm(ranks) {
		if err := w.Put(to, me*part, s.values(part, me, to)); err != nil {
			return err
		}
	}
	if err := w.Fence(); err != nil {
		return err
	}
	if err := s.haveAll(w, part); err != nil {
		return err
	}
	from, author, got := s.own.IntN(ranks), s.own.IntN(ranks), make([]int64, part)
	if err := errors.Join(w.Get(from, author*part, got), w.Fence()); err != nil {
		return err
	}
	return s.sameValues(got, author, from)
}

func (s *soaker) putAndLock(w *mpi.Window[int64], part int) error {
	me, got := s.c.Rank(), make([]int64, part)
	for _, to := range s.own.Perm(ranks) {
		lock := w.Lock
		if s.own.IntN(2) == 0 {
			lock = w.LockShared
		}
		if err := lock(to); err != nil {
			return err
		}
		if err := errors.Join(w.Put(to, me*part, s.values(part, me, to)), w.Flush(to), w.Get(to, me*part, got), w.Unlock(to)); err != nil {
			return err
		}
		if err := s.sameValues(got, me, to); err != nil {
			return err
		}
	}
	if err := errors.Join(mpi.Barrier(s.c), w.Sync()); err != nil {
		return err
	}
	return s.haveAll(w, part)
}

// accumulate lets all ranks add to the same elements of all.
func (s *soaker) accumulate(w *mpi.Window[int64], part int) error {
	if err := w.Fence(); err != nil {
		return err
	}
	for _, to := range s.own.Perm(ranks) {
		if err := w.Accumulate(to, 0, s.numbers(part, s.c.Rank()), mpi.Sum[int64]()); err != nil {
			return err
		}
	}
	if err := w.Fence(); err != nil {
		return err
	}
	return s.sums(w.Memory()[:part], ranks)
}

// putToNext puts to the next rank, which lets this one.
func (s *soaker) putToNext(w *mpi.Window[int64], part int) error {
	me := s.c.Rank()
	next, before := (me+1)%ranks, (me+ranks-1)%ranks
	for range 3 {
		if err := w.Post(before); err != nil {
			return err
		}
		if err := w.Start(next); err != nil {
			return err
		}
		if err := errors.Join(w.Put(next, me*part, s.values(part, me, next)), w.Complete(), w.Wait()); err != nil {
			return err
		}
		if err := s.sameValues(w.Memory()[before*part:][:part], before, me); err != nil {
			return err
		}
		clear(w.Memory())
	}
	return nil
}

// count lets all ranks raise an element of one, in two ways.
func (s *soaker) count(w *mpi.Window[int64], _ int) error {
	owner, times := s.plan.IntN(ranks), 1+s.plan.IntN(20)
	if err := w.LockAll(); err != nil {
		return err
	}
	for range times {
		if s.own.IntN(2) == 0 {
			if _, err := w.FetchAndOp(owner, 0, 1, mpi.Sum[int64]()); err != nil {
				return err
			}
			continue
		}
		for expected := int64(0); ; {
			was, err := w.CompareAndSwap(owner, 0, expected, expected+1)
			if err != nil {
				return err
			}
			if was == expected {
				break
			}
			expected = was
		}
	}
	if err := errors.Join(w.UnlockAll(), mpi.Barrier(s.c), w.Sync()); err != nil {
		return err
	}
	if got, want := w.Memory()[0], int64(ranks*times); s.c.Rank() == owner && got != want {
		return fmt.Errorf("wrong data: counted to %d, and not %d", got, want)
	}
	return nil
}

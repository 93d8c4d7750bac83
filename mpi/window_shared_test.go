package mpi_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"musubi/mpi"
)

// What a rank writes to its part others read as ordinary memory, what they put there it reads, and the
// parts follow each other.
func TestSharedWindow(t *testing.T) {
	everywhere(t, 4, func(c *mpi.Comm) error {
		host, err := c.SplitShared(-c.Rank())
		if err != nil {
			return err
		}
		me, all := host.Rank(), host.Size()
		w, err := mpi.AllocateSharedWindow[int64](host, 3*me)
		if err != nil {
			return err
		}
		for i := range w.Of(me) {
			w.Of(me)[i] = int64(100*me + i)
		}
		if err := mpi.Barrier(host); err != nil {
			return err
		}
		for rank := range all {
			want := values3(rank)
			if got := w.Of(rank); !slices.Equal(got, want) || w.Len(rank) != len(want) {
				return fmt.Errorf("rank %d has %v in shared memory, seen by %d; expected %v", rank, got, me, want)
			}
		}
		if err := mpi.Barrier(host); err != nil {
			return err
		}
		last := all - 1
		if err := errors.Join(w.Fence(), putAndAdd(w, me, last), w.Fence()); err != nil {
			return err
		}
		if last > 0 {
			if got, sum := w.Of(last)[0], int64(100*last+all*(all-1)/2); got != sum {
				return fmt.Errorf("the sum in shared memory is %d; expected %d", got, sum)
			}
			if got := w.Of(last)[1]; got != -7 {
				return fmt.Errorf("what has been put in shared memory is %d; expected -7", got)
			}
		}
		if w.Of(-1) != nil || w.Of(all) != nil {
			return errors.New("ranks that do not exist have memory")
		}
		if err := w.Free(); err != nil {
			return err
		}
		if w.Of(me) != nil {
			return errors.New("a window that has been freed has memory")
		}
		return host.Free()
	})
}

func values3(rank int) []int64 {
	want := []int64{}
	for i := range 3 * rank {
		want = append(want, int64(100*rank+i))
	}
	return want
}

// putAndAdd adds the rank to the first element of the last one, and the first rank puts the second.
func putAndAdd(w *mpi.SharedWindow[int64], me, last int) error {
	if last == 0 {
		return nil
	}
	err := w.Accumulate(last, 0, []int64{int64(me)}, mpi.Sum[int64]())
	if me == 0 {
		err = errors.Join(err, w.Put(last, 1, []int64{-7}))
	}
	return err
}

func TestSharedWindowsNeedSharedMemory(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		host, err := c.SplitShared(0)
		if err != nil {
			return err
		}
		w, err := mpi.AllocateSharedWindow[byte](c, 10)
		switch {
		case host.Size() == c.Size() && err == nil:
			err = w.Free()
		case errors.Is(err, mpi.ErrRMAShared):
			err = nil
		case err == nil:
			return errors.New("ranks of two hosts share a window")
		}
		if _, negative := mpi.AllocateSharedWindow[byte](c, -1); !errors.Is(negative, mpi.ErrCount) {
			return fmt.Errorf("-1 elements: %v", negative)
		}
		return errors.Join(err, host.Free())
	})
}

// An access may go on from memory that has been attached to the next.
func TestDynamicWindowAcrossAttachedMemory(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.NewDynamicWindow[int32](c)
		if err != nil {
			return err
		}
		memory := make([]int32, 12)
		var places []int
		for _, part := range [][]int32{memory[:5], memory[5:6], memory[6:]} {
			place, err := w.Attach(part)
			if err != nil {
				return err
			}
			places = append(places, place)
		}
		if !slices.Equal(places, []int{0, 5, 6}) {
			return fmt.Errorf("places %v; expected memory behind memory", places)
		}
		other, got := 1-c.Rank(), make([]int32, 7)
		err = errors.Join(w.Fence(), w.Put(other, 3, []int32{1, 2, 3, 4}), w.Fence(), w.Get(other, 1, got), w.Fence())
		if want := []int32{0, 0, 1, 2, 3, 4, 0}; err == nil && !slices.Equal(got, want) {
			return fmt.Errorf("got %v; expected %v", got, want)
		}
		return errors.Join(err, w.Free())
	})
}

// Ranks attach memory, tell each other the places, and put, get and combine there.
func TestDynamicWindow(t *testing.T) {
	everywhere(t, 3, func(c *mpi.Comm) error {
		w, err := mpi.NewDynamicWindow[int64](c)
		if err != nil {
			return err
		}
		const n = 3000 // several messages
		first, second := make([]int64, n), values(5, int64(c.Rank()))
		var mine [2]int64
		for i, memory := range [][]int64{first, second} {
			place, err := w.Attach(memory)
			if err != nil {
				return err
			}
			mine[i] = int64(place)
		}
		places := make([][2]int64, c.Size())
		if err := mpi.AllGather(c, [][2]int64{mine}, places); err != nil {
			return err
		}
		right, left := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
		got, tail := make([]int64, 5), make([]int64, 2)
		err = errors.Join(
			w.Fence(),
			w.Put(right, int(places[right][0]), values(n, int64(c.Rank()))),
			w.Get(right, int(places[right][1]), got),
			w.Get(right, int(places[right][1])+3, tail),
			w.Fence(),
			w.Accumulate(left, int(places[left][0])+n-1, []int64{1000}, mpi.Sum[int64]()),
			w.Fence(),
		)
		if err != nil {
			return err
		}
		want := values(n, int64(left))
		want[n-1] += 1000
		if !slices.Equal(first, want) {
			return errors.New("what is attached is not what has been put and added there")
		}
		if !slices.Equal(got, values(5, int64(right))) || !slices.Equal(tail, got[3:]) {
			return fmt.Errorf("got %v and %v", got, tail)
		}
		if err := w.Detach(int(mine[0]) + 1); !errors.Is(err, mpi.ErrRMAAttach) {
			return fmt.Errorf("Detach of a place within memory: %v", err)
		}
		if err := errors.Join(w.Detach(int(mine[1])), w.Detach(int(mine[0]))); err != nil {
			return err
		}
		if err := w.Detach(int(mine[0])); !errors.Is(err, mpi.ErrRMAAttach) {
			return fmt.Errorf("Detach twice: %v", err)
		}
		return w.Free()
	})
}

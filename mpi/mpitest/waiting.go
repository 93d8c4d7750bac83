package mpitest

import (
	"errors"
	"fmt"

	"musubi/mpi"
)

var waitingChecks = group{"ranks that wait for others in a collective operation", []check{
	{name: "go on with long messages", program: func(c *mpi.Comm) error { return inEach(c, longMessage) }},
	{name: "go on with operations that are started", program: func(c *mpi.Comm) error { return inEach(c, longReduction) }},
	{name: "answer those who access their windows", program: func(c *mpi.Comm) error { return inEach(c, lockedSum) }},
	{name: "of many communicators, made and freed", program: leftBehind},
	{name: "notice that others have more elements", differs: true, program: otherCounts},
}}

// inEach does a check with each operation that waits for all ranks, when these have done
// it before.
func inEach(c *mpi.Comm, check func(c *mpi.Comm, wait func() error) error) error {
	barrier := func() error { return mpi.Barrier(c) }
	reduction := func() error {
		sum := []int{1}
		return first(mpi.AllReduce(c, sum, sum, mpi.Sum[int]()), same("number of ranks", sum, []int{c.Size()}))
	}
	for i, wait := range []func() error{barrier, reduction} {
		if err := first(barrier(), wait(), check(c, wait)); err != nil {
			return fmt.Errorf("in %s: %w", []string{"Barrier", "AllReduce"}[i], err)
		}
	}
	return nil
}

// longMessage: who receives a message waits for the others before its sender does.
func longMessage(c *mpi.Comm, wait func() error) error {
	in := text(100_000, 7)
	switch c.Rank() {
	case 0:
		return first(mpi.Send(c, 1, 1, in), wait())
	case 1:
		out := make([]byte, len(in))
		r, err := mpi.IReceive(c, 0, 1, out)
		return first(err, wait(), complete(r, err), same("what was received", out, in))
	}
	return wait()
}

// longReduction: all ranks but the first wait for it before they wait for a reduction that
// it waits for before.
func longReduction(c *mpi.Comm, wait func() error) error {
	const n = 5000
	sum := make([]int, n)
	for i := range sum {
		sum[i] = i
	}
	r, err := mpi.IAllReduce(c, sum, sum, mpi.Sum[int]())
	if c.Rank() == 0 {
		err = first(complete(r, err), wait())
	} else {
		err = first(wait(), complete(r, err))
	}
	return first(err, same("last sum", sum[n-1:], []int{(n - 1) * c.Size()}))
}

// lockedSum: a rank waits while others lock its window and add to it.
func lockedSum(c *mpi.Comm, wait func() error) error {
	w, err := mpi.AllocateWindow[int](c, 1)
	if err != nil {
		return err
	}
	if c.Rank() > 0 {
		err = first(w.Lock(0), w.Accumulate(0, 0, []int{1}, mpi.Sum[int]()), w.Unlock(0))
	}
	err = first(err, wait())
	if c.Rank() == 0 {
		err = first(err, same("sum", w.Memory(), []int{c.Size() - 1}))
	}
	return first(err, wait(), w.Free())
}

// leftBehind: ranks that leave a communicator may be in the next while others wait for
// them in the one before still.
func leftBehind(c *mpi.Comm) error {
	for i := range 30 {
		color := (c.Rank() + i) % 3
		d, err := c.Split(color, -c.Rank())
		if err != nil {
			return err
		}
		for range 1 + i%4 {
			sum := []float64{float64(c.Rank()), 1}
			if err := first(mpi.AllReduce(d, sum, sum, mpi.Sum[float64]()), mpi.Barrier(d)); err != nil {
				return err
			}
			want := make([]float64, 2)
			for rank := range c.Size() {
				if (rank+i)%3 == color {
					want[0] += float64(rank)
					want[1]++
				}
			}
			if err := same("sum", sum, want); err != nil {
				return err
			}
		}
		if err := d.Free(); err != nil {
			return err
		}
	}
	return nil
}

// otherCounts: a rank that has fewer elements than others learns of it, and nobody waits
// for ever.
func otherCounts(c *mpi.Comm) error {
	n := 8
	if c.Rank() == c.Size()-1 {
		n = 7
	}
	list := make([]int, n)
	err := mpi.AllReduce(c, list, list, mpi.Sum[int]())
	if errors.Is(err, mpi.ErrOther) || n < 8 && !errors.Is(err, mpi.ErrTruncate) {
		return fmt.Errorf("of %d elements: %v", n, err)
	}
	return inEach(c, func(_ *mpi.Comm, wait func() error) error { return wait() })
}

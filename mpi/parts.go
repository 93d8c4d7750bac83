package mpi

import (
	"fmt"

	"musubi/mpi/internal/fault"
)

// Parts cuts a slice into a part for each rank, with as many elements as counts says, from the
// element on that displacements names; nil displacements mean that the parts follow each other. So
// the functions for parts of different lengths, such as GatherV, take counts and displacements. It
// fails with ErrCount if a part does not lie in the slice.
func Parts[T any](data []T, counts, displacements []int) ([][]T, error) {
	if displacements != nil && len(displacements) != len(counts) {
		return nil, partsFail("%d displacements for %d counts; expected as many", len(displacements), len(counts))
	}
	parts, next := make([][]T, len(counts)), 0
	for i, n := range counts {
		if displacements != nil {
			next = displacements[i]
		}
		if n < 0 || next < 0 || n > len(data)-next {
			return nil, partsFail("part %d: %d elements from %d on; there are %d", i, n, next, len(data))
		}
		parts[i] = data[next:][:n:n]
		next += n
	}
	return parts, nil
}

func partsFail(format string, args ...any) error {
	err := &Error{Class: fault.Count, Call: "Parts", Rank: -1}
	err.Err = fmt.Errorf(format, args...)
	return err
}

// AllToAllVCounts is AllToAllV of parts of two slices: ins[r] elements of in go to rank r, and
// outs[r] elements of out come from it. The parts follow each other.
func AllToAllVCounts[T any](c *Comm, in []T, ins []int, out []T, outs []int) error {
	sent, err := Parts(in, ins, nil)
	if err != nil {
		return err
	}
	got, err := Parts(out, outs, nil)
	if err != nil {
		return err
	}
	return AllToAllV(c, sent, got)
}

// AllToAllVNew is AllToAllV that makes the memory for what it gets: ranks first tell each other how
// many elements they send.
func AllToAllVNew[T any](c *Comm, in [][]T) (out [][]T, err error) {
	const call = "AllToAllVNew"
	defer c.enter(call).Leave()
	if err := c.inner().Check(call); err != nil {
		return nil, err
	}
	if len(in) != c.Size() {
		return nil, c.inner().Failf(fault.Count, call, "in has %d slices; expected one for each of %d ranks", len(in), c.Size())
	}
	lengths := make([]int, c.Size())
	for rank, part := range in {
		lengths[rank] = len(part)
	}
	if err := AllToAll(c, lengths, lengths); err != nil {
		return nil, err
	}
	out = make([][]T, c.Size())
	for rank, n := range lengths {
		out[rank] = make([]T, n)
	}
	return out, AllToAllV(c, in, out)
}

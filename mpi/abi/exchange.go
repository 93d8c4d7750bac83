package abi

import (
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/match"
)

// GatherAll returns the elements of all ranks of a communicator, of which each may have any number.
func GatherAll[T any](c *Call, m *Comm, mine []T) ([]T, error) {
	counts := make([]int, m.Inner.Size())
	if err := collective.AllGather(m.Inner, c.Function.Name, []int{len(mine)}, counts); err != nil {
		return nil, err
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	all := make([]T, total)
	outs, at := make([][]byte, len(counts)), 0
	for i, n := range counts {
		outs[i] = elements.Memory(all[at:][:n])
		at += n
	}
	o, err := m.Inner.Plan(c.Function.Name, algorithm.AllGatherV, &algorithm.Arguments{In: elements.Memory(mine), Outs: outs, Element: elements.Size[T]()})
	if err != nil {
		return nil, err
	}
	return all, o.Run()
}

// Count returns the count at a word, which must not be negative.
func (c *Call) Count(i int) (int, error) {
	if n := c.At(i); n >= 0 {
		return n, nil
	}
	return 0, Wrong(standard.ErrCount, "%d elements; expected at least 0", c.At(i))
}

// Peer returns the rank that a word names as package core has it.
func (c *Call) Peer(m *Comm, rank int, wildcard bool) (int, error) {
	switch {
	case uint(rank) < uint(m.Peers()):
		return rank, nil
	case rank == standard.ProcNull:
		return core.None, nil
	case rank == standard.AnySource && wildcard:
		return match.AnySource, nil
	}
	return 0, Wrong(standard.ErrRank, "rank %d; expected 0 to %d", rank, m.Peers()-1)
}

// Tag checks a tag.
func (c *Call) Tag(tag int, wildcard bool) (int, error) {
	switch {
	case uint(tag) <= LargestTag:
		return tag, nil
	case tag == standard.AnyTag && wildcard:
		return match.AnyTag, nil
	}
	return 0, Wrong(standard.ErrTag, "tag %d; expected 0 to %d", tag, LargestTag)
}

package abi

import (
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
)

// Topology is the neighbours of the ranks of a communicator.
type Topology struct {
	Kind int // cCart, cGraph or cDistGraph

	Dims     []int // of a grid
	Periodic []bool

	Index, Edges []int // of a graph that all ranks know

	Sources, Destinations             []int // of this rank in a distributed one
	SourceWeights, DestinationWeights []int
	Weighted                          bool

	near *algorithm.Neighbours // nil: not looked for yet
}

// Neighbours returns those of this rank.
func (t *Topology) Neighbours(m *Comm) *algorithm.Neighbours {
	if t.near == nil {
		t.near = t.neighboursOf(m.Inner.Rank())
	}
	return t.near
}

func (t *Topology) neighboursOf(rank int) *algorithm.Neighbours {
	switch t.Kind {
	case standard.Cart:
		n := &algorithm.Neighbours{Mirrored: true}
		for d := range t.Dims {
			for _, step := range []int{-1, 1} {
				n.Sources = append(n.Sources, t.Moved(rank, d, step))
			}
		}
		n.Destinations = n.Sources
		return n
	case standard.Graph:
		list := t.Of(rank)
		return &algorithm.Neighbours{Sources: list, Destinations: list}
	}
	return &algorithm.Neighbours{Sources: t.Sources, Destinations: t.Destinations}
}

// Of returns the neighbours of a rank in a graph.
func (t *Topology) Of(rank int) []int {
	first := 0
	if rank > 0 {
		first = t.Index[rank-1]
	}
	return t.Edges[first:t.Index[rank]]
}

// Coordinates returns the coordinates of a rank in a grid.
func (t *Topology) Coordinates(rank int) []int {
	at := make([]int, len(t.Dims))
	for d := len(t.Dims) - 1; d >= 0; d-- {
		at[d] = rank % t.Dims[d]
		rank /= t.Dims[d]
	}
	return at
}

// RankAt returns the rank at a point, false if the grid has none.
func (t *Topology) RankAt(at []int) (int, bool) {
	rank := 0
	for d, x := range at {
		if x < 0 || x >= t.Dims[d] {
			if !t.Periodic[d] {
				return 0, false
			}
			x = (x%t.Dims[d] + t.Dims[d]) % t.Dims[d]
		}
		rank = rank*t.Dims[d] + x
	}
	return rank, true
}

// Moved returns the rank some steps away along a dimension, standard.ProcNull beyond an end.
func (t *Topology) Moved(rank, dim, steps int) int {
	at := t.Coordinates(rank)
	at[dim] += steps
	if r, ok := t.RankAt(at); ok {
		return r
	}
	return core.None
}

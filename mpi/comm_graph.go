package mpi

import (
	"slices"

	"musubi/mpi/internal/algorithm"
)

// Graph is a communicator with a directed graph of who sends to whom. Each rank
// knows its own edges only.
type Graph struct {
	*Comm
	sources, destinations []int
}

// Graph makes a communicator with a graph: this rank has an edge from each of some
// sources, and one to each of some destinations. There may be several edges between
// two ranks, ones from a rank to itself, and ranks without edges. All ranks call it,
// with an edge named alike at both of its ends.
//
// It fails with ErrTopology, at all ranks, if a rank does not exist or two do not
// agree on the edges between them.
func (c *Comm) Graph(sources, destinations []int) (*Graph, error) {
	defer c.enter("Graph").Leave()
	made, err := c.inner().WithGraph("Graph", sources, destinations)
	if err != nil {
		return nil, err
	}
	return &Graph{&Comm{comm: made}, slices.Clone(sources), slices.Clone(destinations)}, nil
}

// Sources returns the ranks that have an edge to this one, in the order in which
// they were given.
func (g *Graph) Sources() []int { return slices.Clone(g.sources) }

// Destinations returns the ranks that this one has an edge to, in the order in which
// they were given.
func (g *Graph) Destinations() []int { return slices.Clone(g.destinations) }

func (g *Graph) neighbours() neighbours {
	if g == nil {
		return neighbours{}
	}
	return neighbours{g.Comm, algorithm.Neighbours{Sources: g.sources, Destinations: g.destinations, Mirrored: false}}
}

package mpi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/fault"
)

// Graph is a communicator with a directed graph of who sends to whom. Each rank
// knows its own edges only.
type Graph struct {
	*Comm
	sources, destinations []int
}

var errGraph = errors.New("another rank has edges that do not fit")

// Graph makes a communicator with a graph: this rank has an edge from each of some
// sources, and one to each of some destinations. There may be several edges between
// two ranks, ones from a rank to itself, and ranks without edges. All ranks call it,
// with an edge named alike at both of its ends.
//
// It fails with ErrTopology, at all ranks, if a rank does not exist or two do not
// agree on the edges between them.
func (c *Comm) Graph(sources, destinations []int) (*Graph, error) {
	const call = "Graph"
	if err := c.check(call); err != nil {
		return nil, err
	}
	id, err := c.agree(call, func() error {
		problem, err := c.compareEdges(sources, destinations)
		if err != nil {
			return err
		}
		fits := []bool{problem == nil}
		if err := AllReduce(c, fits, fits, LogicalAnd[bool]()); err != nil {
			return err
		}
		if problem == nil && !fits[0] {
			problem = errGraph
		}
		if problem != nil {
			return c.fail(fault.Topology, call, problem)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &Graph{c.made(c.members, id), slices.Clone(sources), slices.Clone(destinations)}, nil
}

// compareEdges tells what is wrong with the edges of this rank, after all have told
// each other how many they have. The error is one of communication.
func (c *Comm) compareEdges(sources, destinations []int) (problem, err error) {
	from, fromProblem := c.countEdges("source", sources)
	to, toProblem := c.countEdges("destination", destinations)
	told := make([]int32, c.Size())
	if err := AllToAll(c, to, told); err != nil {
		return nil, err
	}
	if fromProblem != nil || toProblem != nil {
		return cmp.Or(fromProblem, toProblem), nil
	}
	for rank, n := range told {
		if n != from[rank] {
			return fmt.Errorf("%d sources that are rank %d, which has %d such destinations; expected as many", from[rank], rank, n), nil
		}
	}
	return nil, nil
}

// countEdges returns the number of edges with each rank.
func (c *Comm) countEdges(kind string, ranks []int) (counts []int32, problem error) {
	counts = make([]int32, c.Size())
	for _, rank := range ranks {
		if rank < 0 || rank >= c.Size() {
			problem = fmt.Errorf("%s %d; there are ranks 0 to %d", kind, rank, c.Size()-1)
			continue
		}
		counts[rank]++
	}
	return counts, problem
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

package collective

import (
	"cmp"
	"errors"
	"fmt"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

var errGraph = errors.New("another rank has edges that do not fit")

// WithGraph makes a communicator of the same ranks, if they agree on the edges between them.
func (c *Comm) WithGraph(call string, sources, destinations []int) (*Comm, error) {
	if err := c.Check(call); err != nil {
		return nil, err
	}
	id, err := c.agree(call, func() error {
		problem, err := c.compareEdges(sources, destinations)
		if err != nil {
			return err
		}
		fits := []bool{problem == nil}
		if err := c.AllReduce("AllReduce", elements.Memory(fits), elements.Memory(fits), 1, logicalAnd); err != nil {
			return err
		}
		if problem == nil && !fits[0] {
			problem = errGraph
		}
		if problem != nil {
			return c.Fail(fault.Topology, call, problem)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c.derive(c.Group, id), nil
}

// compareEdges exchanges the numbers of edges and returns what is wrong with those of this rank.
// The error is one of communication.
func (c *Comm) compareEdges(sources, destinations []int) (problem, err error) {
	from, fromProblem := c.countEdges("source", sources)
	to, toProblem := c.countEdges("destination", destinations)
	told := make([]int32, c.Size())
	if err := c.run("AllToAll", algorithm.AllToAll, &algorithm.Arguments{In: elements.Memory(to), Out: elements.Memory(told), Element: 4}); err != nil {
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

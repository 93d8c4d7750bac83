package collective

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/rma"
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

// edges are how many edges there are with some ranks, in ascending order, and none with the others.
type edges []edge

type edge struct{ rank, n int32 }

// compareEdges exchanges the numbers of edges and returns what is wrong with those of this rank.
// The error is one of communication.
func (c *Comm) compareEdges(sources, destinations []int) (problem, err error) {
	from, fromProblem := c.countEdges("source", sources)
	to, toProblem := c.countEdges("destination", destinations)
	told, err := c.exchangeEdges(to)
	switch {
	case err != nil:
		return nil, err
	case fromProblem != nil || toProblem != nil:
		return cmp.Or(fromProblem, toProblem), nil
	}
	return from.compare(told), nil
}

// compare returns what is wrong with the edges from sources, of which these have told.
func (from edges) compare(told edges) error {
	for len(from) > 0 || len(told) > 0 {
		rank := int32(math.MaxInt32)
		for _, list := range []edges{from, told} {
			if len(list) > 0 {
				rank = min(rank, list[0].rank)
			}
		}
		if expected, n := from.take(rank), told.take(rank); n != expected {
			return fmt.Errorf("%d sources that are rank %d, which has %d such destinations; expected as many", expected, rank, n)
		}
	}
	return nil
}

// take returns the number of edges with a rank, and removes it, if that is the first one.
func (e *edges) take(rank int32) (n int32) {
	if len(*e) == 0 || (*e)[0].rank != rank {
		return 0
	}
	n = (*e)[0].n
	*e = (*e)[1:]
	return n
}

// exchangeEdges tells ranks how many edges there are to them, and returns how many there are to this one.
func (c *Comm) exchangeEdges(to edges) (told edges, err error) {
	if c.job.witness != nil && !rma.HasBytes(c.Engine.Process) {
		return c.passOnEdges(to)
	}
	counts := make([]int32, 2*c.Size())
	in, out := counts[:c.Size()], counts[c.Size():]
	for _, e := range to {
		in[e.rank] = e.n
	}
	if err := c.allToAllEdges(elements.Memory(in), elements.Memory(out)); err != nil {
		return nil, err
	}
	for rank, n := range out {
		if n != 0 {
			told = append(told, edge{int32(rank), n})
		}
	}
	return told, nil
}

// passOnEdges is exchangeEdges where the world passes on what ranks tell, and messages need no bytes: those of all ranks
// would grow with the square of their number.
func (c *Comm) passOnEdges(to edges) (told edges, err error) {
	about := rma.Topic{First: int(c.Process(0)), Context: c.Collective, Number: uint64(c.collectives.nextTag)}
	for _, e := range to {
		c.job.witness.Tell(about, int(c.Process(int(e.rank))), e.n)
	}
	bytes := edgeBytes * c.Size()
	if err := c.allToAllEdges(rma.Memory(c.Engine.Process, bytes), rma.Memory(c.Engine.Process, bytes)); err != nil {
		return nil, err
	}
	for _, t := range c.job.witness.Told(about) {
		told = append(told, edge{int32(c.RankOf(int32(t.From))), t.Number})
	}
	slices.SortFunc(told, func(a, b edge) int { return int(a.rank - b.rank) })
	return told, nil
}

const edgeBytes = 4 // of a number of edges

func (c *Comm) allToAllEdges(in, out []byte) error {
	return c.run("AllToAll", algorithm.AllToAll, &algorithm.Arguments{In: in, Out: out, Element: edgeBytes})
}

// countEdges returns the number of edges with each rank.
func (c *Comm) countEdges(kind string, ranks []int) (counts edges, problem error) {
	for _, rank := range slices.Sorted(slices.Values(ranks)) {
		if rank < 0 || rank >= c.Size() {
			problem = fmt.Errorf("%s %d; there are ranks 0 to %d", kind, rank, c.Size()-1)
			continue
		}
		if last := len(counts) - 1; last >= 0 && counts[last].rank == int32(rank) {
			counts[last].n++
			continue
		}
		counts = append(counts, edge{int32(rank), 1})
	}
	return counts, problem
}

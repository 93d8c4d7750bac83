package mpitest

import (
	"math/rand/v2"

	"musubi/mpi"
	"musubi/units"
)

// manyRounds exchanges so often that all places are used that receivers set aside for data,
// along edges in both directions, and in one that nothing comes back from.
func manyRounds(c *mpi.Comm) error {
	for _, edges := range [][][2]int{{{0, 1}, {0, 1}, {1, 0}, {1, 1}}, {{0, 1}, {0, 1}}} {
		graph, err := graphOf(c, edges)
		if err != nil {
			return err
		}
		x, err := newExchanged(graph, 0, mpi.ExchangeOptions{Protocol: mpi.Eager})
		if err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(20, uint64(c.Rank())))
		for range 200 {
			if err := lingeringRound(x, rng); err != nil {
				return err
			}
		}
		if err := first(x.p.Free(), graph.Free()); err != nil {
			return err
		}
	}
	return nil
}

// graphOf makes a graph of edges, each from a rank to a rank.
func graphOf(c *mpi.Comm, edges [][2]int) (*mpi.Graph, error) {
	var sources, destinations []int
	for _, e := range edges {
		if e[0] == c.Rank() {
			destinations = append(destinations, e[1])
		}
		if e[1] == c.Rank() {
			sources = append(sources, e[0])
		}
	}
	return c.Graph(sources, destinations)
}

// lingeringRound does one round, and sometimes computes between its calls.
func lingeringRound(x *exchanged, rng *rand.Rand) error {
	linger := func() {
		if rng.IntN(3) == 0 {
			x.graph.Process().Compute(units.Time(rng.IntN(20)) * units.Microsecond)
		}
	}
	if err := x.start(); err != nil {
		return err
	}
	linger()
	if _, err := x.p.Wait(); err != nil {
		return err
	}
	linger()
	return x.check()
}

package mpitest

import (
	"fmt"
	"math/rand/v2"

	"musubi/mpi"
)

var collectiveChecks = group{"collective operations", []check{
	{name: "every operation, by every algorithm", program: func(c *mpi.Comm) error { return Collectives(c, 1, 1) }},
	{name: "with three ranks", ranks: 3, program: func(c *mpi.Comm) error { return Collectives(c, 2, 1) }},
	{name: "with two ranks", ranks: 2, program: func(c *mpi.Comm) error { return Collectives(c, 4, 2) }},
	{name: "with one rank", ranks: 1, program: func(c *mpi.Comm) error { return Collectives(c, 3, 1) }},
	{name: "elements of which a rank has too few", program: differentCounts, differs: true},
	{name: "products that do not commute", program: products},
	{name: "products of two ranks that do not commute", ranks: 2, program: products},
	{name: "floating-point sums", program: sums},
	{name: "reductions with the brackets of trees", program: reductionsLikeTrees},
	{name: "short and long parts", program: shortAndLong},
	{name: "short and long parts of three ranks", ranks: 3, program: shortAndLong},
	{name: "short and long parts of two ranks", ranks: 2, program: shortAndLong},
	{name: "ranks ahead of others", program: aheadOfOthers},
}}

// Collectives does every collective operation by every algorithm some times, with
// arguments that the seed decides, and compares what comes of it with what can be
// computed without communicating. It leaves the choice of algorithms as "auto". All
// ranks call it with the same arguments.
func Collectives(c *mpi.Comm, seed uint64, times int) error {
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, operation := range mpi.Operations() {
		algorithms, err := mpi.AlgorithmsFor(operation, c.Size())
		if err != nil {
			return err
		}
		for _, special := range []string{mpi.Chain, mpi.Hierarchical} { // where the network has multicast
			if c.SetAlgorithm(operation, special) == nil {
				algorithms = append(algorithms, special)
			}
		}
		for _, algorithm := range append(algorithms, "auto") {
			if err := c.SetAlgorithm(operation, algorithm); err != nil {
				return err
			}
			for range times {
				x := draw(c, operation, rng)
				d := x.collectiveCall()
				if err := first(d.call(), d.check()); err != nil {
					return fmt.Errorf("%s by %s, seed %d, root %d, count %d: %w", operation, algorithm, seed, x.root, x.count, err)
				}
			}
		}
	}
	return nil
}

// trial is one collective operation with parameters that all ranks draw alike.
type trial struct {
	c         *mpi.Comm
	operation string
	root      int
	count     int
	random    uint64
}

// draw makes a trial. Some counts are 0, some smaller than the number of ranks, and
// some make messages that are not sent eagerly.
func draw(c *mpi.Comm, operation string, rng *rand.Rand) trial {
	count := []int{0, 1, rng.IntN(8), rng.IntN(100), 50_000/(15+c.Size()) + rng.IntN(100)}[rng.IntN(5)]
	return trial{c, operation, rng.IntN(c.Size()), count, rng.Uint64()}
}

// inPlace tells whether what comes is to be put where what goes lies: in every second trial.
func (x trial) inPlace() bool { return x.random%2 == 0 }

// data is what a rank has for another one, as everybody can compute it.
func (x trial) data(from, to, count int) []int32 {
	rng := rand.New(rand.NewPCG(x.random, uint64(from)<<32|uint64(to)))
	list := make([]int32, count)
	for i := range list {
		list[i] = rng.Int32N(1000)
	}
	return list
}

// length is the count of a pair in operations where it may differ.
func (x trial) length(from, to int) int {
	return int((x.random + uint64(from*7+to*3)) % uint64(x.count/2+3))
}

// each returns what there is for, or from, each rank.
func (x trial) each(data func(rank int) []int32) (parts [][]int32) {
	for rank := range x.c.Size() {
		parts = append(parts, data(rank))
	}
	return parts
}

// sum is what ranks lo to hi-1 have for one rank, added up.
func (x trial) sum(lo, hi, to, count int) []int32 {
	total := make([]int32, count)
	for from := lo; from < hi; from++ {
		for i, v := range x.data(from, to, count) {
			total[i] += v
		}
	}
	return total
}

// cut cuts a slice into parts as long as others.
func cut(all []int32, like [][]int32) (parts [][]int32) {
	for _, l := range like {
		parts = append(parts, all[:len(l):len(l)])
		all = all[len(l):]
	}
	return parts
}

// halves returns layouts of parts that follow each other, in two blocks each.
func halves(parts [][]int32) (layouts []mpi.Layout) {
	at := 0
	for _, part := range parts {
		n := len(part)
		layouts = append(layouts, mpi.Indexed(mpi.Block{At: at, Count: n / 2}, mpi.Block{At: at + n/2, Count: n - n/2}))
		at += n
	}
	return layouts
}

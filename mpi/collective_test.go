package mpi_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/mpi"
)

// trial is one collective operation with parameters that all ranks draw alike.
type trial struct {
	c      *mpi.Comm
	root   int
	count  int
	random uint64
}

// draw makes a trial. Some counts are 0, some smaller than the number of ranks, and
// some make messages that are not sent eagerly.
func draw(c *mpi.Comm, rng *rand.Rand) trial {
	count := []int{0, 1, rng.IntN(8), rng.IntN(100), 100_000/(15+c.Size()) + rng.IntN(100)}[rng.IntN(5)]
	return trial{c, rng.IntN(c.Size()), count, rng.Uint64()}
}

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

// for each of all ranks.
func (x trial) each(data func(rank int) []int32) (parts [][]int32) {
	for rank := range x.c.Size() {
		parts = append(parts, data(rank))
	}
	return parts
}

func (x trial) sum(lo, hi, to, count int) []int32 {
	total := make([]int32, count)
	for from := lo; from < hi; from++ {
		for i, v := range x.data(from, to, count) {
			total[i] += v
		}
	}
	return total
}

// must compares what an operation has brought.
func must(got, want []int32, err error) error {
	if err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("got %d elements %.60v; expected %d elements %.60v", len(got), fmt.Sprint(got), len(want), fmt.Sprint(want))
	}
	return nil
}

func mustAll(got, want [][]int32, err error) error {
	return must(slices.Concat(got...), slices.Concat(want...), err)
}

// empty makes slices as long as others.
func empty(like [][]int32) (parts [][]int32) {
	for _, l := range like {
		parts = append(parts, make([]int32, len(l)))
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

// naive checks each operation against what can be computed without communicating.
var naive = map[string]func(x trial, me, size, n int) error{
	"barrier": func(x trial, _, _, _ int) error { return mpi.Barrier(x.c) },
	"broadcast": func(x trial, me, _, n int) error {
		got, want := make([]int32, n), x.data(x.root, 0, n)
		if me == x.root {
			copy(got, want)
		}
		return must(got, want, mpi.Broadcast(x.c, x.root, got))
	},
	"reduce": func(x trial, me, size, n int) error {
		var got, want []int32
		if me == x.root {
			got, want = make([]int32, n), x.sum(0, size, 0, n)
		}
		return must(got, want, mpi.Reduce(x.c, x.root, x.data(me, 0, n), got, mpi.Sum[int32]()))
	},
	"allreduce": func(x trial, me, size, n int) error {
		got, want, place := make([]int32, n), x.sum(0, size, 0, n), x.data(me, 0, n)
		return firstError(
			must(got, want, mpi.AllReduce(x.c, x.data(me, 0, n), got, mpi.Sum[int32]())),
			must(place, want, mpi.AllReduce(x.c, place, place, mpi.Sum[int32]())),
		)
	},
	"gather": func(x trial, me, size, n int) error {
		var got, want []int32
		if me == x.root {
			got, want = make([]int32, n*size), slices.Concat(x.each(func(from int) []int32 { return x.data(from, 0, n) })...)
		}
		return must(got, want, mpi.Gather(x.c, x.root, x.data(me, 0, n), got))
	},
	"gatherv": func(x trial, me, _, _ int) error {
		var got, want [][]int32
		if me == x.root {
			want = x.each(func(from int) []int32 { return x.data(from, 0, x.length(from, 0)) })
			got = empty(want)
		}
		return mustAll(got, want, mpi.GatherV(x.c, x.root, x.data(me, 0, x.length(me, 0)), got))
	},
	"scatter": func(x trial, me, _, n int) error {
		var in []int32
		if me == x.root {
			in = slices.Concat(x.each(func(to int) []int32 { return x.data(me, to, n) })...)
		}
		got := make([]int32, n)
		return must(got, x.data(x.root, me, n), mpi.Scatter(x.c, x.root, in, got))
	},
	"scatterv": func(x trial, me, _, _ int) error {
		var in [][]int32
		if me == x.root {
			in = x.each(func(to int) []int32 { return x.data(me, to, x.length(me, to)) })
		}
		want := x.data(x.root, me, x.length(x.root, me))
		got := make([]int32, len(want))
		return must(got, want, mpi.ScatterV(x.c, x.root, in, got))
	},
	"allgather": func(x trial, me, size, n int) error {
		got, want := make([]int32, n*size), slices.Concat(x.each(func(from int) []int32 { return x.data(from, 0, n) })...)
		return must(got, want, mpi.AllGather(x.c, x.data(me, 0, n), got))
	},
	"allgatherv": func(x trial, me, _, _ int) error {
		want := x.each(func(from int) []int32 { return x.data(from, 0, x.length(from, 0)) })
		got := empty(want)
		return mustAll(got, want, mpi.AllGatherV(x.c, x.data(me, 0, x.length(me, 0)), got))
	},
	"alltoall": func(x trial, me, size, n int) error {
		in := slices.Concat(x.each(func(to int) []int32 { return x.data(me, to, n) })...)
		want := slices.Concat(x.each(func(from int) []int32 { return x.data(from, me, n) })...)
		got := make([]int32, n*size)
		return must(got, want, mpi.AllToAll(x.c, in, got))
	},
	"alltoallv": func(x trial, me, _, _ int) error {
		in := x.each(func(to int) []int32 { return x.data(me, to, x.length(me, to)) })
		want := x.each(func(from int) []int32 { return x.data(from, me, x.length(from, me)) })
		got := empty(want)
		return mustAll(got, want, mpi.AllToAllV(x.c, in, got))
	},
	"alltoallw": func(x trial, me, _, _ int) error {
		in := x.each(func(to int) []int32 { return x.data(me, to, x.length(me, to)) })
		want := x.each(func(from int) []int32 { return x.data(from, me, x.length(from, me)) })
		got := make([]int32, len(slices.Concat(want...)))
		return must(got, slices.Concat(want...), mpi.AllToAllW(x.c, slices.Concat(in...), halves(in), got, halves(want)))
	},
	"reducescatterv": func(x trial, me, size, _ int) error {
		in := x.each(func(to int) []int32 { return x.data(me, to, x.length(0, to)) })
		got := make([]int32, x.length(0, me))
		return must(got, x.sum(0, size, me, len(got)), mpi.ReduceScatterV(x.c, in, got, mpi.Sum[int32]()))
	},
	"reducescatter": func(x trial, me, size, n int) error {
		in := slices.Concat(x.each(func(to int) []int32 { return x.data(me, to, n) })...)
		got := make([]int32, n)
		return must(got, x.sum(0, size, me, n), mpi.ReduceScatter(x.c, in, got, mpi.Sum[int32]()))
	},
	"scan": func(x trial, me, _, n int) error {
		got := x.data(me, 0, n)
		return must(got, x.sum(0, me+1, 0, n), mpi.Scan(x.c, got, got, mpi.Sum[int32]()))
	},
	"exscan": func(x trial, me, _, n int) error {
		got, want := make([]int32, n), x.sum(0, me, 0, n)
		return must(got, want, mpi.ExScan(x.c, x.data(me, 0, n), got, mpi.Sum[int32]()))
	},
}

// allOperations does every operation, by every algorithm that can, some times.
func allOperations(c *mpi.Comm, seed uint64, times int) error {
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, operation := range mpi.Operations() {
		algorithms, err := mpi.Algorithms(operation)
		if err != nil {
			return err
		}
		for _, algorithm := range append(algorithms, "auto") {
			if algorithm == "recursive-doubling" && operation == "allgather" && c.Size()&(c.Size()-1) != 0 {
				continue
			}
			if err := c.SetAlgorithm(operation, algorithm); err != nil {
				return err
			}
			for range times {
				x := draw(c, rng)
				if err := naive[operation](x, c.Rank(), c.Size(), x.count); err != nil {
					return fmt.Errorf("%s by %s, seed %d, root %d, count %d: %w", operation, algorithm, seed, x.root, x.count, err)
				}
			}
		}
	}
	return nil
}

func TestCollectivesWithAnyNumberOfRanks(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 64} {
		t.Run(fmt.Sprint(ranks, " ranks"), func(t *testing.T) {
			t.Parallel()
			times := 2
			if ranks > 17 {
				times = 1
			}
			err := job{machine: "loggp", ranks: ranks}.run(func(c *mpi.Comm) error {
				return allOperations(c, uint64(ranks), times)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCollectivesEverywhere(t *testing.T) {
	everywhere(t, 5, func(c *mpi.Comm) error { return allOperations(c, 5, 1) })
}

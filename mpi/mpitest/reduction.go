package mpitest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"musubi/mpi"
)

// differentCounts: a rank that notices that others have more elements than it has goes
// on, so that they do not wait for it, and the next operation is as usual.
func differentCounts(c *mpi.Comm) error {
	for _, algorithm := range []string{"binomial", "scatter-allgather"} {
		count := 8
		if c.Rank() == c.Size()-1 {
			count = 7
		}
		if err := c.SetAlgorithm("broadcast", algorithm); err != nil {
			return err
		}
		err := mpi.Broadcast(c, 0, make([]uint64, count))
		tells := errors.Is(err, mpi.ErrTruncate) && strings.Contains(err.Error(), "as this rank has given")
		if errors.Is(err, mpi.ErrOther) || count < 8 && !tells {
			return fmt.Errorf("broadcast by %s of 8 elements into %d: %v", algorithm, count, err)
		}
		sum := []int{1}
		if err := mpi.AllReduce(c, sum, sum, mpi.Sum[int]()); err != nil || sum[0] != c.Size() {
			return fmt.Errorf("afterwards: %d ranks, %v", sum[0], err)
		}
	}
	return c.SetAlgorithm("broadcast", "auto")
}

// matrix is an element whose product is associative, but not commutative: 2 x 2
// whole numbers that wrap round.
type matrix [4]uint32

var multiply = mpi.Op[matrix]{Apply: func(in, inout []matrix) {
	for i, a := range in {
		b := inout[i]
		inout[i] = matrix{a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3], a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3]}
	}
}}

// matrices is what a rank has.
func matrices(rank, n int) []matrix {
	rng := rand.New(rand.NewPCG(uint64(rank), 0))
	list := make([]matrix, n)
	for i := range list {
		list[i] = matrix{rng.Uint32(), rng.Uint32(), rng.Uint32(), rng.Uint32()}
	}
	return list
}

// products are those of matrices, in the order of ranks.
func products(c *mpi.Comm) error {
	for _, n := range []int{1, 5, 2000} {
		want := matrices(c.Size()-1, n)
		for rank := c.Size() - 2; rank >= 0; rank-- {
			multiply.Apply(matrices(rank, n), want)
		}
		got := make([]matrix, n)
		if err := mpi.AllReduce(c, matrices(c.Rank(), n), got, multiply); err != nil {
			return err
		}
		if err := same("product", got, want); err != nil {
			return err
		}
		if err := mpi.ReduceScatterV(c, slices.Repeat([][]matrix{matrices(c.Rank(), n)}, c.Size()), got, multiply); err != nil {
			return err
		}
		if err := same("product at each rank", got, want); err != nil {
			return err
		}
		parts, own := slices.Repeat([][]matrix{nil}, c.Size()), make([]matrix, n)
		parts[0] = matrices(c.Rank(), n)
		if c.Rank() > 0 {
			own, want = nil, nil
		}
		if err := mpi.ReduceScatterV(c, parts, own, multiply); err != nil {
			return err
		}
		if err := same("product at rank 0", own, want); err != nil {
			return err
		}
	}
	return nil
}

// sums of floating-point numbers depend on how they are bracketed. Still all ranks get
// the same bits, and get them again.
func sums(c *mpi.Comm) error {
	algorithms, err := mpi.Algorithms("allreduce")
	if err != nil {
		return err
	}
	for _, algorithm := range append(algorithms, "auto") {
		in := numbers(c.Rank(), 50)
		once, again := make([]float64, len(in)), make([]float64, len(in))
		if err := first(
			c.SetAlgorithm("allreduce", algorithm),
			mpi.AllReduce(c, in, once, mpi.Sum[float64]()),
			mpi.AllReduce(c, in, again, mpi.Sum[float64]()),
			same("the same sum by "+algorithm, again, once),
			mpi.Broadcast(c, 0, again),
			same("the sum of rank 0 by "+algorithm, again, once),
		); err != nil {
			return err
		}
	}
	return sameBits(c)
}

// sameBits: short sums have the brackets of recursive doubling, however they are made.
func sameBits(c *mpi.Comm) error {
	for _, n := range []int{1, 2, 50, 128, 129} {
		in := numbers(c.Rank(), n)
		usual, doubled := make([]float64, n), make([]float64, n)
		if err := first(
			mpi.AllReduce(c, in, usual, mpi.Sum[float64]()),
			c.SetAlgorithm("allreduce", "recursive-doubling"),
			mpi.AllReduce(c, in, doubled, mpi.Sum[float64]()),
			c.SetAlgorithm("allreduce", "auto"),
			same(fmt.Sprintf("sum of %d numbers", n), usual, doubled),
		); err != nil {
			return err
		}
	}
	return nil
}

// numbers is what a rank has, of very different sizes.
func numbers(rank, n int) []float64 {
	rng := rand.New(rand.NewPCG(uint64(rank), 1))
	list := make([]float64, n)
	for i := range list {
		list[i] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(30)))
	}
	return list
}

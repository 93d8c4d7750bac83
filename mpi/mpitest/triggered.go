package mpitest

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"musubi/mpi"
	"musubi/units"
)

var triggeredChecks = group{"persistent barriers and allreduces on command queues", []check{
	{name: "with all ranks", program: onQueues},
	{name: "with three ranks", ranks: 3, program: onQueues},
	{name: "with two ranks", ranks: 2, program: onQueues},
	{name: "with one rank", ranks: 1, program: onQueues},
	{name: "wrong arguments", ranks: 2, program: onQueuesRefused},
}}

// affine is a function x -> A x + B. Composition is associative, but not commutative.
type affine struct{ A, B int64 }

var compose = mpi.Op[affine]{Apply: func(in, inout []affine) {
	for i, f := range in {
		inout[i] = affine{f.A * inout[i].A, f.A*inout[i].B + f.B}
	}
}}

// onQueues starts several operations again and again, together with others, and each rank in its
// own time.
func onQueues(c *mpi.Comm) error {
	own := rand.New(rand.NewPCG(8, uint64(c.Rank())))
	var o mpi.ExchangeOptions
	barrier, err1 := mpi.BarrierInit(c, o)
	in, out := make([]affine, 30), make([]affine, 30)
	composed, err2 := mpi.AllReduceInit(c, in, out, compose, o)
	sum := []int{0}
	total, err3 := mpi.AllReduceInit(c, sum, sum, mpi.Sum[int](), mpi.ExchangeOptions{Protocol: mpi.FAST})
	longIn, longOut := make([]int32, 5000), make([]int32, 5000)
	long, err4 := mpi.AllReduceInit(c, longIn, longOut, mpi.Max[int32](), o) // goes by messages
	if err := first(err1, err2, err3, err4); err != nil {
		return err
	}
	for round := range 12 {
		for i := range in {
			in[i] = affineOf(c.Rank(), round, i)
		}
		sum[0], longIn[7] = c.Rank()+round, int32(round*c.Rank())
		c.Process().Compute(units.Time(own.IntN(30)) * units.Microsecond)
		if err := mpi.StartAll(barrier, composed, total, long); err != nil {
			return err
		}
		c.Process().Compute(units.Time(own.IntN(10)) * units.Microsecond)
		if err := mpi.WaitAll(long.Request(), total.Request(), composed.Request(), barrier.Request()); err != nil {
			return err
		}
		if err := checkOnQueues(c, round, out, sum[0], longOut[7]); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return first(barrier.Free(), composed.Free(), total.Free(), long.Free())
}

func affineOf(rank, round, i int) affine { return affine{int64(1 + rank + i%3), int64(round - rank*i)} }

func checkOnQueues(c *mpi.Comm, round int, out []affine, sum int, most int32) error {
	for i := range out {
		want := []affine{affineOf(c.Size()-1, round, i)}
		for rank := c.Size() - 2; rank >= 0; rank-- {
			compose.Apply([]affine{affineOf(rank, round, i)}, want)
		}
		if out[i] != want[0] {
			return fmt.Errorf("element %d: %v; expected %v", i, out[i], want[0])
		}
	}
	if want := c.Size()*(c.Size()-1)/2 + c.Size()*round; sum != want {
		return fmt.Errorf("sum %d; expected %d", sum, want)
	}
	if want := int32(round * (c.Size() - 1)); most != want {
		return fmt.Errorf("maximum %d; expected %d", most, want)
	}
	return nil
}

// onQueuesRefused gives wrong options, and other lengths than the other rank.
func onQueuesRefused(c *mpi.Comm) error {
	for _, o := range []mpi.ExchangeOptions{{Protocol: mpi.MRC}, {Queues: -1}} {
		if _, err := mpi.BarrierInit(c, o); !errors.Is(err, mpi.ErrArgument) {
			return fmt.Errorf("%+v: %w; expected ErrArgument", o, err)
		}
	}
	data := make([]int, 1+c.Rank())
	if _, err := mpi.AllReduceInit(c, data, data, mpi.Sum[int](), mpi.ExchangeOptions{}); !errors.Is(err, mpi.ErrCount) {
		return fmt.Errorf("other lengths: %w; expected ErrCount", err)
	}
	return nil
}

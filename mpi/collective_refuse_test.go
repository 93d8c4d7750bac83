package mpi_test

import (
	"fmt"
	"testing"

	"musubi/mpi"
	"musubi/mpi/mpitest"
)

// Arguments that are wrong by themselves fail where they are given, before anything
// is sent; the communicator can be used as before.
func TestCollectivesRefuseWrongArguments(t *testing.T) {
	sum := mpi.Sum[int]()
	three, six, seven := make([]int, 3), make([]int, 6), make([]int, 7)
	parts := [][]int{{1}, {2}, {3}}
	layouts := []mpi.Layout{mpi.Vector(1, 1, 1), mpi.Indexed(mpi.Block{At: 1, Count: 1}), mpi.Vector(1, 2, 2)}
	onLogGP(t, 3, func(c *mpi.Comm) error {
		own := 3 - len(parts[c.Rank()])
		wrongOwn := [][]int{make([]int, own), make([]int, own), make([]int, own)}
		for i, test := range []struct {
			err   error
			class mpi.ErrorClass
			says  string
		}{
			{mpi.Broadcast(c, 3, three), mpi.ErrRoot, "Broadcast at rank"},
			{mpi.Broadcast(c, -1, three), mpi.ErrRoot, "root -1; there are ranks 0 to 2"},
			{mpi.Reduce(c, 3, three, three, sum), mpi.ErrRoot, "root 3"},
			{mpi.Gather(c, 7, three, nil), mpi.ErrRoot, "root 7"},
			{mpi.GatherV(c, 7, three, nil), mpi.ErrRoot, "root 7"},
			{mpi.Scatter(c, -2, three, nil), mpi.ErrRoot, "root -2"},
			{mpi.ScatterV(c, -2, parts, nil), mpi.ErrRoot, "root -2"},
			{mpi.Reduce(c, c.Rank(), three, six, sum), mpi.ErrCount, "out has 6 elements; expected 3, as in has"},
			{mpi.AllReduce(c, six, three, sum), mpi.ErrCount, "out has 3 elements; expected 6"},
			{mpi.Scan(c, six, three, sum), mpi.ErrCount, "out has 3 elements"},
			{mpi.ExScan(c, six, three, sum), mpi.ErrCount, "out has 3 elements"},
			{mpi.Gather(c, c.Rank(), three, six), mpi.ErrCount, "out has 6 elements; expected 9, as all ranks have together"},
			{mpi.AllGather(c, three, six), mpi.ErrCount, "out has 6 elements; expected 9"},
			{mpi.Scatter(c, c.Rank(), six, three), mpi.ErrCount, "in has 6 elements; expected 9, as all ranks take together"},
			{mpi.ReduceScatter(c, six, three, sum), mpi.ErrCount, "in has 6 elements; expected 9"},
			{mpi.AllToAll(c, seven, seven), mpi.ErrCount, "in has 7 elements; expected as many for each of 3 ranks"},
			{mpi.AllToAll(c, six, three), mpi.ErrCount, "out has 3 elements; expected 6"},
			{mpi.GatherV(c, c.Rank(), three, parts[:2]), mpi.ErrCount, "out has 2 slices; expected one for each of 3 ranks"},
			{mpi.GatherV(c, c.Rank(), three, parts), mpi.ErrCount, "out of this rank has 1 elements; expected 3"},
			{mpi.ScatterV(c, c.Rank(), parts[:1], three), mpi.ErrCount, "in has 1 slices"},
			{mpi.ScatterV(c, c.Rank(), parts, three), mpi.ErrCount, "out has 3 elements; expected 1"},
			{mpi.AllGatherV(c, three, parts), mpi.ErrCount, "out of this rank has 1 elements; expected 3"},
			{mpi.AllGatherV(c, three, nil), mpi.ErrCount, "out has 0 slices"},
			{mpi.AllToAllV(c, parts[1:], parts), mpi.ErrCount, "in has 2 slices"},
			{mpi.AllToAllV(c, parts, parts[1:]), mpi.ErrCount, "out has 2 slices"},
			{mpi.AllToAllW(c, three, layouts[:2], three, layouts), mpi.ErrCount, "in has 2 layouts; expected one for each of 3 ranks"},
			{mpi.AllToAllW(c, three, layouts, parts[0], layouts), mpi.ErrCount, "out, number 1: block 0 of the layout, 1 elements from 1 on; there are 1"},
			{mpi.ReduceScatterV(c, parts[1:], three, sum), mpi.ErrCount, "in has 2 slices"},
			{mpi.ReduceScatterV(c, parts, three, sum), mpi.ErrCount, "out has 3 elements; expected 1"},
			{mpi.AllToAllV(c, parts, wrongOwn), mpi.ErrCount, "out of this rank has 2 elements; expected 1"},
			{mpi.AllReduce(c, three, three, mpi.Op[int]{}), mpi.ErrOp, "without Apply"},
			{mpi.Broadcast(c, 0, []string{"text"}), mpi.ErrType, "elements of type string"},
			{mpi.GatherV(c, 0, []*int{nil}, nil), mpi.ErrType, "elements of type *int"},
			{mpi.AllReduce(c, []any{1}, []any{2}, mpi.Op[any]{Apply: func(_, _ []any) {}}), mpi.ErrType, "elements of type interface"},
		} {
			if err := refused(test.err, test.class, test.says); err != nil {
				return fmt.Errorf("call %d: %w", i, err)
			}
		}
		return mpitest.Collectives(c, 1, 1)
	})
}

func TestAlgorithmsThatDoNotFitAreRefused(t *testing.T) {
	onLogGP(t, 3, func(c *mpi.Comm) error {
		_, unknown := mpi.Algorithms("allreduced")
		err := firstError(
			refused(unknown, mpi.ErrOp, `unknown operation "allreduced"; known: barrier, broadcast,`),
			refused(c.SetAlgorithm("bcast", "auto"), mpi.ErrOp, `unknown operation "bcast"`),
			refused(c.SetAlgorithm("barrier", "ring"), mpi.ErrOp, `unknown algorithm "ring" for barrier; known: auto, dissemination, tree, linear`),
			c.SetAlgorithm("allgather", "recursive-doubling"),
			c.SetAlgorithm("allreduce", "ring"),
		)
		if err != nil {
			return err
		}
		d, err := c.Split(0, 0) // itself uses what fits, but d inherits the choice
		if err != nil {
			return err
		}
		return firstError(
			refused(mpi.AllGather(d, []int{1}, make([]int, 3)), mpi.ErrOp, "algorithm recursive-doubling with 3 ranks; expected a power of two"),
			refused(mpi.AllReduce(d, matrices(0, 1), matrices(0, 1), multiply), mpi.ErrOp, "algorithm ring with an operation that is not commutative"),
		)
	})
}

// What ranks give that does not fit together is found out where messages come that
// have another length than expected.
func TestDifferentCountsAreFoundOut(t *testing.T) {
	for _, test := range []struct {
		name  string
		class mpi.ErrorClass
		call  func(c *mpi.Comm, n int) error // n is 4 at rank 0 and 5 at rank 1
	}{
		{"broadcast", mpi.ErrTruncate, func(c *mpi.Comm, n int) error { return mpi.Broadcast(c, 0, make([]int, 8-n)) }},
		{"longer broadcast", mpi.ErrCount, func(c *mpi.Comm, n int) error { return mpi.Broadcast(c, 0, make([]int, n)) }},
	} {
		unchecked(t, 2, func(c *mpi.Comm) error {
			err := test.call(c, 4+c.Rank())
			if c.Rank() == 0 {
				return err
			}
			return refused(err, test.class, "")
		})
	}
}

// A rank that notices such a message goes on, so that the others do not wait for it;
// the next operation is as usual.
func TestOperationsGoOnAfterDifferentCounts(t *testing.T) {
	for _, algorithm := range []string{"binomial", "scatter-allgather"} {
		unchecked(t, 8, func(c *mpi.Comm) error {
			count := 8
			if c.Rank() == 4 {
				count = 7
			}
			err := firstError(c.SetAlgorithm("broadcast", algorithm), mpi.Broadcast(c, 0, make([]uint64, count)))
			if c.Rank() == 4 {
				if err := refused(err, mpi.ErrTruncate, "Broadcast at rank 4"); err != nil {
					return err
				}
			}
			return mpitest.Collectives(c, 2, 1)
		})
	}
}

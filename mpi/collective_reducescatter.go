package mpi

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/elements"
)

// ReduceScatter combines the elements of all ranks and gives each rank a part of the
// result, in the order of the ranks. The length of out is the same everywhere, and
// in has as many times that as there are ranks. Out may lie in in.
func ReduceScatter[T any](c *Comm, in, out []T, op Op[T]) error {
	return carryOut(planReduction(c, "ReduceScatter", algorithm.ReduceScatter, 0, in, out, op))
}

// IReduceScatter starts a ReduceScatter.
func IReduceScatter[T any](c *Comm, in, out []T, op Op[T]) (*Request, error) {
	return begin(planReduction(c, "IReduceScatter", algorithm.ReduceScatter, 0, in, out, op))
}

// ReduceScatterV is ReduceScatter of parts of different lengths: in[r] of all ranks,
// which has the same length everywhere, is combined for rank r, whose out has that
// length and may lie in in.
func ReduceScatterV[T any](c *Comm, in [][]T, out []T, op Op[T]) error {
	return carryOut(planReductions(c, "ReduceScatterV", in, out, op))
}

// IReduceScatterV starts a ReduceScatterV.
func IReduceScatterV[T any](c *Comm, in [][]T, out []T, op Op[T]) (*Request, error) {
	return begin(planReductions(c, "IReduceScatterV", in, out, op))
}

func planReductions[T any](c *Comm, call string, in [][]T, out []T, op Op[T]) (*collective.Operation, error) {
	if err := op.check(c, call); err != nil {
		return nil, err
	}
	return c.inner().Plan(call, algorithm.ReduceScatterV, &algorithm.Arguments{Ins: memoryOfEach(in), Out: elements.Memory(out), Element: elements.Size[T](), Op: op.onMemory()})
}

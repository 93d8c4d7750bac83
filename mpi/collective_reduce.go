package mpi

import (
	"reflect"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/reduction"
)

// Reduce combines the elements of all ranks to out at the root. There out has the
// length of in, and may be in; at the other ranks it is not used. Both root and op
// are the same everywhere, and so is the length of in.
func Reduce[T any](c *Comm, root int, in, out []T, op Op[T]) error {
	return carryOut(planReduction(c, "Reduce", algorithm.Reduce, root, in, out, op))
}

// IReduce starts a Reduce.
func IReduce[T any](c *Comm, root int, in, out []T, op Op[T]) (*Request, error) {
	return begin(planReduction(c, "IReduce", algorithm.Reduce, root, in, out, op))
}

// AllReduce combines the elements of all ranks to out at each of them. It has the
// length of in, which is the same everywhere, and may be in. All ranks get the same
// result, bit by bit.
func AllReduce[T any](c *Comm, in, out []T, op Op[T]) error {
	comm := c.inner()
	return comm.Engine.Enter("AllReduce").Returns(allReduce(comm, in, out, op))
}

func allReduce[T any](comm *collective.Comm, in, out []T, op Op[T]) error {
	const call = "AllReduce"
	if err := op.check(comm, call); err != nil {
		return err
	}
	onMemory := op.onMemory()
	if comm.Checks() {
		if err := compareReduction[T](comm, call, in, &onMemory); err != nil {
			return err
		}
	}
	return comm.AllReduce(call, elements.Memory(in), elements.Memory(out), elements.Size[T](), onMemory)
}

// compareReduction compares what ranks say of an AllReduce. It is a function of its own as all
// ranks wait in AllReduce, whose part of the stack should be small.
func compareReduction[T any](c *collective.Comm, call string, in []T, op *reduction.Op) error {
	a := algorithm.Arguments{In: elements.Memory(in), Element: elements.Size[T](), Type: reflect.TypeFor[T](), Op: *op}
	return c.Compare(call, algorithm.AllReduce, &a)
}

// IAllReduce starts an AllReduce.
func IAllReduce[T any](c *Comm, in, out []T, op Op[T]) (*Request, error) {
	return begin(planReduction(c, "IAllReduce", algorithm.AllReduce, 0, in, out, op))
}

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
	comm := c.inner()
	if err := op.check(comm, call); err != nil {
		return nil, err
	}
	r, err := comm.Draft(call, algorithm.ReduceScatterV)
	if err != nil {
		return nil, err
	}
	r.MakeRoom(len(in), 0)
	putMemory(r.Ins, in)
	r.Out, r.Element, r.Type, r.Op = elements.Memory(out), elements.Size[T](), reflect.TypeFor[T](), op.onMemory()
	return r.Plan()
}

// Scan combines the elements of the ranks up to each rank, its own included. Out has
// the length of in, which is the same everywhere, and may be in.
func Scan[T any](c *Comm, in, out []T, op Op[T]) error {
	return carryOut(planReduction(c, "Scan", algorithm.Scan, 0, in, out, op))
}

// IScan starts a Scan.
func IScan[T any](c *Comm, in, out []T, op Op[T]) (*Request, error) {
	return begin(planReduction(c, "IScan", algorithm.Scan, 0, in, out, op))
}

// ExScan combines the elements of the ranks before each rank, without its own. Rank
// 0 has none before it and keeps what is in out. Out has the length of in, which is
// the same everywhere, and may be in, except that rank 0 then keeps its elements.
func ExScan[T any](c *Comm, in, out []T, op Op[T]) error {
	return carryOut(planReduction(c, "ExScan", algorithm.ExScan, 0, in, out, op))
}

// IExScan starts an ExScan.
func IExScan[T any](c *Comm, in, out []T, op Op[T]) (*Request, error) {
	return begin(planReduction(c, "IExScan", algorithm.ExScan, 0, in, out, op))
}

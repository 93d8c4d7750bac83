package mpi

import (
	"reflect"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// AllToAll lets every rank send a part of in to each rank, and puts what it gets
// from them to out, both in the order of the ranks. The slices have the same length
// everywhere, a multiple of the number of ranks, and may be the same slice.
func AllToAll[T any](c *Comm, in, out []T) error {
	return carryOut(planFor(c, "AllToAll", algorithm.AllToAll, 0, in, out))
}

// IAllToAll starts an AllToAll.
func IAllToAll[T any](c *Comm, in, out []T) (*Request, error) {
	return begin(planFor(c, "IAllToAll", algorithm.AllToAll, 0, in, out))
}

// AllToAllV is AllToAll of different numbers of elements: in[r] goes to rank r,
// and what rank r has for this one to out[r], whose length is that of what it sends.
// In may be out, between ranks that send each other as much as they get.
func AllToAllV[T any](c *Comm, in, out [][]T) error {
	return carryOut(planParts(c, "AllToAllV", algorithm.AllToAllV, 0, nil, nil, in, out))
}

// IAllToAllV starts an AllToAllV.
func IAllToAllV[T any](c *Comm, in, out [][]T) (*Request, error) {
	return begin(planParts(c, "IAllToAllV", algorithm.AllToAllV, 0, nil, nil, in, out))
}

// AllToAllW is AllToAll of elements that are not contiguous: the elements of in that to[r]
// names go to rank r, and elements from rank r go to those of out that from[r] names, which
// must be as many. Each element of out may be named once. In may be out, if to and from name
// the same elements for each rank.
func AllToAllW[T any](c *Comm, in []T, to []Layout, out []T, from []Layout) error {
	return carryOut(planLayouts(c, "AllToAllW", in, to, out, from))
}

// IAllToAllW starts an AllToAllW.
func IAllToAllW[T any](c *Comm, in []T, to []Layout, out []T, from []Layout) (*Request, error) {
	return begin(planLayouts(c, "IAllToAllW", in, to, out, from))
}

func planLayouts[T any](c *Comm, call string, in []T, to []Layout, out []T, from []Layout) (*collective.Operation, error) {
	if err := checkElement[T](); err != nil {
		return nil, c.inner().Fail(fault.Type, call, err)
	}
	return c.inner().Plan(call, algorithm.AllToAllW, layoutArguments(in, to, out, from))
}

func layoutArguments[T any](in []T, to []Layout, out []T, from []Layout) *algorithm.Arguments {
	size := elements.Size[T]()
	return &algorithm.Arguments{In: elements.Memory(in), Out: elements.Memory(out), Element: size, Type: reflect.TypeFor[T](), Layouts: &algorithm.Types{To: typesOf(to, size), From: typesOf(from, size)}}
}

package mpi

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// AllToAllW is AllToAll of elements that do not follow each other: those of in that
// to[r] names go to rank r, and those of out that from[r] names are where what comes
// from rank r is put; there have to be as many. Elements of out may be named once. In may
// be out, if to and from name the same elements for each rank.
func AllToAllW[T any](c *Comm, in []T, to []Layout, out []T, from []Layout) error {
	return carryOut(planLayouts(c, "AllToAllW", in, to, out, from))
}

// IAllToAllW starts an AllToAllW.
func IAllToAllW[T any](c *Comm, in []T, to []Layout, out []T, from []Layout) (*Request, error) {
	return begin(planLayouts(c, "IAllToAllW", in, to, out, from))
}

// NeighbourAllToAllW is NeighbourAllToAll of elements that do not follow each other:
// those of in that to[i] names go to destination i, and what comes from source i to
// those of out that from[i] names.
func NeighbourAllToAllW[T any](t Topology, in []T, to []Layout, out []T, from []Layout) error {
	return carryOut(planNearLayouts(t, "NeighbourAllToAllW", in, to, out, from))
}

// INeighbourAllToAllW starts a NeighbourAllToAllW.
func INeighbourAllToAllW[T any](t Topology, in []T, to []Layout, out []T, from []Layout) (*Request, error) {
	return begin(planNearLayouts(t, "INeighbourAllToAllW", in, to, out, from))
}

func planLayouts[T any](c *Comm, call string, in []T, to []Layout, out []T, from []Layout) (*collective.Operation, error) {
	if err := checkElement[T](); err != nil {
		return nil, c.inner().Fail(fault.Type, call, err)
	}
	return c.inner().Plan(call, algorithm.AllToAllW, layoutArguments(in, to, out, from))
}

func planNearLayouts[T any](t Topology, call string, in []T, to []Layout, out []T, from []Layout) (*collective.Operation, error) {
	n := neighboursOf(t)
	c := n.comm
	if err := n.check(call, len(to), len(from)); err != nil {
		return nil, err
	}
	if err := checkElement[T](); err != nil {
		return nil, c.inner().Fail(fault.Type, call, err)
	}
	a := layoutArguments(in, to, out, from)
	if err := a.CheckLayouts(len(to), len(from)); err != nil {
		return nil, c.inner().Fail(fault.Count, call, err)
	}
	for i, source := range n.Sources {
		if source == None { // memory stays as it is
			a.Layouts.From[i] = datatype.Type{}
		}
	}
	return n.plan(call, algorithm.NearLayouts, a), nil
}

func layoutArguments[T any](in []T, to []Layout, out []T, from []Layout) *algorithm.Arguments {
	size := elements.Size[T]()
	return &algorithm.Arguments{In: elements.Memory(in), Out: elements.Memory(out), Element: size, Layouts: &algorithm.Types{To: typesOf(to, size), From: typesOf(from, size)}}
}

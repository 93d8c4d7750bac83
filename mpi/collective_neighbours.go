package mpi

import (
	"reflect"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// Topology is a communicator with neighbours: *Cart or *Graph.
//
// The neighbours of a rank of a Graph are its sources and its destinations. Those of
// a rank of a Cart are, for each dimension, the rank before it and the rank after it,
// both as a source and as a destination. Beyond the edge of the grid there is no neighbour:
// nothing is sent, and memory for its data stays as it is.
type Topology interface {
	neighbours() neighbours
}

// neighbours is a communicator and the neighbours of this rank in it.
type neighbours struct {
	comm *Comm
	algorithm.Neighbours
}

// neighboursOf returns none for a nil topology.
func neighboursOf(t Topology) *neighbours {
	var n neighbours
	if t != nil {
		n = t.neighbours()
	}
	return &n
}

// NeighbourAllGather sends in to all destinations, and puts what each source sends
// to the element of out with its number. That has the length of the in there.
func NeighbourAllGather[T any](t Topology, in []T, out [][]T) error {
	return carryOut(planGather(t, "NeighbourAllGather", in, out))
}

// INeighbourAllGather starts a NeighbourAllGather.
func INeighbourAllGather[T any](t Topology, in []T, out [][]T) (*Request, error) {
	return begin(planGather(t, "INeighbourAllGather", in, out))
}

// NeighbourAllToAll sends in[i] to destination i, and puts what source i has for
// this rank to out[i], which has the length of what it sends.
func NeighbourAllToAll[T any](t Topology, in, out [][]T) error {
	return carryOut(planNeighbours(neighboursOf(t), "NeighbourAllToAll", in, out))
}

// INeighbourAllToAll starts a NeighbourAllToAll.
func INeighbourAllToAll[T any](t Topology, in, out [][]T) (*Request, error) {
	return begin(planNeighbours(neighboursOf(t), "INeighbourAllToAll", in, out))
}

// NeighbourAllToAllW is NeighbourAllToAll of elements that are not contiguous: the elements
// of in that to[i] names go to destination i, and elements from source i go to those of out
// that from[i] names.
func NeighbourAllToAllW[T any](t Topology, in []T, to []Layout, out []T, from []Layout) error {
	return carryOut(planNearLayouts(t, "NeighbourAllToAllW", in, to, out, from))
}

// INeighbourAllToAllW starts a NeighbourAllToAllW.
func INeighbourAllToAllW[T any](t Topology, in []T, to []Layout, out []T, from []Layout) (*Request, error) {
	return begin(planNearLayouts(t, "INeighbourAllToAllW", in, to, out, from))
}

func planGather[T any](t Topology, call string, in []T, out [][]T) (*collective.Operation, error) {
	n := neighboursOf(t)
	ins := make([][]T, len(n.Destinations))
	for i := range ins {
		ins[i] = in
	}
	return planNeighbours(n, call, ins, out)
}

func planNeighbours[T any](n *neighbours, call string, in, out [][]T) (*collective.Operation, error) {
	c := n.comm
	if err := n.check(call, len(in), len(out)); err != nil {
		return nil, err
	}
	if err := checkElement[T](); err != nil {
		return nil, c.inner().Fail(fault.Type, call, err)
	}
	return n.plan(call, algorithm.ToNeighbours, &algorithm.Arguments{Ins: memoryOfEach(in), Outs: memoryOfEach(out), Element: elements.Size[T](), Type: reflect.TypeFor[T]()}), nil
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

// plan prepares an operation whose arguments have been checked.
func (n *neighbours) plan(call string, by *algorithm.Algorithm, a *algorithm.Arguments) *collective.Operation {
	return n.comm.comm.NeighbourPlan(call, by, &n.Neighbours, a)
}

// check fails unless there is something for each neighbour.
func (n *neighbours) check(call string, in, out int) error {
	if err := n.comm.inner().Check(call); err != nil {
		return err
	}
	if in != len(n.Destinations) || out != len(n.Sources) {
		return n.comm.inner().Failf(fault.Count, call, "%d slices in and %d out; expected one for each of %d destinations and %d sources",
			in, out, len(n.Destinations), len(n.Sources))
	}
	return nil
}

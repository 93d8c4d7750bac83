package mpi

import (
	"reflect"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// Barrier returns when all ranks have called it.
func Barrier(c *Comm) error {
	inner := c.inner()
	return inner.Engine.Enter("Barrier").Returns(barrier(inner))
}

func barrier(c *collective.Comm) error {
	const call = "Barrier"
	if c.Checks() {
		if err := c.Compare(call, algorithm.Barrier, &algorithm.NoArguments); err != nil {
			return err
		}
	}
	return c.Barrier(call)
}

// IBarrier starts a Barrier: the request is complete when all ranks have started it.
func IBarrier(c *Comm) (*Request, error) {
	return begin(c.inner().Plan("IBarrier", algorithm.Barrier, &algorithm.Arguments{}))
}

// Broadcast copies the root's data to the data of all other ranks, which has the
// same length everywhere.
func Broadcast[T any](c *Comm, root int, data []T) error {
	const call = "Broadcast"
	defer c.enter(call).Leave()
	if err := checkElement[T](); err != nil {
		return c.inner().Fail(fault.Type, call, err)
	}
	inner := c.inner()
	if inner.Checks() {
		a := algorithm.Arguments{Root: root, Out: elements.Memory(data), Element: elements.Size[T](), Type: reflect.TypeFor[T]()}
		if err := inner.Compare(call, algorithm.Broadcast, &a); err != nil {
			return err
		}
	}
	return inner.Broadcast(call, root, elements.Memory(data), elements.Size[T]())
}

// IBroadcast starts a Broadcast.
func IBroadcast[T any](c *Comm, root int, data []T) (*Request, error) {
	return begin(planFor(c, "IBroadcast", algorithm.Broadcast, root, nil, data))
}

package mpi

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/triggered"
)

// prepare makes a planned operation persistent.
func prepare(r *collective.Operation, err error) (*Persistent, error) {
	if err != nil {
		return nil, err
	}
	defer r.C.Engine.Enter(r.Call).Leave()
	if err := r.Agree(); err != nil {
		return nil, err
	}
	return persistentOf(r.Prepare()), nil
}

// prepareTriggered makes a planned operation persistent, on command queues if there are options.
func prepareTriggered(options []ExchangeOptions, r *collective.Operation, err error) (*Persistent, error) {
	if err != nil || len(options) == 0 {
		return prepare(r, err)
	}
	defer r.C.Engine.Enter(r.Call).Leave()
	o := options[0]
	if o.Protocol != Auto && o.Protocol != FAST || o.Queues < 0 {
		r.Recycle()
		return nil, r.C.Failf(fault.Argument, r.Call, "%v with %d command queues; expected Auto or FAST, and at least 0", o.Protocol, o.Queues)
	}
	p, err := triggered.Prepare(r, o.Queues)
	return persistentOf(p), err
}

// BarrierInit prepares a Barrier.
//
// With options, at all ranks, it runs on command queues: from Start on the arrival of each step
// releases the next one, without a processor. That takes log2 Size queues of each rank, at most
// Queues if that is not 0. Where a rank has less, or where Size is not a power of two, it goes by
// messages; Plan tells. It then waits for all ranks. It fails with ErrArgument if the options are
// wrong.
func BarrierInit(c *Comm, options ...ExchangeOptions) (*Persistent, error) {
	r, err := c.inner().Plan("BarrierInit", algorithm.Barrier, &algorithm.Arguments{})
	return prepareTriggered(options, r, err)
}

// BroadcastInit prepares a Broadcast.
func BroadcastInit[T any](c *Comm, root int, data []T) (*Persistent, error) {
	return prepare(planFor(c, "BroadcastInit", algorithm.Broadcast, root, nil, data))
}

// ReduceInit prepares a Reduce.
func ReduceInit[T any](c *Comm, root int, in, out []T, op Op[T]) (*Persistent, error) {
	return prepare(planReduction(c, "ReduceInit", algorithm.Reduce, root, in, out, op))
}

// AllReduceInit prepares an AllReduce. Options are as for BarrierInit: on command queues ranks
// exchange their elements, up to 32 KiB of all together, and each combines them at the end in the
// order of ranks. Longer ones go by messages.
func AllReduceInit[T any](c *Comm, in, out []T, op Op[T], options ...ExchangeOptions) (*Persistent, error) {
	r, err := planReduction(c, "AllReduceInit", algorithm.AllReduce, 0, in, out, op)
	return prepareTriggered(options, r, err)
}

// GatherInit prepares a Gather.
func GatherInit[T any](c *Comm, root int, in, out []T) (*Persistent, error) {
	return prepare(planFor(c, "GatherInit", algorithm.Gather, root, in, out))
}

// GatherVInit prepares a GatherV.
func GatherVInit[T any](c *Comm, root int, in []T, out [][]T) (*Persistent, error) {
	return prepare(planParts(c, "GatherVInit", algorithm.GatherV, root, in, nil, nil, out))
}

// ScatterInit prepares a Scatter.
func ScatterInit[T any](c *Comm, root int, in, out []T) (*Persistent, error) {
	return prepare(planFor(c, "ScatterInit", algorithm.Scatter, root, in, out))
}

// ScatterVInit prepares a ScatterV.
func ScatterVInit[T any](c *Comm, root int, in [][]T, out []T) (*Persistent, error) {
	return prepare(planParts(c, "ScatterVInit", algorithm.ScatterV, root, nil, out, in, nil))
}

// AllGatherInit prepares an AllGather.
func AllGatherInit[T any](c *Comm, in, out []T) (*Persistent, error) {
	return prepare(planFor(c, "AllGatherInit", algorithm.AllGather, 0, in, out))
}

// AllGatherVInit prepares an AllGatherV.
func AllGatherVInit[T any](c *Comm, in []T, out [][]T) (*Persistent, error) {
	return prepare(planParts(c, "AllGatherVInit", algorithm.AllGatherV, 0, in, nil, nil, out))
}

// AllToAllInit prepares an AllToAll.
func AllToAllInit[T any](c *Comm, in, out []T) (*Persistent, error) {
	return prepare(planFor(c, "AllToAllInit", algorithm.AllToAll, 0, in, out))
}

// AllToAllVInit prepares an AllToAllV.
func AllToAllVInit[T any](c *Comm, in, out [][]T) (*Persistent, error) {
	return prepare(planParts(c, "AllToAllVInit", algorithm.AllToAllV, 0, nil, nil, in, out))
}

// AllToAllWInit prepares an AllToAllW.
func AllToAllWInit[T any](c *Comm, in []T, to []Layout, out []T, from []Layout) (*Persistent, error) {
	return prepare(planLayouts(c, "AllToAllWInit", in, to, out, from))
}

// ReduceScatterInit prepares a ReduceScatter.
func ReduceScatterInit[T any](c *Comm, in, out []T, op Op[T]) (*Persistent, error) {
	return prepare(planReduction(c, "ReduceScatterInit", algorithm.ReduceScatter, 0, in, out, op))
}

// ReduceScatterVInit prepares a ReduceScatterV.
func ReduceScatterVInit[T any](c *Comm, in [][]T, out []T, op Op[T]) (*Persistent, error) {
	return prepare(planReductions(c, "ReduceScatterVInit", in, out, op))
}

// ScanInit prepares a Scan.
func ScanInit[T any](c *Comm, in, out []T, op Op[T]) (*Persistent, error) {
	return prepare(planReduction(c, "ScanInit", algorithm.Scan, 0, in, out, op))
}

// ExScanInit prepares an ExScan.
func ExScanInit[T any](c *Comm, in, out []T, op Op[T]) (*Persistent, error) {
	return prepare(planReduction(c, "ExScanInit", algorithm.ExScan, 0, in, out, op))
}

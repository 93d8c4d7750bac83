package mpi

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
)

// prepare makes a planned operation persistent.
func prepare(r *collective.Operation, err error) (*Persistent, error) {
	if err != nil {
		return nil, err
	}
	return persistentOf(r.Prepare()), nil
}

// BarrierInit prepares a Barrier.
func BarrierInit(c *Comm) (*Persistent, error) {
	return prepare(c.inner().Plan("BarrierInit", algorithm.Barrier, &algorithm.Arguments{}))
}

// BroadcastInit prepares a Broadcast.
func BroadcastInit[T any](c *Comm, root int, data []T) (*Persistent, error) {
	return prepare(planFor(c, "BroadcastInit", algorithm.Broadcast, root, nil, data))
}

// ReduceInit prepares a Reduce.
func ReduceInit[T any](c *Comm, root int, in, out []T, op Op[T]) (*Persistent, error) {
	return prepare(planReduction(c, "ReduceInit", algorithm.Reduce, root, in, out, op))
}

// AllReduceInit prepares an AllReduce.
func AllReduceInit[T any](c *Comm, in, out []T, op Op[T]) (*Persistent, error) {
	return prepare(planReduction(c, "AllReduceInit", algorithm.AllReduce, 0, in, out, op))
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

package mpi

import "musubi/mpi/internal/algorithm"

// Gather puts the elements of all ranks one after the other at the root, in the
// order of the ranks. There out has room for as many times the length of in as
// there are ranks, and in may be the part for its own; at the other ranks out is not
// used. The length of in is the same everywhere.
func Gather[T any](c *Comm, root int, in, out []T) error {
	return carryOut(planFor(c, "Gather", algorithm.Gather, root, in, out))
}

// IGather starts a Gather.
func IGather[T any](c *Comm, root int, in, out []T) (*Request, error) {
	return begin(planFor(c, "IGather", algorithm.Gather, root, in, out))
}

// GatherV is Gather of as many elements of each rank as out has room for them: at
// the root, those of rank r go to out[r], whose length is that of the in there. The
// root's in may be its own part of out.
func GatherV[T any](c *Comm, root int, in []T, out [][]T) error {
	return carryOut(planParts(c, "GatherV", algorithm.GatherV, root, in, nil, nil, out))
}

// IGatherV starts a GatherV.
func IGatherV[T any](c *Comm, root int, in []T, out [][]T) (*Request, error) {
	return begin(planParts(c, "IGatherV", algorithm.GatherV, root, in, nil, nil, out))
}

// Scatter gives each rank a part of the root's elements, in the order of the ranks.
// There in has as many times the length of out as there are ranks, and out may be the
// part for its own; at the other ranks in is not used. The length of out is the same
// everywhere.
func Scatter[T any](c *Comm, root int, in, out []T) error {
	return carryOut(planFor(c, "Scatter", algorithm.Scatter, root, in, out))
}

// IScatter starts a Scatter.
func IScatter[T any](c *Comm, root int, in, out []T) (*Request, error) {
	return begin(planFor(c, "IScatter", algorithm.Scatter, root, in, out))
}

// ScatterV is Scatter of as many elements to each rank as it has room for: rank r
// gets those of in[r] at the root, which has the length of its out. The root's out may
// be its own part of in.
func ScatterV[T any](c *Comm, root int, in [][]T, out []T) error {
	return carryOut(planParts(c, "ScatterV", algorithm.ScatterV, root, nil, out, in, nil))
}

// IScatterV starts a ScatterV.
func IScatterV[T any](c *Comm, root int, in [][]T, out []T) (*Request, error) {
	return begin(planParts(c, "IScatterV", algorithm.ScatterV, root, nil, out, in, nil))
}

// AllGather puts the elements of all ranks one after the other at each of them, in
// the order of the ranks. The length of in is the same everywhere, and out has room
// for as many times that as there are ranks. In may be this rank's part of out.
func AllGather[T any](c *Comm, in, out []T) error {
	return carryOut(planFor(c, "AllGather", algorithm.AllGather, 0, in, out))
}

// IAllGather starts an AllGather.
func IAllGather[T any](c *Comm, in, out []T) (*Request, error) {
	return begin(planFor(c, "IAllGather", algorithm.AllGather, 0, in, out))
}

// AllGatherV is AllGather of different numbers of elements: those of rank r go to
// out[r], whose length is that of the in there. In may be this rank's part of out.
func AllGatherV[T any](c *Comm, in []T, out [][]T) error {
	return carryOut(planParts(c, "AllGatherV", algorithm.AllGatherV, 0, in, nil, nil, out))
}

// IAllGatherV starts an AllGatherV.
func IAllGatherV[T any](c *Comm, in []T, out [][]T) (*Request, error) {
	return begin(planParts(c, "IAllGatherV", algorithm.AllGatherV, 0, in, nil, nil, out))
}

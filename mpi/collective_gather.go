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

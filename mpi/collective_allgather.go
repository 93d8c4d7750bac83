package mpi

import "musubi/mpi/internal/algorithm"

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

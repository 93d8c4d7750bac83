package mpi

import "musubi/mpi/internal/algorithm"

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

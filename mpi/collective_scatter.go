package mpi

import "musubi/mpi/internal/algorithm"

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

package mpi

import "musubi/mpi/internal/algorithm"

// Reduce combines the elements of all ranks to out at the root. There out has the
// length of in, and may be in; at the other ranks it is not used. Both root and op
// are the same everywhere, and so is the length of in.
func Reduce[T any](c *Comm, root int, in, out []T, op Op[T]) error {
	return carryOut(planReduction(c, "Reduce", algorithm.Reduce, root, in, out, op))
}

// IReduce starts a Reduce.
func IReduce[T any](c *Comm, root int, in, out []T, op Op[T]) (*Request, error) {
	return begin(planReduction(c, "IReduce", algorithm.Reduce, root, in, out, op))
}

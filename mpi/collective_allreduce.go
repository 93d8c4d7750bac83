package mpi

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/elements"
)

// AllReduce combines the elements of all ranks to out at each of them. It has the
// length of in, which is the same everywhere, and may be in. All ranks get the same
// result, bit by bit.
func AllReduce[T any](c *Comm, in, out []T, op Op[T]) error {
	const call = "AllReduce"
	if err := op.check(c, call); err != nil {
		return err
	}
	return c.inner().AllReduce(call, elements.Memory(in), elements.Memory(out), elements.Size[T](), op.onMemory())
}

// IAllReduce starts an AllReduce.
func IAllReduce[T any](c *Comm, in, out []T, op Op[T]) (*Request, error) {
	return begin(planReduction(c, "IAllReduce", algorithm.AllReduce, 0, in, out, op))
}

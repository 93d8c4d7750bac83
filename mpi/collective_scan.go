package mpi

import "musubi/mpi/internal/algorithm"

// Scan combines the elements of the ranks up to each rank, its own included. Out has
// the length of in, which is the same everywhere, and may be in.
func Scan[T any](c *Comm, in, out []T, op Op[T]) error {
	return carryOut(planReduction(c, "Scan", algorithm.Scan, 0, in, out, op))
}

// IScan starts a Scan.
func IScan[T any](c *Comm, in, out []T, op Op[T]) (*Request, error) {
	return begin(planReduction(c, "IScan", algorithm.Scan, 0, in, out, op))
}

// ExScan combines the elements of the ranks before each rank, without its own. Rank
// 0 has none before it and keeps what is in out. Out has the length of in, which is
// the same everywhere, and may be in, except that rank 0 then keeps its elements.
func ExScan[T any](c *Comm, in, out []T, op Op[T]) error {
	return carryOut(planReduction(c, "ExScan", algorithm.ExScan, 0, in, out, op))
}

// IExScan starts an ExScan.
func IExScan[T any](c *Comm, in, out []T, op Op[T]) (*Request, error) {
	return begin(planReduction(c, "IExScan", algorithm.ExScan, 0, in, out, op))
}

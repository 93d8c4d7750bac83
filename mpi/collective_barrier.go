package mpi

import "musubi/mpi/internal/algorithm"

// Barrier returns when all ranks have called it.
func Barrier(c *Comm) error { return c.inner().Barrier("Barrier") }

// IBarrier starts a Barrier: the request is complete when all ranks have started it.
func IBarrier(c *Comm) (*Request, error) {
	return begin(c.inner().Plan("IBarrier", algorithm.Barrier, &algorithm.Arguments{}))
}

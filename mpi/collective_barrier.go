package mpi

import "musubi/mpi/internal/algorithm"

// Barrier returns when all ranks have called it.
func Barrier(c *Comm) error {
	const call = "Barrier"
	if met, err := c.meet(call, algorithm.Barrier, nil); met || err != nil {
		return err
	}
	return carryOut(c.plan(call, algorithm.Barrier, &algorithm.Arguments{}))
}

// IBarrier starts a Barrier: the request is complete when all ranks have started it.
func IBarrier(c *Comm) (*Request, error) {
	return begin(c.plan("IBarrier", algorithm.Barrier, &algorithm.Arguments{}))
}

package mpi

import "musubi/mpi/internal/algorithm"

// Broadcast copies the root's data to the data of all other ranks, which has the
// same length everywhere.
func Broadcast[T any](c *Comm, root int, data []T) error {
	const call = "Broadcast"
	if met, err := broadcastOnBoard(c, call, root, data); met || err != nil {
		return err
	}
	return carryOut(planFor(c, call, algorithm.Broadcast, root, nil, data))
}

// IBroadcast starts a Broadcast.
func IBroadcast[T any](c *Comm, root int, data []T) (*Request, error) {
	return begin(planFor(c, "IBroadcast", algorithm.Broadcast, root, nil, data))
}

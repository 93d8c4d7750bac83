package mpi

// Returned returns how many requests of calls that have returned are kept to be used again.
func Returned(c *Comm) int { return len(c.e.requests) }

package rma

// Oversubscription is a Process that knows whether the processes of its world share processors. One
// that waits for another then waits for its turn too, so that it is faster to wait once,
// for many, than several times for one after the other.
type Oversubscription interface {
	// Oversubscribed is the same at all processes, and does not change.
	Oversubscribed() bool
}

package rma

// Oversubscription is a Process that knows whether its world is oversubscribed, that is, whether
// processes share processors. A process that waits for another then also waits for its turn on a
// processor. So it is faster to wait once, for many processes, than several times, for one after
// the other.
type Oversubscription interface {
	// Oversubscribed returns the same value at all processes, and does not change.
	Oversubscribed() bool
}

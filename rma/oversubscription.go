package rma

// Oversubscription is a Process that knows whether its world is oversubscribed, that is, whether
// processes share processors. A process that waits for another then also waits for its turn on a
// processor. So it is faster to wait once, for many processes, than several times, for one after
// the other. Its methods return the same at all processes, and always the same.
type Oversubscription interface {
	// Oversubscribed reports whether processes share processors.
	Oversubscribed() bool
	// Processors returns how many processors the processes have together, if all are on one host and
	// share memory; 0 if not, or if nobody knows.
	Processors() int
}

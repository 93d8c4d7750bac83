package rma

// Eager is a Process that knows up to which length it is faster to send a message eagerly, with one
// more copy, than by a rendezvous, in which the receiver pulls it.
type Eager interface {
	// EagerBytes returns that length in bytes, for messages between this process and
	// another one; both return the same. 0: it knows none. It does not change.
	EagerBytes(other int) int
}

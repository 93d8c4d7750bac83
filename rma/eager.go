package rma

// Eager is a Process that knows up to which length it is faster to send a message at once,
// with one copy more, than to let its receiver pull it.
type Eager interface {
	// EagerBytes returns that length in bytes, for messages between this process and
	// another one; both return the same. 0: it knows none. It does not change.
	EagerBytes(other int) int
}

package rma

// Messenger is a Process that passes messages without buffers in between. It is optional: it does
// the work of IPush, Next and Take at less cost, and both may be used together, in any order.
type Messenger interface {
	Process

	// IPushCopy sends a message of head and data, one after the other. Both may be changed when it
	// returns. It reports false, and has done nothing, if the process could not send it at once;
	// use IPush then. There is no operation to wait for, and a Fence need not cover it: if the
	// target can never take the message, a later call that blocks, or looks for arrivals, fails.
	IPushCopy(to int, head, data []byte) (sent bool, err error)

	// IPushWord is IPushCopy with a head of one 8-byte word, the first byte in its lowest bits.
	IPushWord(to int, head uint64, data []byte) (sent bool, err error)

	// NextInPlace is a zero-copy receive: it takes the next arrival, if it is a whole message, and
	// leaves its data where it is. The program may read the data, and not write it, until the next
	// call of a method that waits or looks for something; then its room is given back.
	NextInPlace() (Arrival, []byte, error)

	// FollowingInPlace returns the whole message behind the one that NextInPlace or
	// FollowingInPlace has returned last, from the same sender, and gives the room of that one
	// back. The slice is empty for an empty message. It is nil if there is no such message or the
	// process cannot tell, because the room has already been given back or because other arrivals
	// have come in between. NextInPlace then finds the next one.
	FollowingInPlace() []byte
}

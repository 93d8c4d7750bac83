package rma

// Messenger is a Process that passes messages without buffers in between. It is
// optional: what it offers is IPush, Next and Take at less cost, and both may be used
// together, in any order.
type Messenger interface {
	Process

	// IPushCopy is IPush of head and data, one after the other, both of which may be
	// changed when it returns. It reports false, and has done nothing, if the process
	// could not do that at once; then IPush can. There is no operation to wait for, and a
	// Fence need not cover it: if the target can never take the message, a later call that
	// blocks, or looks for what has come, fails.
	IPushCopy(to int, head, data []byte) (sent bool, err error)

	// IPushWord is IPushCopy with a head of one word, the first byte in its lowest bits.
	IPushWord(to int, head uint64, data []byte) (sent bool, err error)

	// NextInPlace is Next and Take of a whole arrival that stays where it is. The data may be
	// read, and not be written, until the next call of a method that waits or looks for
	// something; then its room is given back.
	NextInPlace() (Arrival, []byte, error)

	// FollowingInPlace lends the whole message behind the one that NextInPlace or FollowingInPlace has lent last,
	// from the same sender. The room of that one is given back. It returns nil, and an
	// empty slice for an empty message, if there is none or it cannot tell: because
	// nothing is lent any more, or other things have come in between. Then NextInPlace finds
	// what is next.
	FollowingInPlace() []byte
}

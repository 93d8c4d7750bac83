// Package reliable makes a channel reliable that may lose packets but does not reorder them:
// go-back-N with cumulative acknowledgements. It numbers packets and says which to send again;
// its user keeps the packets, sends them and waits.
package reliable

import "fmt"

// MaxSequence is the largest sequence number; the next one is 0.
const MaxSequence = 1<<12 - 1

// ahead returns how far a sequence number is ahead of another, going round.
func ahead(sequence, of uint16) int { return int(sequence-of) & MaxSequence }

// Outbox is the sending end of a reliable channel over a network that may lose
// packets but does not reorder them: go-back-N with cumulative acknowledgements.
// It numbers packets and knows which of them may have to be sent again; the caller
// keeps them until then.
//
// An Ack and a Nack both carry the number that the receiver expects next, for Acked.
// After a Nack, or when no Ack has come for a time, all that is outstanding is to be
// sent again, in order and from the oldest. A sender does well to wait a little
// before: a ring that was full is still full at once after.
type Outbox struct {
	window int
	first  uint16 // oldest number outstanding, or the next new one
	n      int    // numbers outstanding
}

// NewOutbox returns an outbox for up to window packets that have not been
// acknowledged, from 1 to MaxSequence/2: with more, old packets could not be told
// from new ones. It panics on others.
func NewOutbox(window int) Outbox {
	if window < 1 || window > MaxSequence/2 {
		panic(fmt.Sprintf("reliable: window of %d packets; expected 1 to %d", window, MaxSequence/2))
	}
	return Outbox{window: window}
}

// Ready reports whether the window has room for a new packet.
func (o *Outbox) Ready() bool { return o.n < o.window }

// Next numbers a new packet. It panics if the outbox is not ready.
func (o *Outbox) Next() (sequence uint16) {
	if !o.Ready() {
		panic("reliable: new packet while the window is full")
	}
	sequence = (o.first + uint16(o.n)) & MaxSequence
	o.n++
	return sequence
}

// Acked says that the receiver expects a number next, so that it has all before.
// It returns how many packets, the oldest, need not be kept any longer. Numbers
// outside the window are stale or wrong and release none.
func (o *Outbox) Acked(sequence uint16) int {
	released := ahead(sequence, o.first)
	if sequence > MaxSequence || released > o.n {
		return 0
	}
	o.first = sequence
	o.n -= released
	return released
}

// Outstanding returns the number of the oldest packet without acknowledgement, and
// how many there are.
func (o *Outbox) Outstanding() (first uint16, n int) { return o.first, o.n }

// Order is where a packet stands in the sequence of its channel.
type Order uint8

const (
	// Expected is the next packet: to be accepted, or to be refused with a Nack.
	Expected Order = iota
	// Duplicate has been taken before: to be dropped and acknowledged again.
	Duplicate
	// Gap: one before it is missing, so it is to be dropped; see Nack.
	Gap
)

// Inbox is the receiving end of a reliable channel; see Outbox. The zero value
// expects the first packet.
type Inbox struct {
	expected uint16
	nacked   bool
}

// Check says where a packet stands. When the expected one has come, a Nack may be
// due again.
func (i *Inbox) Check(sequence uint16) Order {
	switch distance := ahead(sequence, i.expected); {
	case sequence > MaxSequence:
		return Gap
	case distance == 0:
		i.nacked = false
		return Expected
	case distance > MaxSequence/2:
		return Duplicate
	}
	return Gap
}

// Take says that the expected packet has been accepted.
func (i *Inbox) Take() { i.expected = (i.expected + 1) & MaxSequence }

// Nack reports whether to send a Nack now that the expected packet is missing or
// has been refused, and notes that it is sent. One is enough until that packet comes
// again: those that follow it on the way tell nothing new.
func (i *Inbox) Nack() bool {
	due := !i.nacked
	i.nacked = true
	return due
}

// Expected returns the number of the next packet, for Acks and Nacks.
func (i *Inbox) Expected() uint16 { return i.expected }

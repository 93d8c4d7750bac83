package nic

import "math/bits"

// Reduction says how the words of members are combined. The numbers are those of package
// rma.
type Reduction uint8

// Reductions. Words are integers in two's complement; sums wrap round.
const (
	ReduceNothing Reduction = iota // a barrier: words do not count; an atomic operation leaves its word as it is
	ReduceSum
	ReduceMin
	ReduceMax
	ReduceAnd
	ReduceOr
	ReduceXor
	ReduceReplace // of atomic operations: the operand takes the place of the word
	// ReduceConflict is what becomes of words that were to be combined in different ways.
	ReduceConflict
)

// BarrierWord is a word, and what is to become of it.
type BarrierWord struct {
	Reduction Reduction
	Value     int64
}

// BarrierPacket carries the word of one member to a gate of another.
type BarrierPacket struct {
	To   int // member
	Odd  bool
	Gate uint8
	Word BarrierWord
}

// BarrierChannel is the part of one member in barriers and reductions of one word that
// network interfaces do by themselves, as the barrier interface of Tofu does. Members take
// part in one operation after the other.
//
// An operation goes through gates, of which each may send the word so far to another
// member, and then may wait for the word of another. Members exchange by recursive
// doubling. Those beyond the largest power of two give their word to a member below at the
// first gate, and get the result from it at the last one. So one that has the result knows
// that all have begun; and none is more than one operation ahead of another, so that a
// place for each gate in even and in odd operations takes what comes early, even before
// Join.
type BarrierChannel struct {
	member, members int
	doubling        int // gates between the first and the last
	at              int // gate that is waited at
	fresh           bool
	running, ended  bool
	odd             bool // the present operation, or the next one
	word            BarrierWord
	early           [2][mostGates]struct {
		word  BarrierWord
		there bool
	}
}

// mostGates is enough for any number of members.
const mostGates = 64 + 2

// Join says which member this is, and of how many.
func (c *BarrierChannel) Join(member, members int) {
	c.member, c.members = member, members
	c.doubling = bits.Len(uint(members)) - 1
}

// Running reports whether an operation has been started whose result is not there.
func (c *BarrierChannel) Running() bool { return c.running }

// Start begins an operation. The result of the one before has been taken.
func (c *BarrierChannel) Start(w BarrierWord) {
	if w.Reduction == ReduceNothing {
		w.Value = 0
	}
	c.word, c.at = w, 0
	c.running, c.fresh = true, true
}

// Arrive takes a packet.
func (c *BarrierChannel) Arrive(p BarrierPacket) {
	place := &c.early[parity(p.Odd)][p.Gate]
	place.word, place.there = p.Word, true
}

// Ready reports whether Fire can be called: the operation has just been started, or what it
// waits for is there.
func (c *BarrierChannel) Ready() bool {
	return c.running && (c.fresh || c.early[parity(c.odd)][c.at].there)
}

// Fire takes what is there through the gate, and goes on to the next one at which there
// is something to wait for, or to the end. It may send one packet on the way.
func (c *BarrierChannel) Fire() (p BarrierPacket, sends bool) {
	if c.fresh {
		c.fresh = false
	} else {
		c.pass()
	}
	for ; c.at < c.doubling+2; c.at++ {
		if to := c.sendsTo(c.at); to >= 0 {
			p, sends = BarrierPacket{To: to, Odd: c.odd, Gate: uint8(c.at), Word: c.word}, true
		}
		if c.waitsFor(c.at) >= 0 {
			return p, sends
		}
	}
	c.running, c.ended, c.odd = false, true, !c.odd
	return p, sends
}

// pass combines the word that has been waited for.
func (c *BarrierChannel) pass() {
	place := &c.early[parity(c.odd)][c.at]
	place.there = false
	if c.at > c.doubling {
		c.word = place.word
	} else {
		c.word = combined(c.word, place.word)
	}
	c.at++
}

// sendsTo returns the member that gets a word from a gate of this one; -1 if none does.
func (c *BarrierChannel) sendsTo(gate int) int {
	power := 1 << c.doubling
	switch beyond := c.member >= power; {
	case gate == 0 && beyond:
		return c.member - power
	case gate > 0 && gate <= c.doubling && !beyond:
		return c.member ^ 1<<(gate-1)
	case gate == c.doubling+1 && !beyond && c.member+power < c.members:
		return c.member + power
	}
	return -1
}

// waitsFor returns the member whose word a gate waits for; -1 if it does for none.
func (c *BarrierChannel) waitsFor(gate int) int {
	power := 1 << c.doubling
	switch beyond := c.member >= power; {
	case gate == 0 && !beyond && c.member+power < c.members:
		return c.member + power
	case gate > 0 && gate <= c.doubling && !beyond:
		return c.member ^ 1<<(gate-1)
	case gate == c.doubling+1 && beyond:
		return c.member - power
	}
	return -1
}

// Result takes the result, once, if it is there.
func (c *BarrierChannel) Result() (w BarrierWord, ok bool) {
	ok, c.ended = c.ended, false
	return c.word, ok
}

func parity(odd bool) int {
	if odd {
		return 1
	}
	return 0
}

// combined combines two words, whatever their order.
func combined(a, b BarrierWord) BarrierWord {
	if a.Reduction != b.Reduction {
		return BarrierWord{Reduction: ReduceConflict}
	}
	if a.Reduction < ReduceSum || a.Reduction > ReduceXor {
		return BarrierWord{Reduction: a.Reduction}
	}
	a.Value = a.Reduction.apply(a.Value, b.Value)
	return a
}

// apply returns what is made of a word and an operand.
func (r Reduction) apply(word, operand int64) int64 {
	switch r {
	case ReduceSum:
		return word + operand
	case ReduceMin:
		return min(word, operand)
	case ReduceMax:
		return max(word, operand)
	case ReduceAnd:
		return word & operand
	case ReduceOr:
		return word | operand
	case ReduceXor:
		return word ^ operand
	case ReduceReplace:
		return operand
	}
	return word
}

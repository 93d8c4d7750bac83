// Package barrier holds the part of one member in barriers and reductions of one word that
// network interfaces carry out by themselves, as the barrier interface of Tofu does (Ajima et
// al., The Tofu Interconnect, IEEE Micro 2012).
package barrier

import (
	"math/bits"
	"musubi/onesided"
)

// Conflict is what becomes of words that were to be combined in different ways.
const Conflict = onesided.Replace + 1

// Word is a word, and what is to become of it.
type Word struct {
	Reduction onesided.Reduction
	Value     int64
}

// Packet carries the word of one member to a gate of another.
type Packet struct {
	To   int // member
	Odd  bool
	Gate uint8
	Word Word
}

// Channel is the part of one member in barriers and reductions of one word that
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
type Channel struct {
	member, members int
	doubling        int // gates between the first and the last
	at              int // gate that is waited at
	fresh           bool
	running, ended  bool
	odd             bool // the present operation, or the next one
	word            Word
	early           [2][mostGates]struct {
		word  Word
		there bool
	}
}

// mostGates is enough for any number of members.
const mostGates = 64 + 2

// Join says which member this is, and of how many.
func (c *Channel) Join(member, members int) {
	c.member, c.members = member, members
	c.doubling = bits.Len(uint(members)) - 1
}

// Running reports whether an operation has been started whose result is not there.
func (c *Channel) Running() bool { return c.running }

// Start begins an operation. The result of the one before has been taken.
func (c *Channel) Start(w Word) {
	if w.Reduction == onesided.NoOp {
		w.Value = 0
	}
	c.word, c.at = w, 0
	c.running, c.fresh = true, true
}

// Arrive takes a packet.
func (c *Channel) Arrive(p Packet) {
	place := &c.early[parity(p.Odd)][p.Gate]
	place.word, place.there = p.Word, true
}

// Ready reports whether Fire can be called: the operation has just been started, or what it
// waits for is there.
func (c *Channel) Ready() bool {
	return c.running && (c.fresh || c.early[parity(c.odd)][c.at].there)
}

// Fire takes what is there through the gate, and goes on to the next one at which there
// is something to wait for, or to the end. It may send one packet on the way.
func (c *Channel) Fire() (p Packet, sends bool) {
	if c.fresh {
		c.fresh = false
	} else {
		c.pass()
	}
	for ; c.at < c.doubling+2; c.at++ {
		if to := c.sendsTo(c.at); to >= 0 {
			p, sends = Packet{To: to, Odd: c.odd, Gate: uint8(c.at), Word: c.word}, true
		}
		if c.waitsFor(c.at) >= 0 {
			return p, sends
		}
	}
	c.running, c.ended, c.odd = false, true, !c.odd
	return p, sends
}

// pass combines the word that has been waited for.
func (c *Channel) pass() {
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
func (c *Channel) sendsTo(gate int) int {
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
func (c *Channel) waitsFor(gate int) int {
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
func (c *Channel) Result() (w Word, ok bool) {
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
func combined(a, b Word) Word {
	if a.Reduction != b.Reduction {
		return Word{Reduction: Conflict}
	}
	if a.Reduction < onesided.Sum || a.Reduction > onesided.Xor {
		return Word{Reduction: a.Reduction}
	}
	a.Value = a.Reduction.Apply(a.Value, b.Value)
	return a
}

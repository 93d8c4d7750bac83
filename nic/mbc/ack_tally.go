package mbc

import (
	"encoding/binary"
	"fmt"
)

// tallyBytes is the size of an encoded AckTally.
const tallyBytes = 6

// AckTally is what a combined acknowledgement says: how many of those that a multicast goes
// to have answered, and how many of these have refused it. Tallies can be added in any
// order.
type AckTally struct {
	Answered, Refused uint16
	First             uint16 // lowest virtual node that has refused; 0 if none has
}

// TallyOf is the answer of one node.
func TallyOf(node uint16, refused bool) AckTally {
	if refused {
		return AckTally{Answered: 1, Refused: 1, First: node}
	}
	return AckTally{Answered: 1}
}

// Add adds what others have answered.
func (t *AckTally) Add(o AckTally) {
	switch {
	case t.Refused == 0:
		t.First = o.First
	case o.Refused > 0:
		t.First = min(t.First, o.First)
	}
	t.Answered += o.Answered
	t.Refused += o.Refused
}

// Append appends the tally to b as a packet carries it.
func (t AckTally) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, t.Answered)
	b = binary.LittleEndian.AppendUint16(b, t.Refused)
	return binary.LittleEndian.AppendUint16(b, t.First)
}

func (t AckTally) put(b []byte) { t.Append(b[:0]) }

// ParseTally reads a tally that takes all of b.
func ParseTally(b []byte) (AckTally, error) {
	if len(b) != tallyBytes {
		return AckTally{}, fmt.Errorf("mbc: tally of acknowledgements in %d bytes; expected %d", len(b), tallyBytes)
	}
	t := AckTally{binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:]), binary.LittleEndian.Uint16(b[4:])}
	if t.Refused > t.Answered || t.Refused == 0 && t.First != 0 {
		return AckTally{}, fmt.Errorf("mbc: tally of %d acknowledgements, of which %d refuse, first at %d; expected no more that refuse, and a first one only if there is one", t.Answered, t.Refused, t.First)
	}
	return t, nil
}

// AckCombiner is what a switch knows about the acknowledgements of one multicast that it has
// copied: which of its branches have answered, and what. A multicast that is sent again may
// be acknowledged again; the first answer of each branch counts. As what a switch has sent on
// may get lost, it opens the multicast again when all branches have answered.
type AckCombiner struct {
	tally    AckTally
	answered []bool
	missing  int
}

// Open begins a multicast that has been copied to so many branches. It uses the memory of
// the one before.
func (c *AckCombiner) Open(branches int) {
	answered := c.answered[:0]
	for range branches {
		answered = append(answered, false)
	}
	*c = AckCombiner{answered: answered, missing: branches}
}

// Answer takes the acknowledgement of a branch. It reports whether it is the last one that
// was missing; then Tally is to be sent on.
func (c *AckCombiner) Answer(branch int, t AckTally) (last bool) {
	if c.answered[branch] {
		return false
	}
	c.answered[branch] = true
	c.tally.Add(t)
	c.missing--
	return c.missing == 0
}

// Missing returns how many branches have not answered.
func (c *AckCombiner) Missing() int { return c.missing }

// Tally returns what the branches have answered so far.
func (c *AckCombiner) Tally() AckTally { return c.tally }

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

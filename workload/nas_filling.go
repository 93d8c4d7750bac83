package workload

import (
	"encoding/binary"
	"math/rand/v2"
)

// filling is the data of all messages: each is a piece of it, which follows from
// sender, receiver and the number of the message among those between the two. So
// receivers know what they must get, and the data need not be kept apart for
// messages that are under way.
//
// Word i ends in i modulo turns. So pieces that begin at different places differ
// in every word, and as many successive messages as there are turns begin at
// different places: one that is lost, repeated or out of order is found out.
type filling []byte

const (
	turns       = 1 << 12
	fillingWord = 4 // bytes; all messages are whole words
)

// newFilling makes a filling for messages of up to longest bytes. Shorter ones
// are beginnings of longer ones, so that processes need not agree on the length.
func newFilling(longest int) filling {
	rng := rand.New(rand.NewPCG(1, 1))
	words := turns + (longest+fillingWord-1)/fillingWord
	f := make(filling, 0, words*fillingWord)
	for i := range words {
		// Not zero, which fresh memory holds.
		word := rng.Uint32()&^(turns-1) | 1<<31 | uint32(i%turns)
		f = binary.LittleEndian.AppendUint32(f, word)
	}
	return f
}

// of returns a message of up to longest bytes.
func (f filling) of(from, to int, number uint32, bytes int) []byte {
	start := (uint32(from)*509 + uint32(to)*1021 + number) % turns * fillingWord
	return f[start:][:bytes:bytes]
}

// longest returns how many bytes every piece may have.
func (f filling) longest() int { return len(f) - turns*fillingWord }

package nas

import (
	"encoding/binary"
	"math/rand/v2"
)

// filling is the data of all messages: each is a slice of it, which follows from sender, receiver
// and the number of the message between the two. So receivers know the expected data, and no copy
// of messages in flight is needed.
//
// The last byte of each word counts, up to turns. So slices that begin at different places differ
// in every word, and turns successive messages begin at different places: a message that is lost,
// repeated or out of order is detected.
type filling []byte

const (
	turns       = 255
	fillingWord = 4 // bytes; all messages are whole words
)

// newFilling makes a filling for messages of up to longest bytes. One for shorter
// messages is the beginning of one for longer ones, so that processes need not agree
// on the length.
func newFilling(longest int) filling {
	rng := rand.New(rand.NewPCG(1, 1))
	words := turns + (longest+fillingWord-1)/fillingWord
	f := make(filling, 0, words*fillingWord)
	for i := range words {
		count := uint32(1 + i%turns) // not 0, the value of fresh memory
		f = binary.BigEndian.AppendUint32(f, rng.Uint32()&^0xff|count)
	}
	return f
}

// of returns a message of up to longest bytes.
func (f filling) of(from, to int, number uint32, bytes int) []byte {
	return f[f.start(from, to, number):][:bytes]
}

// start returns where a message begins.
func (f filling) start(from, to int, number uint32) int {
	return int((31*uint64(from) + 61*uint64(to) + uint64(number)) % turns * fillingWord)
}

// longest returns the largest size of a slice in bytes.
func (f filling) longest() int { return len(f) - turns*fillingWord }

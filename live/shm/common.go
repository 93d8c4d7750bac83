package shm

import (
	"encoding/binary"
	"sync/atomic"
)

// Two ranks have a cache line in common, of which each writes one half. A short message goes
// there, and its answer too, if nothing else is under way: so the line that a rank writes is
// the one that it has just read, and one transfer between processors brings the message, where
// the lines of two rings need two, and more to make room there.
//
// A half holds one record at a time, behind all that was in the ring before it, which the
// sender knows to have been taken, and before all that is written to the ring after it. The
// receiver takes it at once, so that its answer says that the half is free.
type CommonLine [2]Half

// Half of a line, which one of the two ranks writes.
type Half struct {
	Word atomic.Uint64 // as in the ring; written last
	Body ShortBody
}

// ShortBody has room for the body of a record of one grain.
type ShortBody [grainBytes - WordBytes]byte

// set writes a word, and what comes behind it: most often another one.
func (b *ShortBody) set(head uint64, data []byte) {
	binary.LittleEndian.PutUint64(b[:], head)
	if len(data) == WordBytes {
		*(*[WordBytes]byte)(b[WordBytes:]) = [WordBytes]byte(data)
	} else {
		copy(b[WordBytes:], data)
	}
}

// Half returns that in which one rank writes to another.
func (g *Region) Half(from, to int) *Half {
	line := &g.common[min(from, to)*g.Size()+max(from, to)]
	if from < to {
		return &line[0]
	}
	return &line[1]
}

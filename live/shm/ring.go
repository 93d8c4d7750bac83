package shm

import (
	"musubi/live/wire"
	"sync/atomic"
	"unsafe"
)

// A ring carries records from one sender to one receiver. A record is a word and a
// body, which begins behind it; it takes whole grains, half a cache line each, so that a
// short one goes from one processor to the other at once, and two of a stream of them
// together. From the lowest bit the word has
//
//	what the sender has taken of the ring in the other direction 32 bits, bytes of the
//	body 23, of a record in the common line whether its number is odd 1, kind 7, whether the
//	sender has taken an odd number of records in the common line 1.
//
// The word is written last; a receiver that finds 0 there has taken all there is. So
// the sender clears the words of grains before a receiver can come to them, some grains
// ahead where there is room: a line that it has not yet got does not delay a record then.
// The size of a ring is a power of two. Bodies are contiguous: where one does not fit
// before the end of the ring, a record of kind skip fills the place up. It does so before, too, where
// the receiver keeps up, so that both sides need to map only the beginning of the ring.

const (
	WordBytes  = 8
	LineBytes  = 64
	grainBytes = LineBytes / 2
	aheadBytes = 8 * grainBytes                  // that are cleared behind the last record
	mostBytes  = MostEager + MpiHead + WordBytes // of a record, so that the receiver need not wait long for the first
	bytesShift = 32
	turnShift  = 55
	kindShift  = 56
	oddShift   = 63
)

// RecordWord returns the word of a record. ack is what the sender has taken.
func RecordWord(k wire.Kind, n int, ack Acknowledgement) uint64 {
	return uint64(k)<<kindShift | uint64(n)<<bytesShift | uint64(ack)
}

func WordKind(word uint64) wire.Kind {
	return wire.Kind(word >> kindShift & (1<<(oddShift-kindShift) - 1))
}

func WordBody(word uint64) int { return int(word >> bytesShift & (1<<(turnShift-bytesShift) - 1)) }

// wordTurn is 1 if a record in the common line has an odd number.
func wordTurn(word uint64) uint64 { return word >> turnShift & 1 }

// Acknowledgement is what a word says of the other direction, in the bits where it does.
type Acknowledgement uint64

// AcknowledgementOf says how much of the ring has been taken, and how many records of the
// common line.
func AcknowledgementOf(taken, lines uint64) Acknowledgement {
	return Acknowledgement(lines<<oddShift | taken&(1<<bytesShift-1))
}

func WordAcknowledgement(word uint64) Acknowledgement {
	return Acknowledgement(word & (1<<oddShift | 1<<bytesShift - 1))
}

// ringWords is the memory of a ring, as the words of its grains.
type ringWords struct {
	begin unsafe.Pointer
	mask  uint64 // bytes less 1
}

func ringWordsOf(data []byte) ringWords {
	return ringWords{begin: unsafe.Pointer(unsafe.SliceData(data)), mask: uint64(len(data)) - 1}
}

// At returns the word at a position, which is always one of the ring.
func (g *ringWords) At(position uint64) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Add(g.begin, position&g.mask))
}

// recordBytes returns the room that a record with a body of n bytes takes.
func recordBytes(n int) uint64 {
	return (uint64(n) + WordBytes + grainBytes - 1) &^ (grainBytes - 1)
}

// MpiHead is what package mpi may set before a message, in bytes.
const MpiHead = 64

// MostEager is the longest message for which records have room, in bytes.
const MostEager = 16 << 10

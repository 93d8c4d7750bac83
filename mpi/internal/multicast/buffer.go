// Package multicast keeps the multicast buffers, to which multicasts write. A buffer has slots, which
// all ranks use in turn.
//
// All ranks do the operations that use a buffer in the same order, one after the other, and so
// find the same slot for each piece of data. A slot may be overwritten when all ranks have taken its
// data; package collective sees to that by a barrier before each round of the slots.
package multicast

import (
	"encoding/binary"
	"math"
	"math/bits"

	"musubi/mpi/internal/core"
	"musubi/mpi/internal/outgoing"
	"musubi/rma"
)

const (
	// UsualSlots is how many slots a buffer has for operations of any length.
	DefaultSlots = 16
	longestSlot  = 4 << 10 // a page of machines that have such
	trailerBytes = 5       // of a slot: bytes of the data from this slot on (4), and the round of its use (1)
)

// Buffer is memory of this rank for multicasts, and where the buffers of the others are.
type Buffer struct {
	Own    [1]Place // of this rank
	Places []Place  // of all, by rank

	slots     int
	slotBytes int // a power of two, so that no slot crosses a page
	memory    []byte
	used      int           // slots so far, in all rounds
	isAwaited bool          // somebody waits for the next slot
	to        []rma.Address // of a multicast
}

// Place is where a buffer lies in memory that a rank exposes.
type Place struct {
	Segment           int64
	Offset, SlotBytes int32
}

// NewBuffer returns a buffer with some slots for data of any length. It has no memory yet.
func NewBuffer(slots int) Buffer { return Buffer{slots: slots, slotBytes: longestSlot} }

// BufferFor returns a buffer with some slots for data of a length.
func BufferFor(slots, bytes int) Buffer {
	return Buffer{slots: slots, slotBytes: min(longestSlot, 1<<bits.Len(uint(bytes+trailerBytes-1)))}
}

// IsOpen reports whether the buffer has its memory.
func (b *Buffer) IsOpen() bool { return b.memory != nil }

// Open gives the buffer memory of a pool or, if the pool has no room left, of its own.
func (b *Buffer) Open(pool *Pool, p rma.Process) {
	memory, offset := pool.allocate(b.slots * b.slotBytes)
	segment := pool.segment
	if memory == nil {
		memory = make([]byte, b.slots*b.slotBytes)
		segment = p.Expose(memory)
	}
	b.memory, b.Own[0] = memory, Place{int64(segment), int32(offset), int32(b.slotBytes)}
}

// Close ends the use of the memory. Nothing may be under way there.
func (b *Buffer) Close(pool *Pool, p rma.Process) {
	switch segment := int(b.Own[0].Segment); {
	case b.memory == nil:
	case pool.memory != nil && segment == pool.segment:
		pool.free(b.memory, int(b.Own[0].Offset))
	default:
		_ = p.Withdraw(segment) // it is exposed
	}
	b.memory = nil
}

// Agree makes the slots as long as the shortest of all ranks. They only differ if the ranks have
// prepared an operation with data of different lengths.
func (b *Buffer) Agree() {
	for _, place := range b.Places {
		b.slotBytes = min(b.slotBytes, int(place.SlotBytes))
	}
}

// SlotData is how much data a slot can hold.
func (b *Buffer) SlotData() int { return b.slotBytes - trailerBytes }

// slot returns the number of the next slot, and the round of its use.
func (b *Buffer) slot() (number int, round byte) {
	return b.used % b.slots, byte(1 + b.used/b.slots%255)
}

// end returns where a slot ends in the memory.
func (b *Buffer) end(slot int) int { return (slot + 1) * b.slotBytes }

// BeginsRound reports whether the slot that is some slots on begins a round other than the first.
// Before it is written all ranks must have taken what is in the slots.
func (b *Buffer) BeginsRound(on int) bool {
	use := b.used + on
	return use > 0 && use%b.slots == 0
}

// Await marks the next slot as awaited. It reports whether it was not before.
func (b *Buffer) Await() bool {
	first := !b.isAwaited
	b.isAwaited = true
	return first
}

// HasArrived reports whether the next slot is awaited and has been written.
func (b *Buffer) HasArrived() bool {
	slot, round := b.slot()
	return b.isAwaited && b.memory[b.end(slot)-1] == round
}

// Length returns the length of data as a trailer states it.
func Length(data []byte) uint32 { return uint32(min(len(data), math.MaxUint32)) }

// Send starts to write the beginning of data to the next slot of all other ranks of a communicator.
// The data lies at the end of the slot, right before the trailer, so that the receiver finds the
// trailer without knowing the length.
func (b *Buffer) Send(c *core.Comm, by rma.Multicaster, method rma.MulticastMethod, data []byte) error {
	slot, round := b.Skip()
	out, n := &c.Engine.Out, min(len(data), b.SlotData())
	packed, at := out.Exposed.Get(n+trailerBytes), b.end(slot)-trailerBytes-n
	copy(packed, data[:n])
	binary.LittleEndian.PutUint32(packed[n:], Length(data))
	packed[len(packed)-1] = round
	b.to = b.to[:0]
	for i := 1; i < c.Size(); i++ {
		rank := (c.Rank() + i) % c.Size()
		place := &b.Places[rank]
		b.to = append(b.to, rma.Address{Rank: int(c.Process(rank)), Segment: int(place.Segment), Offset: int(place.Offset) + at})
	}
	op, err := by.MulticastPush(b.to, packed, rma.Multicast{By: method})
	if err != nil {
		out.Exposed.Put(packed)
		return err
	}
	out.InFlight.Add(outgoing.InFlight{Op: op, Buffer: packed, By: rma.DMA})
	return nil
}

// Skip passes over the next slot, and returns its number and round.
func (b *Buffer) Skip() (slot int, round byte) {
	slot, round = b.slot()
	b.used++
	return slot, round
}

// arrived describes the data in a slot.
type arrived struct {
	Left  uint32 // bytes of the data from this slot on; see Length
	Bytes int    // of the data in the slot
	at    int
}

// Take takes the next slot, which has arrived.
func (b *Buffer) Take() arrived {
	slot, _ := b.Skip()
	b.isAwaited = false
	at := b.end(slot) - trailerBytes
	left := binary.LittleEndian.Uint32(b.memory[at:])
	n := min(int(left), b.SlotData())
	return arrived{Left: left, Bytes: n, at: at - n}
}

// Load copies the data of a slot to memory.
func (b *Buffer) Load(p rma.Process, a arrived, into []byte) error {
	return p.Load(int(b.Own[0].Segment), int(b.Own[0].Offset)+a.at, rma.Layout{}, into, rma.Cached)
}

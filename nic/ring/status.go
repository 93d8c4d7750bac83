package ring

import (
	"fmt"
	"math/bits"
)

// Record tells the consumer what has been appended to a receive ring: a packet, or
// a message with all its packets.
type Record struct {
	From  uint16  // sending process
	Ring  int     // AMT entry
	Bytes int     // of data
	Last  bool    // a message is complete with this
	At    [2]Span // the data in the receive area; the second span is empty unless it wraps around

	// Number identifies the record in Release. No two records of a receiver have
	// the same.
	Number uint64
}

// Note is what the user of a receiver keeps with a record, such as what stands for its data where that is not in
// the receive area. It is zero at first.
type Note [3]uint64

// state is what has become of a slot of the status ring.
type state uint8

const (
	vacant state = iota
	unread
	held // taken by the consumer, not released
)

// slot is a place for a record. Consumers may release records in another order than
// they got them in, so the slots of the status ring are linked by arrival and, for
// each receive ring, by place. Large jobs have very many, so one fills a cache line.
type slot struct {
	number       uint64 // of the record; its low bits are those of the slot
	at, bytes    uint32 // of its data, in its receive ring
	extra        uint32 // bytes behind this record that were released before it
	ring         int32
	behind       int32 // next slot in order of arrival, or next vacant one
	older, newer int32 // neighbours in the receive ring
	from         uint16
	last         bool
	state
	note Note
}

// slotChunk is how many slots are made at once. They stay where they are.
const slotChunk = 4

// status is a status ring: the records of all receive rings of a process in order
// of arrival. Most processes never need most of it, so slots are made as they are needed.
type status struct {
	made        int32           // slots that have been occupied
	free        int32           // first vacant slot
	first, last int32           // unread records
	bits        uint8           // of the number of a slot
	room        int             // slots neither occupied nor promised to a packet that has been placed
	few         [slotChunk]slot // the first ones, here so that they are where the status ring is
	chunks      []*[slotChunk]slot
}

// slot returns a slot that has been occupied.
func (s *status) slot(i int32) *slot {
	if uint32(i) < slotChunk {
		return &s.few[uint32(i)]
	}
	return &s.chunks[uint32(i)/slotChunk-1][uint32(i)%slotChunk]
}

func newStatus(records int) status {
	return status{bits: uint8(bits.Len(uint(records - 1))), free: none, room: records, first: none, last: none}
}

// vacate puts a slot on the list of vacant ones and gives it a new number, from
// which the slot can still be told.
func (s *status) vacate(i int32) {
	slot := s.slot(i)
	slot.number += 1 << s.bits
	slot.state = vacant
	slot.behind = s.free
	s.free = i
}

// vacancy takes a slot off the list of vacant ones, or makes one.
func (s *status) vacancy() int32 {
	if i := s.free; i != none {
		s.free = s.slot(i).behind
		return i
	}
	i := s.made
	if s.made++; i >= slotChunk && i%slotChunk == 0 {
		s.chunks = append(s.chunks, new([slotChunk]slot))
	}
	s.slot(i).number = 1<<s.bits | uint64(i)
	return i
}

// append makes a record, with the data of some bytes from a place in its ring on, the last unread one and returns its
// slot, which must have been promised.
func (s *status) append(from uint16, ring int, at, bytes uint32, last bool) int32 {
	i := s.vacancy()
	to := s.slot(i)
	*to = slot{number: to.number, at: at, bytes: bytes, ring: int32(ring), behind: none, from: from, last: last, state: unread}
	if s.last == none {
		s.first = i
	} else {
		s.slot(s.last).behind = i
	}
	s.last = i
	return i
}

// take gives the first unread record to the consumer; nil: there is none.
func (s *status) take() *slot {
	if s.first == none {
		return nil
	}
	slot := s.slot(s.first)
	slot.state = held
	s.first = slot.behind
	if s.first == none {
		s.last = none
	}
	return slot
}

// find returns the slot of a record that the consumer holds.
func (s *status) find(number uint64) (int32, error) {
	i := number & (1<<s.bits - 1)
	if i >= uint64(s.made) {
		return none, notHeld(number)
	}
	if slot := s.slot(int32(i)); slot.state != held || slot.number != number {
		return none, notHeld(number)
	}
	return int32(i), nil
}

func notHeld(number uint64) error {
	return fmt.Errorf("ring: release of record %d, which the consumer does not hold; expected one from Next that has not been released", number)
}

// link makes a slot the newest of a receive ring.
func (s *status) link(g *ring, i int32) {
	slot := s.slot(i)
	slot.older, slot.newer = g.newest, none
	if g.newest == none {
		g.oldest = i
	} else {
		s.slot(g.newest).newer = i
	}
	g.newest = i
}

// release takes a slot off its receive ring. The head advances if the record is the
// oldest there; else the next older one takes over the bytes, so that the slot can
// be used again at once.
func (s *status) release(g *ring, i int32) {
	slot := s.slot(i)
	bytes := slot.bytes + slot.extra
	if slot.older == none {
		g.oldest = slot.newer
		g.release(bytes)
	} else {
		older := s.slot(slot.older)
		older.newer = slot.newer
		older.extra += bytes
	}
	if slot.newer == none {
		g.newest = slot.older
	} else {
		s.slot(slot.newer).older = slot.older
	}
	s.vacate(i)
	s.room++
}

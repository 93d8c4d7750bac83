package ring

import "fmt"

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

// state is what has become of a slot of the status ring.
type state uint8

const (
	vacant state = iota
	unread
	held // taken by the consumer, not released
)

// slot is a place for a record. Consumers may release records in another order than
// they got them in, so the slots of the status ring are linked by arrival and, for
// each receive ring, by place.
type slot struct {
	Record
	state
	behind       int // next slot in order of arrival, or next vacant one
	older, newer int // neighbours in the receive ring
	extra        int // bytes behind this record that were released before it
}

// status is a status ring: the records of all receive rings of a process in order
// of arrival. Most processes never need most of it, so slots are made as they are needed.
type status struct {
	slots       []slot // that have been occupied
	records     int    // slots that there may be
	free        int    // first vacant slot
	room        int    // slots neither occupied nor promised to a packet that has been placed
	first, last int    // unread records
}

func newStatus(records int) status {
	return status{records: records, free: none, room: records, first: none, last: none}
}

// vacate puts a slot on the list of vacant ones and gives it a new number, from
// which the slot can still be told.
func (s *status) vacate(i int) {
	slot := &s.slots[i]
	slot.Number += uint64(s.records)
	slot.state = vacant
	slot.behind = s.free
	s.free = i
}

// vacancy takes a slot off the list of vacant ones, or makes one.
func (s *status) vacancy() int {
	if i := s.free; i != none {
		s.free = s.slots[i].behind
		return i
	}
	i := len(s.slots)
	s.slots = append(s.slots, slot{Record: Record{Number: uint64(i + s.records)}})
	return i
}

// append makes a record the last unread one and returns its slot, which must have
// been promised.
func (s *status) append(rec Record) int {
	i := s.vacancy()
	slot := &s.slots[i]
	rec.Number = slot.Number
	slot.Record, slot.state, slot.behind, slot.extra = rec, unread, none, 0
	if s.last == none {
		s.first = i
	} else {
		s.slots[s.last].behind = i
	}
	s.last = i
	return i
}

// take gives the first unread record to the consumer.
func (s *status) take() (Record, bool) {
	if s.first == none {
		return Record{}, false
	}
	slot := &s.slots[s.first]
	slot.state = held
	s.first = slot.behind
	if s.first == none {
		s.last = none
	}
	return slot.Record, true
}

// find returns the slot of a record that the consumer holds.
func (s *status) find(number uint64) (int, error) {
	i := int(number % uint64(s.records))
	if i >= len(s.slots) || s.slots[i].state != held || s.slots[i].Number != number {
		return none, fmt.Errorf("ring: release of record %d, which the consumer does not hold; expected one from Next that has not been released", number)
	}
	return i, nil
}

// link makes a slot the newest of a receive ring.
func (s *status) link(g *ring, i int) {
	slot := &s.slots[i]
	slot.older, slot.newer = int(g.newest), none
	if g.newest == none {
		g.oldest = int32(i)
	} else {
		s.slots[g.newest].newer = i
	}
	g.newest = int32(i)
}

// release takes a slot off its receive ring. The head advances if the record is the
// oldest there; else the next older one takes over the bytes, so that the slot can
// be used again at once.
func (s *status) release(g *ring, i int) {
	slot := &s.slots[i]
	bytes := slot.Bytes + slot.extra
	if slot.older == none {
		g.oldest = int32(slot.newer)
		g.release(uint32(bytes))
	} else {
		s.slots[slot.older].newer = slot.newer
		s.slots[slot.older].extra += bytes
	}
	if slot.newer == none {
		g.newest = int32(slot.older)
	} else {
		s.slots[slot.newer].older = slot.older
	}
	s.vacate(i)
	s.room++
}

package device

import (
	"musubi/nic"
	"musubi/sim/engine"
	"musubi/units"
)

// intake is what an interface has received of one class. It does one access after the
// other.
type intake struct {
	held   fifo[uint32] // frames on the link, for which the ring has no room
	queue  fifo[uint32] // frames that have been checked
	busy   bool
	answer uint32        // that the first of the queue is to be answered with, 0 if none
	placed nic.Placement // of the data that is being appended to a receive ring
}

// delivered takes a frame off the link.
func (m *memoryBased) delivered(packet uint32) {
	number := frameOf(m.fabric.Delivery(packet).Tag)
	m.frames.list[number].number = packet
	m.came(number)
}

// came takes a frame into the receive ring, or leaves it in the buffer of the link until
// there is room.
func (m *memoryBased) came(number uint32) {
	f := m.frames.list[number]
	s := &m.stations[f.to]
	s.intakes[f.class()].held.push(number)
	m.admit(s)
}

// admit takes frames into the receive ring, as far as there is room.
func (m *memoryBased) admit(s *station) {
	for class := range s.intakes {
		held := &s.intakes[class].held
		for held.len() > 0 {
			number := *held.front()
			f := m.frames.list[number]
			if !s.ring.admits(class, m.ringBytes(f), m.m.SRAM.Receive, m.m.SRAM.Reserve) {
				break
			}
			held.pop()
			s.ring[class] += m.ringBytes(f)
			if f.from != f.to {
				m.fabric.Release(f.number)
			}
			there := s.sram.come(m.q.Now(), m.ringBytes(f))
			m.q.Push(engine.Event{At: there + m.m.NIC.Receive, Kind: evChecked, A: number})
		}
	}
}

// checked puts a frame into the intake of its class.
func (m *memoryBased) checked(number uint32) {
	f := m.frames.list[number]
	s := &m.stations[f.to]
	s.intakes[f.class()].queue.push(number)
	m.work(s, f.class())
}

// work begins the next access of an intake, unless that has to wait for room.
func (m *memoryBased) work(s *station, class int) {
	l := &s.intakes[class]
	if l.busy || l.queue.len() == 0 {
		return
	}
	number := *l.queue.front()
	end, ok := m.access(s, l, m.frames.list[number])
	if !ok {
		return
	}
	l.queue.pop()
	l.busy = true
	m.q.Push(engine.Event{At: end, Kind: evAccessed, A: number})
}

// access does what a frame asks for, and returns when that has been done; false if it has
// to wait for room in a ring.
func (m *memoryBased) access(s *station, l *intake, f *frame) (end units.Time, ok bool) {
	switch f.kind {
	case frameRead:
		if l.answer, ok = m.prepareAnswer(s, f); !ok {
			return 0, false
		}
		return m.overBus(s, f.bytes, false), true
	case frameAppend:
		r := &m.ranks[f.place.Rank]
		h := m.ringHeader(f)
		if l.placed, ok = r.place(&h); !ok {
			return 0, false
		}
		return max(m.overBus(s, f.bytes, true), m.q.Now()+m.m.Ring.Manage), true
	case frameAck:
		return m.overBus(s, flagBytes, true), true
	}
	return m.overBus(s, f.bytes, true), true
}

// ringHeader is the header of a frame as the receive ring needs it.
func (m *memoryBased) ringHeader(f *frame) nic.Header {
	a := &m.accesses[f.op]
	return m.ranks[a.target].ringHeader(a.initiator, f.offset, f.bytes, a.size)
}

// accessed ends the access of a frame.
func (m *memoryBased) accessed(number uint32) {
	f := m.frames.list[number]
	s := &m.stations[f.to]
	l := &s.intakes[f.class()]
	l.busy = false
	switch f.kind {
	case frameWrite:
		m.write(f)
	case frameAppend:
		h := m.ringHeader(f)
		m.ranks[f.place.Rank].store(&h, l.placed, f.data)
	case frameRead:
		m.answer(s, f, l.answer)
	case frameAnswer:
		a := &m.accesses[f.op]
		a.near.Scatter(a.local, f.data, f.offset)
	}
	m.account(s, f)
	s.ring[f.class()] -= m.ringBytes(f)
	m.frames.drop(number)
	m.admit(s)
	m.work(s, f.class())
}

// account notes what has been done of an operation, and tells its initiator when it is
// all.
func (m *memoryBased) account(s *station, f *frame) {
	a := &m.accesses[f.op]
	switch f.kind {
	case frameRead:
		return
	case frameAck:
		m.q.Push(engine.Event{At: m.q.Now() + m.m.NIC.Complete, Kind: evDone, A: f.op})
		return
	}
	a.written += f.bytes
	switch {
	case f.kind != frameAnswer && f.last:
		m.acknowledge(f)
	case f.kind == frameAnswer && a.written == a.size:
		m.q.Push(engine.Event{At: m.overBus(s, flagBytes, true) + m.m.NIC.Complete, Kind: evDone, A: f.op})
	}
}

// write copies the data of a frame to the memory that it is for.
func (m *memoryBased) write(f *frame) {
	r := &m.ranks[f.place.Rank]
	memory, err := r.segment(f.place, f.bytes)
	if err != nil {
		m.failOp(f.op, err)
		return
	}
	copy(memory, f.data)
	r.touched()
}

// answer sends the data that a frame asks for.
func (m *memoryBased) answer(s *station, f *frame, number uint32) {
	a := m.frames.list[number]
	memory, err := m.ranks[f.place.Rank].segment(f.place, f.bytes)
	if err != nil {
		m.failOp(f.op, err)
	}
	a.data = append(a.data, memory...)
	m.launch(s, number)
}

package device

import (
	"slices"

	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// frameSender is the sending part of an interface.
type frameSender struct {
	queue   fifo[uint32] // operations whose requests are to be sent
	reading bool         // data of the first of them is on the bus
	ring    ringUse      // what is in the send ring
	replies fifo[uint32] // frames that wait for room there
}

// requested takes the requests of an operation.
func (m *memoryBased) requested(id uint32) {
	s := m.stationOf(m.accesses[id].initiator)
	s.sender.queue.push(id)
	m.feed(s)
}

// feed fetches the data of the next packet, as soon as there is room for it.
func (m *memoryBased) feed(s *station) {
	for !s.sender.reading && s.sender.queue.len() > 0 {
		id := *s.sender.queue.front()
		if err := m.begin(id); err != nil {
			m.failOp(id, err)
			m.q.Push(engine.Event{At: m.q.Now(), Kind: evDone, A: id})
			s.sender.queue.pop()
			continue
		}
		if !m.fetch(s, id) {
			return
		}
	}
}

// begin looks whether there is a ring for what an operation appends.
func (m *memoryBased) begin(id uint32) error {
	a := &m.accesses[id]
	if a.begun {
		return nil
	}
	a.begun = true
	if a.kind == ipush {
		return m.ranks[a.target].admits(a.initiator, a.size)
	}
	return nil
}

// fetch begins to bring the next packet of an operation to the send ring, unless that has
// no room for it.
func (m *memoryBased) fetch(s *station, id uint32) bool {
	a := &m.accesses[id]
	number, f := m.frames.take()
	m.form(s, id, f)
	if !s.sender.ring.admits(requests, m.ringBytes(f), m.m.SRAM.Send, m.m.SRAM.Reserve) {
		m.frames.drop(number)
		return false
	}
	s.sender.ring[requests] += m.ringBytes(f)
	s.sender.reading = true
	if f.last {
		s.sender.queue.pop()
	}
	a.sent += f.bytes
	m.q.Push(engine.Event{At: m.overBus(s, f.carried(), false), Kind: evRead, A: number})
	return true
}

// form makes the next request of an operation.
func (m *memoryBased) form(s *station, id uint32, f *frame) {
	a := &m.accesses[id]
	_, far, n := a.cut(a.sent, int(m.m.Packet.Payload))
	f.kind = [...]frameKind{push: frameWrite, pull: frameRead, ipush: frameAppend}[a.kind]
	f.from, f.to, f.op = int32(s.end), int32(m.stationOf(a.target).end), id
	f.place = rma.Address{Rank: int(a.target), Segment: a.address.Segment, Offset: a.address.Offset + far}
	f.offset, f.bytes = a.sent, n
	f.last = a.sent+n == a.size
	m.measure(f)
}

// overBus reserves bus and SRAM for data, and returns when it is across.
func (m *memoryBased) overBus(s *station, bytes int, toMemory bool) (end units.Time) {
	if bytes == 0 {
		return m.q.Now()
	}
	if toMemory {
		_, end = s.bus.write(m.q.Now(), bytes, 1)
	} else {
		_, end = s.bus.read(m.q.Now(), bytes, 1)
	}
	return max(end, s.sram.move(m.q.Now(), bytes))
}

// fetched sends a packet whose data is in the send ring.
func (m *memoryBased) fetched(number uint32) {
	f := m.frames.list[number]
	s := &m.stations[f.from]
	s.sender.reading = false
	if f.kind != frameRead {
		a := &m.accesses[f.op]
		f.data = slices.Grow(f.data, f.bytes)[:f.bytes]
		a.near.Gather(f.data, a.local, f.offset)
	}
	m.launch(s, number)
	m.feed(s)
}

// launch hands a frame in the send ring to the link.
func (m *memoryBased) launch(s *station, number uint32) {
	f := m.frames.list[number]
	ready := s.sram.move(m.q.Now(), m.ringBytes(f))
	if f.to == f.from {
		m.q.Push(engine.Event{At: ready, Kind: evLooped, A: number})
		return
	}
	m.fabric.Send(fabric.Packet{
		Src: int(f.from), Dst: int(f.to), Flits: f.flits, Class: f.class(), Tag: uint64(number), Ready: ready, NotifySent: true,
	})
}

// sent gives the room of a frame in the send ring back.
func (m *memoryBased) sent(number uint32) {
	f := m.frames.list[number]
	s := &m.stations[f.from]
	s.sender.ring[f.class()] -= m.ringBytes(f)
	m.sendReplies(s)
	m.feed(s)
	m.work(s, requests)
}

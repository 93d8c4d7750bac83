package device

import (
	"fmt"
	"slices"

	"musubi/nic"
	"musubi/sim/engine"
)

// judged returns the header of what a frame asks for at its target: of a chain, the write.
func (m *memoryBased) judged(f *frame) *nic.MemoryHeader {
	if f.h.Type != nic.MemoryChain {
		return &f.h
	}
	write, _, err := nic.ChainWrite(&f.h, f.data)
	if err != nil {
		panic(err) // the simulated link delivers what was sent
	}
	m.asWrite = write
	return &m.asWrite
}

// payload returns the data that a frame writes.
func (f *frame) payload() []byte {
	if f.h.Type != nic.MemoryChain {
		return f.data
	}
	_, data, err := nic.ChainWrite(&f.h, f.data)
	if err != nil {
		panic(err) // as for judged
	}
	return data
}

// castEnds notes that a part of a multicast has been written to a target or refused there,
// and sees to it that its source learns of it.
func (m *memoryBased) castEnds(s *station, f *frame, refused bool) {
	m.countCast(f)
	switch {
	case f.h.Type == nic.MemoryChain:
		m.pass(s, f, refused)
	case f.h.Flags&nic.Confirm == 0:
	case f.h.Type == nic.MemoryMulticast:
		m.answerCopy(f)
	default: // sent on by the station that has got the copy
		m.acknowledge(f)
	}
}

// countCast enters a part of a multicast into the books. It must be the next one of its
// target: no part is lost, done twice, or done before those that were sent earlier.
func (m *memoryBased) countCast(f *frame) {
	c := &m.casts[f.cast]
	t := &c.targets[f.member]
	n := len(f.payload())
	if t.lost {
		return
	}
	if f.offset != t.written || t.parts > 0 && t.written == c.size {
		m.fail(fmt.Errorf("device: multicast to %v: bytes from %d on come where those from %d on are next of %d", t.at, f.offset, t.written, c.size))
		return
	}
	t.written += n
	t.parts++
	if t.written == c.size {
		m.leaveCast(f.cast, f.op)
	}
}

// leaveCast notes that a target has all of a multicast, or that all of its packets have
// left.
func (m *memoryBased) leaveCast(id, op uint32) {
	c := &m.casts[id]
	if c.left--; c.left > 0 {
		return
	}
	if a := &m.accesses[op]; !c.how.Unconfirmed && a.cast == id {
		a.cast = 0
	}
	c.next, m.unusedCast = m.unusedCast, id
	m.openCasts--
}

// pass sends a chain on from one of its members to the next, or its acknowledgement from the
// last one to the source.
func (m *memoryBased) pass(s *station, f *frame, refused bool) {
	number, p := m.frames.take()
	route := p.h.Route
	p.h = f.h
	p.h.Route = route
	p.data = append(p.data, f.data...)
	rest, more, err := nic.PassChain(&p.h, p.data, refused)
	if err != nil {
		panic(err) // the simulated link delivers what was sent
	}
	if !more {
		m.frames.drop(number)
		return
	}
	p.data = append(p.data[:0], rest...)
	p.from, p.to, p.origin, p.op, p.cast, p.offset = int32(s.end), f.origin, f.origin, f.op, f.cast, f.offset
	if p.isReply() {
		p.h.Route = m.stepsBack(p.h.Route, p.from, p.to)
		m.measure(p)
		m.q.Push(engine.Event{At: m.q.Now() + m.m.NIC.Reply, Kind: evReply, A: number})
		return
	}
	p.member = f.member + 1
	p.place = m.casts[p.cast].targets[p.member].place(p.offset)
	m.sendOn(s, number)
}

// passing marks a frame among what waits for a route.
const passing = 1 << 31

// sendOn sends a chain on when the route to the next of its members is known, or to all if
// it is to be turned. All packets of a multicast go the same way, so that they stay in order.
func (m *memoryBased) sendOn(s *station, number uint32) {
	f := m.frames.list[number]
	next := m.casts[f.cast].groupOf(f.member)
	turns := m.mayTurn(f)
	if !turns {
		next = next[:1]
	}
	for i := range next {
		t := &next[i]
		if t.end != none {
			continue
		}
		route, ok := m.routeTo(s, uint16(t.at.Rank), number|passing)
		if !ok {
			return
		}
		t.end = int32(route.End)
	}
	if turns && !m.casts[f.cast].shareEnd(f.member) {
		m.turn(s, number, next)
		return
	}
	m.sendOnTo(s, number, next[0].end)
}

// found goes on with a chain for which the route to a member has been looked up.
func (m *memoryBased) found(s *station, number uint32, node uint16, end int32) {
	f := m.frames.list[number]
	next := m.casts[f.cast].groupOf(f.member)
	i := slices.IndexFunc(next, func(t castTarget) bool { return t.at.Rank == int(node) })
	if next[i].end == none {
		next[i].end = end
	}
	m.sendOn(s, number)
}

// sendOnTo sends a request on to an end point.
func (m *memoryBased) sendOnTo(s *station, number uint32, to int32) {
	f := m.frames.list[number]
	f.to = to
	f.h.Route = m.steps(f.h.Route[:0], f.from, to)
	m.measure(f)
	m.queueOn(s, number)
}

// queueOn sends a request on. If the send ring has no room, the operating system takes it
// into memory until there is, so that the receive ring does not have to wait for it.
func (m *memoryBased) queueOn(s *station, number uint32) {
	s.sender.forwarded.push(number)
	m.sendForwarded(s)
	if s.sender.forwarded.len() > 0 {
		m.call(s, ownDuties, duty{kind: keepRequest})
	}
}

// castDone fails unless all targets of a multicast that is acknowledged have had all of it.
func (m *memoryBased) castDone(id uint32) {
	a := &m.accesses[id]
	if a.cast == 0 || a.unconfirmed || m.ops[id].err != nil {
		return
	}
	for _, t := range m.casts[a.cast].targets {
		if t.written != a.size || t.parts == 0 {
			m.fail(fmt.Errorf("device: a multicast of rank %d is complete, but %d of %d bytes are at %v", a.initiator, t.written, a.size, t.at))
		}
	}
}

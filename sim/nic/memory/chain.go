package memory

import (
	"fmt"
	"slices"

	"musubi/nic/mbc"
	"musubi/sim/engine"
)

// judged returns the header of what a frame asks for at its target: of a chain, or of what has
// lists, the write.
func (m *memoryBased) judged(f *frame) *mbc.Header {
	if f.h.Type != mbc.Chain && f.h.Type != mbc.Multicast {
		return &f.h
	}
	m.asWrite, _ = f.asWrite()
	return &m.asWrite
}

// payload returns the data that a frame writes.
func (f *frame) payload() []byte {
	_, data := f.asWrite()
	return data
}

// asWrite returns what a frame writes at its target.
func (f *frame) asWrite() (write mbc.Header, data []byte) {
	var err error
	switch f.h.Type {
	case mbc.Chain:
		write, data, err = mbc.ChainWrite(&f.h, f.data)
	case mbc.Multicast:
		write, data, err = mbc.CopyWrite(&f.h, f.data)
	default:
		return f.h, f.data
	}
	if err != nil {
		panic(err) // the simulated link delivers what was sent
	}
	return write, data
}

// castEnds notes that a part of a multicast has been written to a target or refused there,
// and sees to it that its source learns of it.
func (m *memoryBased) castEnds(s *station, f *frame, refused bool) {
	m.countCast(f)
	if f.h.Type == mbc.Multicast {
		m.chainBelow(s, f)
	}
	switch {
	case f.h.Type == mbc.Chain:
		m.pass(s, f, refused)
	case f.h.Flags&mbc.Confirm == 0:
	case f.h.Type == mbc.Multicast:
		m.answerCopy(f, mbc.TallyOf(f.h.ToNode, refused))
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
		m.Fail(fmt.Errorf("device: multicast to %v: bytes from %d on come where those from %d on are next of %d", t.at, f.offset, t.written, c.size))
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
	if a := &m.accesses[op]; !c.how.Unacknowledged && a.cast == id {
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
	by, returns := mbc.ChainReturn(&p.h, p.data)
	rest, more, err := mbc.PassChain(&p.h, p.data, refused)
	if err != nil {
		panic(err) // the simulated link delivers what was sent
	}
	if !more {
		m.frames.drop(number)
		return
	}
	p.data = append(p.data[:0], rest...)
	p.from, p.to, p.origin, p.op, p.cast, p.offset = int32(s.end), f.origin, f.origin, f.op, f.cast, f.offset
	p.below, p.branch, p.answer, p.member = f.below, f.branch, f.answer, f.member
	if p.isReply() {
		if p.cast = 0; returns {
			p.to = int32(by)
		}
		p.h.Route = m.stepsBack(p.h.Route, p.from, p.to)
		m.measure(p)
		m.Clock.Push(engine.Event{At: m.Clock.Now() + m.Machine.NIC.Reply, Kind: evReply, A: number})
		return
	}
	c := &m.casts[p.cast]
	if p.member++; f.below {
		p.member = int(c.targets[f.member].next)
	}
	p.place = c.targets[p.member].place(p.offset)
	m.sendOn(s, number)
}

// passing marks a frame among what waits for a route.
const passing = 1 << 31

// sendOn sends a chain on when the route to the next of its members is known, or to all if
// it is to be turned. All packets of a multicast go the same way, so that they stay in order.
func (m *memoryBased) sendOn(s *station, number uint32) {
	f := m.frames.list[number]
	c := &m.casts[f.cast]
	t := &c.targets[f.member]
	if m.mayTurn(f) {
		if !m.lookUpAll(s, number) || m.turn(s, number) {
			return
		}
		t.hop = t.end
	}
	if t.hop == none {
		route, ok := m.routeTo(s, uint16(t.at.Rank), number|passing)
		if !ok {
			return
		}
		t.hop = int32(route.End)
	}
	m.sendOnTo(s, number, t.hop)
}

// found goes on with a chain for which the route to a member has been looked up.
func (m *memoryBased) found(s *station, number uint32, node uint16, end int32) {
	f := m.frames.list[number]
	c := &m.casts[f.cast]
	if t := &c.targets[f.member]; m.mayTurn(f) {
		left := c.targets[f.member:c.groupOf(f.member).behind]
		i := slices.IndexFunc(left, func(t castTarget) bool { return t.at.Rank == int(node) })
		if left[i].end == none {
			left[i].end = end
		}
	} else if t.hop == none {
		t.hop = end
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
	s.sender.forwarded.Push(number)
	m.sendForwarded(s)
	if s.sender.forwarded.Len() > 0 {
		m.call(s, ownDuties, duty{kind: keepRequest})
	}
}

// castDone fails unless all targets of a multicast that is acknowledged have had all of it.
func (m *memoryBased) castDone(id uint32) {
	a := &m.accesses[id]
	if a.cast == 0 || a.unconfirmed || m.OpErr(id) != nil {
		return
	}
	for _, t := range m.casts[a.cast].targets {
		if t.written != a.size || t.parts == 0 {
			m.Fail(fmt.Errorf("device: a multicast of rank %d is complete, but %d of %d bytes are at %v", a.initiator, t.written, a.size, t.at))
		}
	}
}

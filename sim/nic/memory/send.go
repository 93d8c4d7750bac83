package memory

import (
	"slices"

	"musubi/nic/mbc"
	"musubi/onesided"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/units"
)

// frameSender is the sending part of an interface.
type frameSender struct {
	resumed   host.FIFO[uint32] // operations that have got their route; they go first
	queue     host.FIFO[uint32] // operations whose requests are to be sent
	reading   bool              // data of one of them is on the bus
	ring      ringUse           // what is in the send ring
	replies   host.FIFO[uint32] // frames that wait for room there
	parked    host.FIFO[uint32] // multicasts that wait for acknowledgements
	forwarded host.FIFO[uint32] // and requests for processes that have left
}

// waiting returns where the operation waits that is to be sent next, nil if none does.
func (s *frameSender) waiting() *host.FIFO[uint32] {
	switch {
	case s.resumed.Len() > 0:
		return &s.resumed
	case s.queue.Len() > 0:
		return &s.queue
	}
	return nil
}

// requested takes the requests of an operation.
func (m *memoryBased) requested(id uint32) {
	a := &m.accesses[id]
	if p := &m.processes[a.initiator]; a.moves == p.moves && p.old > 0 {
		p.held.Push(id)
		return
	}
	s := &m.stations[a.station]
	s.sender.queue.Push(id)
	m.feed(s)
}

// feed fetches the data of the next packet, as soon as there is room for it.
func (m *memoryBased) feed(s *station) {
	for !s.sender.reading {
		from := s.sender.waiting()
		if from == nil {
			return
		}
		id := *from.Front()
		if err := m.begin(id); err != nil {
			from.Pop()
			m.abandon(id, err)
			continue
		}
		if m.accesses[id].Action == host.Multicast {
			if !m.castOut(s, id, from) {
				return
			}
			continue
		}
		route, ok := m.routeTo(s, uint16(m.accesses[id].Target), id)
		if !ok {
			from.Pop()
			continue
		}
		if !m.fetch(s, id, route) {
			return
		}
		if m.accesses[id].left {
			from.Pop()
		}
	}
}

// begin looks whether there is a ring for what an operation appends, and how to send a
// multicast.
func (m *memoryBased) begin(id uint32) error {
	a := &m.accesses[id]
	if a.begun {
		return nil
	}
	a.begun = true
	switch a.Action {
	case host.IPush:
		return m.Ranks[a.Target].Admits(a.initiator, a.size)
	case host.Multicast:
		m.beginCast(&m.casts[a.cast])
	}
	return nil
}

// abandon ends an operation of which nothing has been sent.
func (m *memoryBased) abandon(id uint32, err error) {
	m.FailOp(id, err)
	m.accesses[id].left = true
	m.Clock.Push(engine.Event{At: m.Clock.Now(), Kind: evDone, A: id})
}

// fetch begins to bring the next packet of an operation to the send ring, unless that has
// no room for it.
func (m *memoryBased) fetch(s *station, id uint32, route mbc.Route) bool {
	a := &m.accesses[id]
	number, f := m.frames.take()
	f.from, f.to, f.origin, f.op = int32(s.end), int32(route.End), int32(s.end), id
	f.h.Route = append(f.h.Route, route.Steps...)
	m.form(a, f)
	m.measure(f)
	if !s.sender.ring.admits(requests, m.ringBytes(f), m.SRAM.Send, m.SRAM.Reserve) {
		m.frames.drop(number)
		return false
	}
	s.sender.ring[requests] += m.ringBytes(f)
	s.sender.reading = true
	a.sent += a.progress(f)
	a.missing += f.offset + 1
	a.left = a.sent == a.size
	if f.isAwaited() {
		a.awaited++
		s.routes.Issued(f.h.ToNode)
	}
	fetched := m.Clock.Now()
	if a.Action != host.Change { // whose operands come with the request
		fetched = m.overBus(s, f.h.Data(), false)
	}
	m.Clock.Push(engine.Event{At: fetched, Kind: evRead, A: number})
	return true
}

// progress returns how many bytes of the operation a frame has to do with.
func (a *access) progress(f *frame) int {
	if a.Action == host.Change {
		return a.size
	}
	return f.h.Size
}

// atomic returns what an operation of kind change does.
func (a *access) atomic() onesided.Atomic {
	w := &a.Word
	return onesided.Atomic{Compare: w.Swap, Reduction: w.Reduction, Operand: w.Operand, Expected: w.Expected}
}

// form makes the next request of an operation.
func (m *memoryBased) form(a *access, f *frame) {
	near, far, n := a.cut(a.sent, int(m.Machine.Packet.Payload))
	to := &m.processes[a.Target]
	h := &f.h
	h.From, h.FromNode = a.stamp, uint16(a.initiator)
	h.To, h.ToNode = to.id, uint16(a.Target)
	h.To.Access ^= a.mistake
	h.Size = n
	h.ReplyTo = flagPage * mbc.PageSize
	f.place = rma.Address{Rank: int(a.Target), Segment: a.Address.Segment, Offset: a.Address.Offset + far}
	h.At = to.space.address(f.place.Segment, f.place.Offset)
	f.offset = a.sent
	switch a.Action {
	case host.Pull:
		h.Type = mbc.Read
		h.ReplyTo = a.nearAddress(near)
	case host.Change:
		word := a.atomic()
		h.Type = mbc.AtomicType(&word)
		f.data = word.Append(f.data)
		h.Size = len(f.data)
	case host.IPush:
		h.At, f.appends = ringPage*mbc.PageSize, true
		fallthrough
	default:
		h.Type = mbc.Write
	}
	if h.Type == mbc.Write && (a.sent+n == a.size || m.confirmsAll) {
		h.Flags |= mbc.Confirm
	}
}

// overBus reserves bus and SRAM for data, and returns when it is across.
func (m *memoryBased) overBus(s *station, bytes int, toMemory bool) (end units.Time) {
	if bytes == 0 {
		return m.Clock.Now()
	}
	if toMemory {
		_, end = s.bus.Write(m.Clock.Now(), bytes, 1)
	} else {
		_, end = s.bus.Read(m.Clock.Now(), bytes, 1)
	}
	return max(end, s.sram.move(m.Clock.Now(), bytes))
}

// fetched sends a packet whose data is in the send ring.
func (m *memoryBased) fetched(number uint32) {
	f := m.frames.list[number]
	s := &m.stations[f.from]
	s.sender.reading = false
	if n := f.h.Data(); n > len(f.data) {
		a := &m.accesses[f.op]
		f.data = slices.Grow(f.data, n)[:n]
		a.near.Gather(f.data, a.Local, f.offset)
	}
	m.launch(s, number)
	m.feed(s)
}

// launch hands a frame in the send ring to the link.
func (m *memoryBased) launch(s *station, number uint32) {
	f := m.frames.list[number]
	ready := s.sram.move(m.Clock.Now(), m.ringBytes(f))
	switch {
	case f.h.Type == mbc.Multicast:
		m.launchCast(number, ready)
		return
	case f.answersCopy():
		m.launchAnswer(number, ready)
		return
	}
	m.checkLength(f)
	m.goesOut(f)
	if f.to == f.from {
		m.Clock.Push(engine.Event{At: ready, Kind: evLooped, A: number})
		return
	}
	if m.lossy {
		m.sendSafely(s, number, ready)
		return
	}
	m.Fabric.Send(fabric.Packet{
		Src: int(f.from), Dst: int(f.to), Flits: f.flits, Class: f.class(), Back: f.isReply(), Tag: uint64(number), Ready: ready, NotifySent: true,
	})
}

// leaves gives the room of a frame in the send ring back.
func (m *memoryBased) leaves(number uint32) {
	f := m.frames.list[number]
	s := &m.stations[f.from]
	if m.lossy && f.tree != 0 && f.kept { // it may have to be sent again
		m.hasLeft(number, f)
		return
	}
	s.sender.ring[f.class()] -= m.ringBytes(f)
	m.hasLeft(number, f)
	m.goOn(s)
}

// goOn sends what has waited for room in the send ring.
func (m *memoryBased) goOn(s *station) {
	m.sendReplies(s)
	m.sendForwarded(s)
	m.feed(s)
	m.retry(s)
}

// hasLeft gives up what the source need not keep any longer when a frame has left.
func (m *memoryBased) hasLeft(number uint32, f *frame) {
	switch {
	case f.answersCopy():
		m.frames.drop(number)
	case f.last:
		unconfirmed := m.casts[f.cast].how.Unacknowledged
		if m.leaveCast(f.cast, f.op); unconfirmed {
			m.Clock.Push(engine.Event{At: m.Clock.Now(), Kind: evDone, A: f.op})
		}
	}
}

package memory

import (
	"slices"

	"musubi/nic/mbc"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/host"
)

// sender is the sending part of an interface.
type sender struct {
	*station
	resumed   host.FIFO[uint32] // operations that have got their route; they go first
	queue     host.FIFO[uint32] // operations whose requests are to be sent
	reading   bool              // data of one of them is on the bus
	ring      ringUse           // what is in the send ring
	replies   host.FIFO[uint32] // frames that wait for room there
	parked    host.FIFO[uint32] // multicasts that wait for acknowledgements
	forwarded host.FIFO[uint32] // and requests for processes that have left
}

// waiting returns where the operation waits that is to be sent next, nil if none does.
func (s *sender) waiting() *host.FIFO[uint32] {
	switch {
	case s.resumed.Len() > 0:
		return &s.resumed
	case s.queue.Len() > 0:
		return &s.queue
	}
	return nil
}

// feed fetches the data of the next packet, as soon as there is room for it.
func (s *sender) feed() {
	for !s.sender.reading {
		from := s.sender.waiting()
		if from == nil {
			return
		}
		id := *from.Front()
		if err := s.m.operations.begin(id); err != nil {
			from.Pop()
			s.m.operations.abandon(id, err)
			continue
		}
		if s.m.operations.accesses.At(id).Action == host.Multicast {
			if !s.castOut(id, from) {
				return
			}
			continue
		}
		route, ok := s.routing.routeTo(uint16(s.m.operations.accesses.At(id).Target), id)
		if !ok {
			from.Pop()
			continue
		}
		if !s.fetch(id, route) {
			return
		}
		if s.m.operations.accesses.At(id).left {
			from.Pop()
		}
	}
}

// fetch begins to bring the next packet of an operation to the send ring, unless that has
// no room for it.
func (s *sender) fetch(id uint32, route mbc.Route) bool {
	a := s.m.operations.accesses.At(id)
	number, f := s.m.frames.take()
	f.from, f.to, f.origin, f.op = int32(s.end), int32(route.End), int32(s.end), id
	f.h.Route = append(f.h.Route, route.Steps...)
	s.m.former.form(a, f)
	s.m.frames.measure(f)
	if !s.sender.ring.admits(requests, s.m.frames.ringBytes(f), s.m.SRAM.Send, s.m.SRAM.Reserve) {
		s.m.frames.drop(number)
		return false
	}
	s.sender.ring[requests] += s.m.frames.ringBytes(f)
	s.sender.reading = true
	a.sent += a.progress(f)
	a.missing += f.offset + 1
	a.left = a.sent == a.size
	if f.isAwaited() {
		a.awaited++
		s.routing.routes.Issued(f.h.ToNode)
	}
	fetched := s.m.Clock.Now()
	if a.Action != host.Change { // whose operands come with the request
		fetched = s.executor.overBus(f.h.Data(), false)
	}
	s.m.Clock.Push(engine.Event{At: fetched, Kind: evRead, A: number})
	return true
}

// fetched sends a packet whose data is in the send ring.
func (m *memoryBased) fetched(number uint32) {
	f := m.frames.list[number]
	s := &m.stations[f.from]
	s.sender.reading = false
	if n := f.h.Data(); n > len(f.data) {
		a := m.operations.accesses.At(f.op)
		f.data = slices.Grow(f.data, n)[:n]
		a.near.Gather(f.data, a.Local, f.offset)
	}
	s.sender.launch(number)
	s.sender.feed()
}

// launch hands a frame in the send ring to the link.
func (s *sender) launch(number uint32) {
	f := s.m.frames.list[number]
	ready := s.sram.move(s.m.Clock.Now(), s.m.frames.ringBytes(f))
	switch {
	case f.h.Type == mbc.Multicast:
		s.m.copier.launchCast(number, ready)
		return
	case f.answersCopy():
		s.m.copier.launchAnswer(number, ready)
		return
	}
	s.m.frames.checkLength(f)
	s.m.residents.goesOut(f)
	if f.to == f.from {
		s.m.Clock.Push(engine.Event{At: ready, Kind: evLooped, A: number})
		return
	}
	if s.m.lossy {
		s.links.sendSafely(number, ready)
		return
	}
	s.m.Fabric.Send(fabric.Packet{
		Src: int(f.from), Dst: int(f.to), Flits: f.flits, Class: f.class(), Back: f.isReply(), Tag: uint64(number), Ready: ready, NotifySent: true,
	})
}

// leaves gives the room of a frame in the send ring back.
func (m *memoryBased) leaves(number uint32) {
	f := m.frames.list[number]
	s := &m.stations[f.from]
	if m.lossy && f.isOriginal() && f.custody == kept { // it may have to be sent again
		m.hasLeft(number, f)
		return
	}
	s.sender.ring[f.class()] -= m.frames.ringBytes(f)
	m.hasLeft(number, f)
	s.sender.goOn()
}

// goOn sends what has waited for room in the send ring.
func (s *sender) goOn() {
	s.sendReplies()
	s.sendForwarded()
	s.feed()
	s.receiver.retry()
}

// hasLeft gives up what the source need not keep any longer when a frame has left.
func (m *memoryBased) hasLeft(number uint32, f *frame) {
	switch {
	case f.answersCopy():
		m.frames.drop(number)
	case f.final:
		unconfirmed := m.casts.list[f.cast].how.Unacknowledged
		if m.casts.leaveCast(f.cast, f.op); unconfirmed {
			m.Clock.Push(engine.Event{At: m.Clock.Now(), Kind: evDone, A: f.op})
		}
	}
}

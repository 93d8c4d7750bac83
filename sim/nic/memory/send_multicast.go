package memory

import (
	"musubi/nic/mbc"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/host"
)

// formCast makes the next packet of a multicast.
func (s *sender) formCast(id uint32, f *frame) {
	a := s.m.operations.accesses.At(id)
	c := &s.m.casts.list[a.cast]
	g := c.groups[c.group]
	f.from, f.origin, f.op, f.cast = int32(s.end), int32(s.end), id, a.cast
	f.offset, f.member = c.sent, g.first
	f.h.From, f.h.FromNode = a.stamp, uint16(a.initiator)
	f.h.ReplyTo = flagPage * mbc.PageSize
	if !c.how.Unacknowledged {
		f.h.Flags |= mbc.Confirm
	}
	data := a.Local[c.sent:][:s.m.casts.piece(c)]
	if c.how.By == rma.Chain {
		s.m.former.formChain(f, c.targets[g.first:g.behind], data, a.claim)
	} else {
		s.m.former.formCopied(f, c.order[g.first:g.first+g.heads], data, a.claim)
	}
	s.m.frames.measure(f)
}

// castOut sends the next packet of a multicast. It returns false if that has to wait for
// room in the send ring; one that has to wait for a route is taken out of the queue.
func (s *sender) castOut(id uint32, from *host.FIFO[uint32]) bool {
	a := s.m.operations.accesses.At(id)
	c := &s.m.casts.list[a.cast]
	if s.mustWait(a, c) {
		from.Pop()
		s.sender.parked.Push(id)
		return true
	}
	if !s.lookUp(id, c) {
		from.Pop()
		return true
	}
	if c.how.By == rma.Hierarchical && c.sent == 0 {
		s.m.trees.part(int32(s.end), c)
	}
	number, f := s.m.frames.take()
	s.formCast(id, f)
	if !s.sender.ring.admits(requests, s.m.frames.ringBytes(f), s.m.SRAM.Send, s.m.SRAM.Reserve) {
		s.m.frames.drop(number)
		return false
	}
	s.sender.ring[requests] += s.m.frames.ringBytes(f)
	s.sender.reading = true
	if !c.how.Unacknowledged {
		a.awaited++
	}
	if c.group++; c.group == len(c.groups) {
		c.sent += s.m.casts.piece(c)
		c.group = 0
	}
	s.casting.numberCopies(number)
	if a.left = c.group == 0 && c.sent == c.size; a.left {
		f.final = true
		from.Pop()
	}
	s.m.Clock.Push(engine.Event{At: s.executor.overBus(f.h.Data(), false), Kind: evRead, A: number})
	return true
}

// lookUp finds the routes that the next packet needs: to the first of a chain, or to all
// that switches copy it to. Once found, they stay for the whole multicast.
func (s *sender) lookUp(id uint32, c *cast) bool {
	g := c.groups[c.group]
	places := c.order[g.first:g.behind]
	if c.how.By == rma.Chain {
		places = []int32{int32(g.first)}
	}
	for _, i := range places {
		t := &c.targets[i]
		if t.end != none {
			continue
		}
		route, ok := s.routing.routeTo(uint16(t.at.Rank), id)
		if !ok {
			return false
		}
		t.end = int32(route.End)
	}
	return true
}

// mustWait reports whether the next packet of a multicast could overtake one before it: what
// switches copy, where it may have to be sent again; and any, where members of a chain move.
func (s *sender) mustWait(a *access, c *cast) bool {
	if s.m.lossy && c.how.By == rma.Hierarchical && !s.casting.mayCast() {
		return true
	}
	again := s.m.lossy && (c.how.By == rma.Hierarchical || s.m.Remote.Convert)
	return (again || s.m.confirmsAll) && a.awaited > 0
}

// unpark lets multicasts try again that wait for acknowledgements.
func (s *sender) unpark() {
	for range s.sender.parked.Len() {
		s.sender.resumed.Push(s.sender.parked.Pop())
	}
	s.feed()
}

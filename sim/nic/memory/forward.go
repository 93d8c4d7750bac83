package memory

import (
	"slices"
)

// sendOn sends a chain on when the route to the next of its members is known, or to all if
// it is to be converted. All packets of a multicast go the same way, so that they stay in order.
func (s *sender) sendOn(number uint32) {
	f := s.m.frames.list[number]
	c := &s.m.casts.list[f.cast]
	t := &c.targets[f.member]
	if s.m.mayConvert(f) {
		if !s.converter.lookUpAll(number) || s.converter.convert(number) {
			return
		}
		t.hop = t.end
	}
	if t.hop == none {
		route, ok := s.routing.routeTo(uint16(t.at.Rank), number|passing)
		if !ok {
			return
		}
		t.hop = int32(route.End)
	}
	s.sendOnTo(number, t.hop)
}

// found goes on with a chain for which the route to a member has been looked up.
func (s *sender) found(number uint32, node uint16, end int32) {
	f := s.m.frames.list[number]
	c := &s.m.casts.list[f.cast]
	if t := &c.targets[f.member]; s.m.mayConvert(f) {
		left := c.targets[f.member:c.groupOf(f.member).behind]
		i := slices.IndexFunc(left, func(t castTarget) bool { return t.at.Rank == int(node) })
		if left[i].end == none {
			left[i].end = end
		}
	} else if t.hop == none {
		t.hop = end
	}
	s.sendOn(number)
}

// sendOnTo sends a request on to an end point.
func (s *sender) sendOnTo(number uint32, to int32) {
	f := s.m.frames.list[number]
	f.to = to
	f.h.Route = s.m.paths.steps(f.h.Route[:0], f.from, to)
	s.m.frames.measure(f)
	s.queueOn(number)
}

// queueOn sends a request on. If the send ring has no room, the operating system takes it
// into memory until there is, so that the receive ring does not have to wait for it.
func (s *sender) queueOn(number uint32) {
	s.sender.forwarded.Push(number)
	s.sendForwarded()
	if s.sender.forwarded.Len() > 0 {
		s.system.call(ownDuties, duty{kind: keepRequest})
	}
}

// sendForwarded sends requests on, as there is room in the send ring.
func (s *sender) sendForwarded() {
	for s.sender.forwarded.Len() > 0 {
		number := *s.sender.forwarded.Front()
		f := s.m.frames.list[number]
		if !s.sender.ring.admits(requests, s.m.frames.ringBytes(f), s.m.SRAM.Send, s.m.SRAM.Reserve) {
			return
		}
		s.sender.forwarded.Pop()
		s.sender.ring[requests] += s.m.frames.ringBytes(f)
		s.launch(number)
	}
}

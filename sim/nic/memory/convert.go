package memory

import (
	"musubi/nic/mbc"
)

// converter turns chains into what switches copy.
type converter struct {
	*station
}

// lookUpAll finds the routes to all members that are left of a chain. If one is not known,
// the frame waits for it.
func (s *converter) lookUpAll(number uint32) bool {
	f := s.m.frames.list[number]
	c := &s.m.casts.list[f.cast]
	for i := f.member; i < c.groupOf(f.member).behind; i++ {
		t := &c.targets[i]
		if t.end != none {
			continue
		}
		route, ok := s.routing.routeTo(uint16(t.at.Rank), number|passing)
		if !ok {
			return false
		}
		t.end = int32(route.End)
	}
	return true
}

// convert sends a chain on as what switches copy to the members that are left. It returns false
// if one packet does not get to all of them so: it stays a chain.
func (s *converter) convert(number uint32) bool {
	f := s.m.frames.list[number]
	c := &s.m.casts.list[f.cast]
	g := c.groupOf(f.member)
	left := c.order[f.member:g.behind]
	heads, reached := s.m.trees.arrange(f.from, c, left)
	if heads < 2 || reached < len(left) || s.m.lossy && !s.casting.mayCast() {
		return false
	}
	payload, done, err := mbc.HierarchicalForm(&f.h, f.data, uint16(s.end))
	if err != nil {
		panic(err) // it was looked at before
	}
	s.m.converted = mbc.AppendListed(s.m.converted[:0], &f.h, s.m.trees.lists(c, left[:heads]), payload)
	f.data = append(f.data[:0], s.m.converted...)
	f.h.Flags &^= mbc.Refused // that the member here has is in the tally
	f.becomeConverted()
	f.answers = done
	g.heads = heads
	s.m.use.Converted++
	s.m.former.routeAll(f, left[:heads])
	s.m.frames.measure(f)
	s.casting.numberCopies(number)
	s.sender.queueOn(number)
	return true
}

// A chain can be converted on its way: the interface of its first member, when it has stored the
// data, lets switches copy it to all others. Their acknowledgement comes back to that
// interface, which adds its own and sends it on to the source. So a source that only lists
// members has most of what switches can do.

// mayConvert reports whether a chain that is sent on could go on as what switches copy. Where
// links make errors, one that nobody acknowledges stays a chain, which is not lost.
func (m *memoryBased) mayConvert(f *frame) bool {
	if !m.Remote.Convert || m.lossy && f.h.Flags&mbc.Confirm == 0 {
		return false
	}
	done, err := mbc.ChainTally(&f.h, f.data)
	return err == nil && done.Answered == 1 && mbc.CanBeCopied(&f.h, f.data)
}

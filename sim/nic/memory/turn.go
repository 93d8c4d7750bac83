package memory

import (
	"musubi/nic/mbc"
	"musubi/sim/engine"
)

// A chain can be turned on its way: the interface of its first member, when it has stored the
// data, lets switches copy it to all others. Their acknowledgement comes back to that
// interface, which adds its own and sends it on to the source. So a source that only lists
// members has most of what switches can do.

// mayTurn reports whether a chain that is sent on could go on as what switches copy. Where
// links make errors, one that nobody acknowledges stays a chain, which is not lost.
func (m *memoryBased) mayTurn(f *frame) bool {
	if !m.Remote.Convert || m.lossy && f.h.Flags&mbc.Confirm == 0 {
		return false
	}
	done, err := mbc.ChainTally(&f.h, f.data)
	return err == nil && done.Answered == 1 && mbc.CanBeCopied(&f.h, f.data)
}

// lookUpAll finds the routes to all members that are left of a chain. If one is not known,
// the frame waits for it.
func (m *memoryBased) lookUpAll(s *station, number uint32) bool {
	f := m.frames.list[number]
	c := &m.casts[f.cast]
	for i := f.member; i < c.groupOf(f.member).behind; i++ {
		t := &c.targets[i]
		if t.end != none {
			continue
		}
		route, ok := m.routeTo(s, uint16(t.at.Rank), number|passing)
		if !ok {
			return false
		}
		t.end = int32(route.End)
	}
	return true
}

// turn sends a chain on as what switches copy to the members that are left. It returns false
// if one packet does not get to all of them so: it stays a chain.
func (m *memoryBased) turn(s *station, number uint32) bool {
	f := m.frames.list[number]
	c := &m.casts[f.cast]
	g := c.groupOf(f.member)
	left := c.order[f.member:g.behind]
	heads, reached := m.arrange(f.from, c, left)
	if heads < 2 || reached < len(left) || m.lossy && !m.mayCast(s) {
		return false
	}
	payload, done, err := mbc.HierarchicalForm(&f.h, f.data, uint16(s.end))
	if err != nil {
		panic(err) // it was looked at before
	}
	m.converted = mbc.AppendListed(m.converted[:0], &f.h, m.lists(c, left[:heads]), payload)
	f.data = append(f.data[:0], m.converted...)
	f.h.Flags &^= mbc.Refused // that the member here has is in the tally
	f.turned, f.answers = true, done
	g.heads = heads
	m.use.Turned++
	m.routeAll(f, left[:heads])
	m.measure(f)
	m.numberCopies(s, number)
	m.queueOn(s, number)
	return true
}

// answerChain lets the source of a chain that was turned know what all of its members have
// answered.
func (m *memoryBased) answerChain(f *frame) {
	number, answer := m.back(f, mbc.CombinedAck, tallyBytes)
	answer.data = f.answers.Append(answer.data)
	m.Clock.Push(engine.Event{At: m.Clock.Now() + m.Machine.NIC.Reply, Kind: evReply, A: number})
}

package memory

import (
	"fmt"
	"slices"

	"musubi/nic/mbc"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// launchCast hands a packet that switches copy to the fabric. It is kept until all targets
// have acknowledged it, if they do.
func (m *memoryBased) launchCast(number uint32, ready units.Time) {
	f := m.frames.list[number]
	c := &m.casts[f.cast]
	m.checkLength(f)
	m.copyTo = m.copyTo[:0]
	heads := m.headsOf(f)
	for _, head := range heads {
		t := &c.targets[head]
		m.copyTo = append(m.copyTo, fabric.Target{Dst: int(t.end)})
		m.goesTo(uint16(t.at.Rank), t.end)
	}
	c.left++
	f.copies, f.kept, f.to = len(heads), !c.how.Unacknowledged, c.targets[heads[0]].end
	multi := m.Fabric.(fabric.Multicaster)
	packet := m.castPacket(number, f, ready)
	packet.NotifySent = true
	f.tree = multi.Multicast(packet, m.copyTo)
	switch {
	case c.how.Unacknowledged:
		multi.Forget(f.tree)
	case m.lossy:
		m.watchCast(number)
	}
}

// headsOf returns the targets that switches copy a packet to.
func (m *memoryBased) headsOf(f *frame) []int32 {
	c := &m.casts[f.cast]
	return c.order[f.member:][:c.groupOf(f.member).heads]
}

// headAt returns the one of them that is taken to be at an end point.
func (m *memoryBased) headAt(f *frame, end int32) int32 {
	c, heads := &m.casts[f.cast], m.headsOf(f)
	i, _ := slices.BinarySearchFunc(heads, end, func(head, end int32) int { return int(c.targets[head].end - end) })
	return heads[i]
}

// copied makes a frame of a copy that has come to a station.
func (m *memoryBased) copied(number uint32, d *fabric.Delivery) uint32 {
	own, f := m.frames.take()
	master := m.frames.list[number]
	m.copyFrame(f, master)
	f.to, f.branch, f.tree, f.last, f.turned, f.numbered = int32(d.Dst), d.Tree, 0, false, false, false
	f.origin = master.from
	f.member, f.answer = int(m.headAt(master, f.to)), number
	t := &m.casts[f.cast].targets[f.member]
	f.h.ToNode, f.place = uint16(t.at.Rank), t.place(f.offset)
	return own
}

// combines marks the tag of an acknowledgement that switches combine with others. Above the
// frame it has that of the packet which is acknowledged.
const combines = 1 << 63

// tallyBytes is the data of such an acknowledgement.
var tallyBytes = len(mbc.AckTally{}.Append(nil))

// answerCopy acknowledges a copy for its target, and for those that have it from there. Frame
// f is that copy, or the acknowledgement of what it was sent on as.
func (m *memoryBased) answerCopy(f *frame, tally mbc.AckTally) {
	master := m.frames.list[f.answer]
	master.answers.Add(tally)
	c := &m.casts[master.cast]
	t := &c.targets[c.targets[f.member].head]
	t.answered, t.answer = f.offset+1, tally
	m.sendAnswer(f, tally)
}

// sendAnswer sends an acknowledgement that switches combine with those of others.
func (m *memoryBased) sendAnswer(f *frame, tally mbc.AckTally) {
	number, answer := m.back(f, mbc.CombinedAck, tallyBytes)
	answer.data = tally.Append(answer.data)
	answer.to = m.frames.list[f.answer].from
	answer.h.Route = m.stepsBack(answer.h.Route[:0], answer.from, answer.to)
	m.measure(answer)
	m.Clock.Push(engine.Event{At: m.Clock.Now() + m.Machine.NIC.Reply, Kind: evReply, A: number})
}

// launchAnswer hands an acknowledgement of a copy to the fabric.
func (m *memoryBased) launchAnswer(number uint32, ready units.Time) {
	f := m.frames.list[number]
	sent := m.Fabric.(fabric.Multicaster).Combine(f.branch, fabric.Packet{
		Flits: f.flits, Class: replies, Tag: combines | uint64(f.answer)<<32 | uint64(number), Ready: ready, NotifySent: true,
	})
	if !sent { // the source knows already
		m.leaves(number)
	}
}

// combined takes the acknowledgement that stands for all targets of a packet.
func (m *memoryBased) combined(packet uint32, d *fabric.Delivery) {
	master := uint32(d.Tag &^ combines >> 32)
	p := m.frames.list[master]
	if d.Corrupt || p.tree != d.Tree || !p.kept { // or it has come before
		m.Fabric.Release(packet)
		return
	}
	m.Fabric.(fabric.Multicaster).Forget(d.Tree)
	number, f := m.frames.take()
	f.op = p.op
	m.countAnswers(p)
	r := int(m.accesses[f.op].initiator)
	if f.turned = p.turned; f.turned {
		r = m.casts[p.cast].targets[p.member-1].at.Rank // whose interface has turned it
	}
	f.h.Type, f.h.To, f.h.ToNode = mbc.CombinedAck, m.processes[r].id, uint16(r)
	f.h.From, f.h.FromNode, f.h.ReplyTo = p.h.From, p.h.FromNode, p.h.ReplyTo
	f.h.At = flagPage * mbc.PageSize
	f.from, f.to, f.origin, f.answers = int32(d.Dst), int32(d.Dst), p.origin, p.answers
	f.flits, f.packet = d.Flits, packet
	s := &m.stations[p.from]
	if m.lossy {
		s.sender.ring[requests] -= m.ringBytes(p)
	}
	if p.kept = false; p.copies == 0 {
		m.endCast(master, p)
	}
	m.goesOut(f)
	m.came(number)
	m.goOn(s)
}

// countAnswers fails unless all targets of a packet have answered, for which one
// acknowledgement stands.
func (m *memoryBased) countAnswers(p *frame) {
	want := m.casts[p.cast].groupOf(p.member).behind - p.member
	if p.turned {
		want++ // the member whose interface has turned it
	}
	if got := int(p.answers.Answered); got != want {
		m.Fail(fmt.Errorf("device: a multicast to %d is acknowledged when %d have answered", want, got))
	}
}

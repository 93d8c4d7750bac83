package device

import (
	"slices"

	"musubi/nic"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// launchCast hands a packet that switches copy to the fabric. It is kept until all targets
// have acknowledged it, if they do.
func (m *memoryBased) launchCast(number uint32, ready units.Time) {
	f := m.frames.list[number]
	c := &m.casts[f.cast]
	m.copyTo = m.copyTo[:0]
	for _, t := range c.groupOf(f.member) {
		m.copyTo = append(m.copyTo, fabric.Target{Dst: int(t.end)})
		m.goesTo(uint16(t.at.Rank), t.end)
	}
	c.left++
	f.copies, f.kept, f.to = len(m.copyTo), !c.how.Unconfirmed, c.groupOf(f.member)[0].end
	if casting := &m.processes[f.h.FromNode].casting; m.lossy {
		f.h.Sequence = casting.number
		casting.number++
		casting.open.push(number)
	}
	multi := m.fabric.(fabric.Multicaster)
	packet := m.castPacket(number, f, ready)
	packet.NotifySent = true
	f.tree = multi.Multicast(packet, m.copyTo)
	switch {
	case c.how.Unconfirmed:
		multi.Forget(f.tree)
	case m.lossy:
		m.watchCast(number)
	}
}

// groupOf returns the targets of a group from one of them on.
func (c *cast) groupOf(first int) []castTarget {
	i, _ := slices.BinarySearchFunc(c.groups, first+1, func(g [2]int, behind int) int { return g[1] - behind })
	return c.targets[first:c.groups[i][1]]
}

// targetAt returns the target of a packet that switches copy which the source takes to be at
// an end point.
func (m *memoryBased) targetAt(master *frame, end int32) *castTarget {
	return &m.casts[master.cast].targets[m.memberAt(master, end)]
}

func (m *memoryBased) memberAt(master *frame, end int32) int {
	group := m.casts[master.cast].groupOf(master.member)
	if master.turned { // which leaves them in the order of the chain
		return m.casts[master.cast].memberAt(master.member, end)
	}
	i, _ := slices.BinarySearchFunc(group, end, func(t castTarget, end int32) int { return int(t.end - end) })
	return master.member + i
}

// copied makes a frame of a copy that has come to a station.
func (m *memoryBased) copied(number uint32, d *fabric.Delivery) uint32 {
	own, f := m.frames.take()
	master := m.frames.list[number]
	m.copyFrame(f, master)
	f.to, f.branch, f.tree, f.last, f.turned = int32(d.Dst), d.Tree, 0, false, false
	f.origin = master.from
	f.member, f.answer = m.memberAt(master, f.to), number
	t := &m.casts[f.cast].targets[f.member]
	f.h.ToNode, f.place = uint16(t.at.Rank), t.place(f.offset)
	return own
}

// combines marks the tag of an acknowledgement that switches combine with others. Above the
// frame it has that of the packet which is acknowledged.
const combines = 1 << 63

// tallyBytes is the data of such an acknowledgement.
var tallyBytes = len(nic.AckTally{}.Append(nil))

// answerCopy acknowledges a copy, or that it is refused. Switches combine that with what
// other targets say.
func (m *memoryBased) answerCopy(f *frame) {
	number, answer := m.back(f, nic.MemoryCombinedAck, tallyBytes)
	tally := nic.TallyOf(f.h.ToNode, f.h.Flags&nic.Refused != 0)
	answer.data = tally.Append(answer.data)
	if master := m.frames.list[f.answer]; master.turned {
		master.answers.Add(tally)
	}
	m.q.Push(engine.Event{At: m.q.Now() + m.m.NIC.Reply, Kind: evReply, A: number})
}

// launchAnswer hands an acknowledgement of a copy to the fabric.
func (m *memoryBased) launchAnswer(number uint32, ready units.Time) {
	f := m.frames.list[number]
	sent := m.fabric.(fabric.Multicaster).Combine(f.branch, fabric.Packet{
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
		m.fabric.Release(packet)
		return
	}
	m.fabric.(fabric.Multicaster).Forget(d.Tree)
	number, f := m.frames.take()
	f.op = p.op
	r := int(m.accesses[f.op].initiator)
	if f.turned = p.turned; f.turned {
		r = m.turner(p)
	}
	f.h.Type, f.h.To, f.h.ToNode = nic.MemoryCombinedAck, m.processes[r].id, uint16(r)
	f.h.From, f.h.FromNode, f.h.ReplyTo = p.h.From, p.h.FromNode, p.h.ReplyTo
	f.h.At = flagPage * nic.PageSize
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

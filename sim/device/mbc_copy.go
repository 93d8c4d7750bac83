package device

import (
	"slices"

	"musubi/nic"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// launchCast hands a packet that switches copy to the fabric.
func (m *memoryBased) launchCast(number uint32, ready units.Time) {
	f := m.frames.list[number]
	c := &m.casts[f.cast]
	m.copyTo = m.copyTo[:0]
	for _, t := range c.groupOf(f.member) {
		m.copyTo = append(m.copyTo, fabric.Target{Dst: int(t.end)})
		m.goesTo(uint16(t.at.Rank), t.end)
	}
	f.copies = len(m.copyTo)
	multi := m.fabric.(fabric.Multicaster)
	tree := multi.Multicast(fabric.Packet{
		Src: int(f.from), Flits: f.flits, Class: requests, Tag: uint64(number), Ready: ready, NotifySent: true,
	}, m.copyTo)
	if c.how.Unconfirmed {
		multi.Forget(tree)
	}
}

// groupOf returns the targets of the group that one of them begins.
func (c *cast) groupOf(first int) []castTarget {
	i, _ := slices.BinarySearchFunc(c.groups, first, func(g [2]int, at int) int { return g[0] - at })
	return c.targets[c.groups[i][0]:c.groups[i][1]]
}

// copied makes a frame of a copy that has come to a station.
func (m *memoryBased) copied(number uint32, d *fabric.Delivery) uint32 {
	own, f := m.frames.take()
	master := m.frames.list[number]
	route := f.h.Route
	f.h = master.h
	f.h.Route = append(route, master.h.Route...)
	f.data = append(f.data, master.data...)
	f.from, f.to, f.origin, f.op, f.cast = master.from, int32(d.Dst), master.origin, master.op, master.cast
	f.offset, f.flits, f.branch = master.offset, master.flits, d.Tree
	c := &m.casts[f.cast]
	i, _ := slices.BinarySearchFunc(c.groupOf(master.member), f.to, func(t castTarget, end int32) int { return int(t.end - end) })
	f.member = master.member + i
	t := &c.targets[f.member]
	f.h.ToNode, f.place = uint16(t.at.Rank), t.place(f.offset)
	if master.copies--; master.copies == 0 {
		m.frames.drop(number)
	}
	return own
}

// combines marks the tag of an acknowledgement that switches combine with others. Above the
// frame it has the operation.
const combines = 1 << 63

// tallyBytes is the data of such an acknowledgement.
var tallyBytes = len(nic.AckTally{}.Append(nil))

// answerCopy acknowledges a copy, or that it is refused. Switches combine that with what
// other targets say.
func (m *memoryBased) answerCopy(f *frame) {
	number, answer := m.back(f, nic.MemoryCombinedAck, tallyBytes)
	answer.branch = f.branch
	answer.data = nic.TallyOf(f.h.ToNode, f.h.Flags&nic.Refused != 0).Append(answer.data)
	m.q.Push(engine.Event{At: m.q.Now() + m.m.NIC.Reply, Kind: evReply, A: number})
}

// launchAnswer hands an acknowledgement of a copy to the fabric.
func (m *memoryBased) launchAnswer(number uint32, ready units.Time) {
	f := m.frames.list[number]
	sent := m.fabric.(fabric.Multicaster).Combine(f.branch, fabric.Packet{
		Flits: f.flits, Class: replies, Tag: combines | uint64(f.op)<<32 | uint64(number), Ready: ready, NotifySent: true,
	})
	if !sent { // the source knows already
		m.leaves(number)
	}
}

// combined takes the acknowledgement that stands for all of a multicast.
func (m *memoryBased) combined(packet uint32, d *fabric.Delivery) {
	m.fabric.(fabric.Multicaster).Forget(d.Tree)
	number, f := m.frames.take()
	f.op = uint32(d.Tag &^ combines >> 32)
	r := m.accesses[f.op].initiator
	f.h.Type, f.h.To, f.h.ToNode, f.h.FromNode = nic.MemoryCombinedAck, m.processes[r].id, uint16(r), uint16(r)
	f.h.At = flagPage * nic.PageSize
	f.from, f.to, f.origin = int32(d.Dst), int32(d.Dst), int32(d.Dst)
	f.flits, f.packet = d.Flits, packet
	m.goesOut(f)
	m.came(number)
}

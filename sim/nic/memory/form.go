package memory

import (
	"musubi/nic/mbc"
	"musubi/rma"
)

// formCast makes the next packet of a multicast.
func (m *memoryBased) formCast(s *station, id uint32, f *frame) {
	a := &m.accesses[id]
	c := &m.casts[a.cast]
	g := c.groups[c.group]
	f.from, f.origin, f.op, f.cast = int32(s.end), int32(s.end), id, a.cast
	f.offset, f.member = c.sent, g.first
	f.h.From, f.h.FromNode = a.stamp, uint16(a.initiator)
	f.h.ReplyTo = flagPage * mbc.PageSize
	if !c.how.Unacknowledged {
		f.h.Flags |= mbc.Confirm
	}
	data := a.Local[c.sent:][:m.piece(c)]
	if c.how.By == rma.Chain {
		m.formChain(f, c.targets[g.first:g.behind], data, a.mistake)
	} else {
		m.formCopied(f, c.order[g.first:g.first+g.heads], data, a.mistake)
	}
	m.measure(f)
}

// formChain makes a packet for a list of targets.
func (m *memoryBased) formChain(f *frame, members []castTarget, data []byte, mistake uint16) {
	chain := m.membersOf(members, f.offset)
	for i := range chain {
		chain[i].To.Access ^= mistake
	}
	f.to = members[0].end
	f.data = mbc.AppendChain(f.data, &f.h, chain, data)
	f.h.Route = m.steps(f.h.Route, f.from, f.to)
	f.place = members[0].place(f.offset)
}

// formCopied makes a packet that switches copy to heads.
func (m *memoryBased) formCopied(f *frame, heads []int32, data []byte, mistake uint16) {
	c := &m.casts[f.cast]
	t := &c.targets[heads[0]]
	f.h.Type, f.h.To, f.h.ToNode, f.h.At = mbc.Multicast, m.processes[t.at.Rank].id, uint16(f.from), t.address+uint32(f.offset)
	f.h.To.Access ^= mistake
	f.data = mbc.AppendListed(f.data, &f.h, m.lists(c, heads), data)
	m.routeAll(f, heads)
}

// membersOf returns what a list says of targets, for data from an offset on.
func (m *memoryBased) membersOf(targets []castTarget, offset int) []mbc.ChainMember {
	m.chain = m.chain[:0]
	for i := range targets {
		r := targets[i].at.Rank
		m.chain = append(m.chain, mbc.ChainMember{Node: uint16(r), To: m.processes[r].id, At: targets[i].address + uint32(offset)})
	}
	return m.chain
}

// routeAll gives a packet that switches copy a route: an element for each level of its tree.
func (m *memoryBased) routeAll(f *frame, heads []int32) {
	c := &m.casts[f.cast]
	deepest, far := 0, int32(0)
	for i, head := range heads {
		end := c.targets[head].end
		if path, _ := m.Routes.Path(int(f.from), int(end)); i == 0 || len(path) > deepest {
			deepest, far = len(path), end
		}
	}
	f.h.Route = m.routeOver(f.h.Route[:0], f.from, far)
}

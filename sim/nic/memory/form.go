package memory

import (
	"musubi/nic/mbc"
	"musubi/rma"
	"musubi/sim/host"
)

// former makes the packets of multicasts.
type former struct {
	m     *memoryBased
	chain []mbc.ChainMember // of the packet that is being formed
	steps []mbc.Step        // the same
}

// formChain makes a packet for a list of targets.
func (form *former) formChain(f *frame, members []castTarget, data []byte, by claim) {
	chain := form.membersOf(members, f.offset)
	for i := range chain {
		by.name(&chain[i].To)
	}
	f.to = members[0].end
	f.data = mbc.AppendChain(f.data, &f.h, chain, data)
	f.h.Route = form.m.paths.steps(f.h.Route, f.from, f.to)
	f.place = members[0].place(f.offset)
}

// formCopied makes a packet that switches copy to heads.
func (form *former) formCopied(f *frame, heads []int32, data []byte, by claim) {
	c := &form.m.casts.list[f.cast]
	t := &c.targets[heads[0]]
	f.becomeOriginal()
	f.h.Type, f.h.To, f.h.ToNode, f.h.At = mbc.Multicast, form.m.residents.processes[t.at.Rank].id, uint16(f.from), t.address+uint32(f.offset)
	by.name(&f.h.To)
	f.data = mbc.AppendListed(f.data, &f.h, form.m.trees.lists(c, heads), data)
	form.routeAll(f, heads)
}

// membersOf returns what a list says of targets, for data from an offset on.
func (form *former) membersOf(targets []castTarget, offset int) []mbc.ChainMember {
	form.chain = form.chain[:0]
	for i := range targets {
		r := targets[i].at.Rank
		form.chain = append(form.chain, mbc.ChainMember{Node: uint16(r), To: form.m.residents.processes[r].id, At: targets[i].address + uint32(offset)})
	}
	return form.chain
}

// routeAll gives a packet that switches copy a route: an element for each level of its tree.
func (form *former) routeAll(f *frame, heads []int32) {
	c := &form.m.casts.list[f.cast]
	deepest, far := 0, int32(0)
	for i, head := range heads {
		end := c.targets[head].end
		if path, _ := form.m.Routes.Path(int(f.from), int(end)); i == 0 || len(path) > deepest {
			deepest, far = len(path), end
		}
	}
	f.h.Route = form.m.paths.routeOver(f.h.Route[:0], f.from, far)
}

// form makes the next request of an operation.
func (form *former) form(a *access, f *frame) {
	near, far, n := a.cut(a.sent, int(form.m.Machine.Packet.Payload))
	to := &form.m.residents.processes[a.Target]
	h := &f.h
	h.From, h.FromNode = a.stamp, uint16(a.initiator)
	h.To, h.ToNode = to.id, uint16(a.Target)
	a.claim.name(&h.To)
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
		word := atomicOf(a.Word())
		h.Type = mbc.AtomicType(&word)
		f.data = word.Append(f.data)
		h.Size = len(f.data)
	case host.Sequence:
		form.formSequence(a, f)
	case host.Stop:
		h.Type = mbc.Stop
		h.Flags |= mbc.Confirm
	case host.IPush:
		h.At = ringPage * mbc.PageSize
		fallthrough
	default:
		h.Type = mbc.Write
	}
	if h.Type == mbc.Write && (a.sent+n == a.size || form.m.confirmsAll) {
		h.Flags |= mbc.Confirm
	}
}

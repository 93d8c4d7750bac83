package fabric

import "musubi/units"

// several stands for the output of a packet that a switch has to look at when it is
// the first of its lane: a multicast that it copies, or an answer that it combines.
const several = ^uint32(0)

// aimAlong determines the link and the lane that a packet on a tree wants next.
func (f *PacketFabric) aimAlong(p *packet) {
	switch {
	case p.pos < 0:
	case p.whole || !p.back && f.parts(p.branch):
		p.out = several
		return
	case p.back:
		p.branch = f.branches[p.branch].parent
	default:
		p.branch = f.branches[p.branch].child
	}
	f.enter(p)
}

// enter aims a packet at the link of its branch, or against it.
func (f *PacketFabric) enter(p *packet) {
	b := &f.branches[p.branch]
	p.out = b.link
	if p.back {
		p.out ^= 1
		p.whole = b.parent != 0 && f.parts(b.parent)
	} else {
		p.dst = b.dst
	}
	p.outLane = p.out<<f.shift + uint32(p.base+b.vc)
}

// open has the first packet of a lane, one that the switch has to look at, ask for its
// outputs; and if it ends there, those after it.
func (f *PacketFabric) open(at uint32) {
	for {
		id := f.lanes[at].head
		if id == 0 {
			return
		}
		p := &f.packets[id]
		switch {
		case p.out != several:
			f.request(at, p)
			return
		case !p.back:
			f.fork(at, id)
			return
		case f.combine(p):
			f.request(at, p)
			return
		}
		f.absorb(at, id)
	}
}

// fork makes the copies of a multicast, which take no room of their own.
func (f *PacketFabric) fork(at, id uint32) {
	b := &f.branches[f.packets[id].branch]
	b.told = false
	t := &f.trees[b.tree]
	first, last := uint32(0), uint32(0)
	for child := b.child; child != 0; child = f.branches[child].sibling {
		c := f.number()
		t.packets++
		copied := &f.packets[c]
		*copied = f.packets[id]
		copied.branch, copied.next = child, 0
		f.enter(copied)
		f.request(at, copied)
		if first == 0 {
			first = c
		} else {
			f.packets[last].next = c
		}
		last = c
	}
	f.packets[id].outLane = first
}

// serve arbitrates the outputs that the first packet of a lane wants.
func (f *PacketFabric) serve(id uint32) {
	for c := f.packets[id].outLane; f.packets[id].out == several && c != 0; {
		next := f.packets[c].next
		f.arbitrate(f.packets[c].out)
		c = next
	}
	if out := f.packets[id].out; out != several { // any more
		f.arbitrate(out)
	}
}

// offerCopies grants a link to the first of some copies that can have it.
func (f *PacketFabric) offerCopies(out, in, vc, first uint32, full *uint64) bool {
	for c := first; c != 0; c = f.packets[c].next {
		if f.packets[c].out == out && f.offerTo(out, in, vc, c, full) {
			return true
		}
	}
	return false
}

// take takes a copy that starts from those that wait at the head of a lane. The last
// one that is left takes the place of the packet itself.
func (f *PacketFabric) take(at uint32, l, port *link, id uint32) {
	head := f.lanes[at].head
	port.readAt, port.readOf = f.q.Now(), head
	p := &f.packets[head]
	before := &p.outLane
	for *before != id {
		before = &f.packets[*before].next
	}
	*before = f.packets[id].next
	if !f.wantsStill(p.outLane, f.packets[id].out) {
		bit := uint32(port.input)<<f.shift + at&(1<<f.shift-1)
		f.masks[uint32(l.mask)+bit/64] &^= 1 << (bit % 64)
	}
	if left := p.outLane; f.packets[left].next == 0 {
		next := p.next
		*p = f.packets[left]
		p.next = next
		f.forget(left)
		f.trees[f.branches[p.branch].tree].packets--
	}
}

// wantsStill tells whether one of some copies wants a link.
func (f *PacketFabric) wantsStill(first, out uint32) bool {
	for c := first; c != 0; c = f.packets[c].next {
		if f.packets[c].out == out {
			return true
		}
	}
	return false
}

// reads tells whether a packet began to be read out of the buffers of a link at this
// time, so that further copies of it can start as well.
func (l *link) reads(id uint32, now units.Time) bool { return l.readAt == now && l.readOf == id }

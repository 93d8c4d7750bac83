package packet

// several stands for the output of a packet that a switch must inspect when it is the first of its
// lane: a multicast that it copies, an answer that it combines, or a packet that chooses.
const several = ^uint32(0)

// arriveOther appends a packet that does not follow its path forwards to its lane.
func (f *Fabric) arriveOther(id uint32) {
	p := &f.packets[id]
	f.aimOther(p)
	at := p.lane
	if !f.append(p, id) {
		return
	}
	f.inspect(at)
	if head := f.lanes[at].head; head != 0 {
		f.serve(head)
	}
}

// aimOther determines the next link and lane of a packet that does not follow its path forwards.
func (f *Fabric) aimOther(p *packet) {
	switch {
	case p.way == back:
		f.aimBack(p)
	case p.way == roaming && p.pos < 0:
		f.aim(p)
	case p.way == roaming:
		p.state = p.onward
		p.out = several
	case p.pos < 0:
		f.enter(p)
	case p.whole || p.way == down && f.parts(p.branch):
		p.out = several
	case p.way == down:
		p.branch = f.branches[p.branch].child
		f.enter(p)
	default:
		p.branch = f.branches[p.branch].parent
		f.enter(p)
	}
}

// aimBack determines the next link and lane of a packet that follows its path backwards.
func (f *Fabric) aimBack(p *packet) {
	left := len(p.path) - 1 - int(p.pos)
	if p.pos < 0 || left < 0 {
		f.aim(p)
		return
	}
	hop := p.path[left]
	p.out = uint32(hop.Channel()) ^ 1
	p.outLane = f.laneOf(p.out, uint32(p.base)+uint32(hop.VC()))
}

// enter aims a packet on a tree at the link of its branch, or against it.
func (f *Fabric) enter(p *packet) {
	b := &f.branches[p.branch]
	p.out = b.link
	if p.way == up {
		p.out ^= 1
		p.whole = b.parent != 0 && f.parts(b.parent)
	} else {
		p.dst = b.dst
	}
	p.outLane = f.laneOf(p.out, uint32(p.base+b.vc))
}

// inspect lets the first packet of a lane, which the switch must inspect, request its outputs; if
// the packet ends here, it goes on with the packets behind it.
func (f *Fabric) inspect(at uint32) {
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
		case p.way == roaming:
			f.choose(p)
			f.request(at, p)
			return
		case p.way == down:
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
func (f *Fabric) fork(at, id uint32) {
	b := &f.branches[f.packets[id].branch]
	b.told = false
	t := &f.trees[b.tree]
	first, last := uint32(0), uint32(0)
	for child := b.child; child != 0; child = f.branches[child].sibling {
		c, copied := f.number()
		t.packets++
		room := copied.path
		*copied = f.packets[id]
		copied.branch, copied.next, copied.path = child, 0, room[:0]
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
func (f *Fabric) serve(id uint32) {
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
func (f *Fabric) offerCopies(out, at, first uint32, full *uint64) bool {
	for c := first; c != 0; c = f.packets[c].next {
		if f.packets[c].out != out {
			continue
		}
		wanted := uint64(1) << (f.vcOf(f.packets[c].outLane) % 64)
		if *full&wanted == 0 && f.grant(&f.links[out], out, at, c, &f.packets[c]) {
			return true
		}
		*full |= wanted
	}
	return false
}

// take removes a copy that starts from the copies that wait at the head of a lane. The last copy
// takes the place of the packet itself.
func (f *Fabric) take(at uint32, port *port, id uint32) {
	head := f.lanes[at].head
	port.copied = true
	f.readings[f.linkOf(at)] = reading{f.q.Now(), head}
	p := &f.packets[head]
	before := &p.outLane
	for *before != id {
		before = &f.packets[*before].next
	}
	*before = f.packets[id].next
	if out := f.packets[id].out; !f.wantsStill(p.outLane, out) {
		f.unwant(&f.links[out], port.bit+f.vcOf(at))
	}
	if left := p.outLane; f.packets[left].next == 0 {
		next := p.next
		*p = f.packets[left]
		p.next = next
		f.retire(left)
		f.trees[f.branches[p.branch].tree].packets--
	}
}

// wantsStill tells whether one of some copies wants a link.
func (f *Fabric) wantsStill(first, out uint32) bool {
	for c := first; c != 0; c = f.packets[c].next {
		if f.packets[c].out == out {
			return true
		}
	}
	return false
}

// feeds tells whether the first packet of a lane began to be read at this time, so that
// further copies of it can start as well.
func (f *Fabric) feeds(in, at uint32) bool {
	return f.ports[in].copied && f.readings[in] == reading{f.q.Now(), f.lanes[at].head}
}

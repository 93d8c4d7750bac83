package flit

import "slices"

// route begins to route the first packet of a lane, in the given cycle or, if
// that is over, at its beginning.
func (f *Fabric) route(a *lane, cycle int64) {
	p := &f.packets[a.packets.front()]
	a.state, a.fresh, a.left = laneRouting, true, p.flits
	switch {
	case p.spoilt:
		f.sink(a)
		return
	case f.choice.scheme != nil:
		f.choose(a, p)
	default:
		a.out, a.wants = f.aim(p)
		a.again = false
	}
	if f.fails(a.out) {
		f.sink(a)
		return
	}
	cycle += int64(f.router.RoutingDelay)
	if cycle == f.done {
		f.await(a)
		return
	}
	f.wheel.addStage(cycle, a.link*f.vcs+uint32(a.vc))
}

// aim returns the link that a packet takes next and the virtual channels that it
// may use there.
func (f *Fabric) aim(p *packet) (link uint32, vcs uint64) {
	hop := int(p.hop)
	p.hop++
	if hop < len(p.path) {
		h := p.path[hop]
		return f.channelLink[h.Channel()], f.lanesOf(p, uint8(h.VC()))
	}
	return f.ejection[p.dst], f.hostLanesOf(p, p.outVC)
}

// lanesOf returns the physical virtual channels that a packet may take behind one
// of its class.
func (f *Fabric) lanesOf(p *packet, vc uint8) uint64 {
	n := uint32(f.router.Lanes)
	first := uint32(p.base+vc) * n
	if f.router.InOrder {
		return 1 << (first + uint32(p.src+p.dst)%n)
	}
	return lowBits(n) << first
}

// hostLanesOf returns the physical virtual channels that a packet may take on the link of an end
// point.
func (f *Fabric) hostLanesOf(p *packet, vc uint8) uint64 {
	if !f.router.AnyHostVC || f.router.InOrder {
		return f.lanesOf(p, vc)
	}
	n := uint32(f.router.Lanes)
	return lowBits(uint32(f.cfg.VCs)*n) << (uint32(p.base) * n)
}

// finishStage moves a header on that has been routed, or whose virtual channel
// has been allocated.
func (f *Fabric) finishStage(lane uint32) {
	a := &f.lanes[lane]
	if a.state == laneRouting {
		f.await(a)
		return
	}
	a.state = laneActive
	f.bidIfReady(a)
}

// await puts a header among those that want a virtual channel of its link.
func (f *Fabric) await(a *lane) {
	a.state = laneWaiting
	l := &f.links[a.out]
	if a.again {
		f.choice.wait(a)
	}
	l.wait = append(l.wait, a.link*f.vcs+uint32(a.vc))
	f.hot.add(a.out)
}

// vcGrants is the state of the allocator of virtual channels.
type vcGrants struct {
	grant  [64]int32 // per virtual channel: position in wait of the header to which it is offered
	accept []uint8   // per position in wait: virtual channel that it takes
}

// allocateVCs deals with all links where headers wait and something has changed.
func (f *Fabric) allocateVCs() {
	if len(f.choice.waiting) > 0 {
		f.chooseAgain()
	}
	if f.hot.size == 0 {
		return
	}
	for w, word := range f.hot.words {
		for ; word != 0; word &= word - 1 {
			link := uint32(w*64) + lowest(word)
			if f.router.VCAllocDelay == 0 {
				f.hot.remove(link)
				f.offer(link)
			} else if !f.allocate(link) {
				f.hot.remove(link)
			}
		}
	}
}

// startable returns which of the virtual channels that a header wants are free
// and can take its packet. With wormhole switching one can be allocated before
// there is room in it.
func (f *Fabric) startable(a *lane, l *link) uint64 {
	vcs := a.wants & l.free
	if !f.cutThrough && f.router.VCAllocDelay > 0 {
		return vcs
	}
	return f.roomy(vcs, a.out, f.packets[a.packets.front()].flits)
}

// roomy returns those of some free virtual channels that a packet can be sent
// into.
func (f *Fabric) roomy(vcs uint64, link uint32, flits int32) uint64 {
	for rest := vcs; rest != 0; rest &= rest - 1 {
		if vc := lowest(rest); !f.mayStart(&f.lanes[link*f.vcs+vc], flits) {
			vcs &^= 1 << vc
		}
	}
	return vcs
}

// allocate matches the free virtual channels of a link with the headers that
// want them, by one iteration of iSLIP (McKeown: The iSLIP Scheduling Algorithm
// for Input-Queued Switches, 1999): each channel is offered to one header, in
// turn, and each header takes one of its offers, in turn. It returns false if
// there is nothing to match.
func (f *Fabric) allocate(link uint32) bool {
	l := &f.links[link]
	if l.free == 0 || len(l.wait) == 0 {
		return false
	}
	g := &f.grants
	g.reset(len(l.wait))
	offered := f.offerInTurn(l, link)
	for rest := offered; rest != 0; rest &= rest - 1 {
		vc := uint8(lowest(rest))
		w := g.grant[vc]
		a := &f.lanes[l.wait[w]]
		if best := g.accept[w]; best == noVC || f.acceptDistance(l, a, vc) < f.acceptDistance(l, a, best) {
			g.accept[w] = vc
		}
	}
	for w := len(l.wait) - 1; w >= 0; w-- {
		if vc := g.accept[w]; vc != noVC {
			f.giveVC(l, link, w, vc)
		}
	}
	return offered != 0
}

func (g *vcGrants) reset(waiting int) {
	g.accept = g.accept[:0]
	for range waiting {
		g.accept = append(g.accept, noVC)
	}
}

// offerInTurn determines to which waiting header each free virtual channel is
// offered, and returns those that are offered to any.
func (f *Fabric) offerInTurn(l *link, link uint32) uint64 {
	sw := &f.switches[l.from]
	n := sw.ports * int32(f.vcs)
	offered := uint64(0)
	best := [64]int32{}
	for w, lane := range l.wait {
		requester := int32(lane - sw.first*f.vcs)
		for rest := f.startable(&f.lanes[lane], l); rest != 0; rest &= rest - 1 {
			vc := lowest(rest)
			d := distance(requester, f.lanes[link*f.vcs+vc].grantTurn, n)
			if offered>>vc&1 == 0 || d < best[vc] {
				offered |= 1 << vc
				best[vc] = d
				f.grants.grant[vc] = int32(w)
			}
		}
	}
	return offered
}

// acceptDistance returns how far a virtual channel of a link is from being
// preferred by a lane.
func (f *Fabric) acceptDistance(l *link, a *lane, vc uint8) int32 {
	return distance(l.outPort*int32(f.vcs)+int32(vc), a.acceptTurn, f.switches[l.from].ports*int32(f.vcs))
}

// giveVC gives a virtual channel to the w-th header that waits for a link.
func (f *Fabric) giveVC(l *link, link uint32, w int, vc uint8) {
	lane := l.wait[w]
	n := f.switches[l.from].ports * int32(f.vcs)
	a, b := &f.lanes[lane], &f.lanes[link*f.vcs+uint32(vc)]
	b.grantTurn = after(int32(lane-f.switches[l.from].first*f.vcs), n)
	a.acceptTurn = after(l.outPort*int32(f.vcs)+int32(vc), n)
	f.take(lane, link, vc)
	l.stopWaiting(w)
	a.state = laneGranted
	f.wheel.addStage(f.done+int64(f.router.VCAllocDelay), lane)
}

// take makes a lane the owner of a virtual channel of its output link.
func (f *Fabric) take(lane, link uint32, vc uint8) {
	f.lanes[lane].outLane = link*f.vcs + uint32(vc)
	f.lanes[link*f.vcs+uint32(vc)].owner = lane
	f.links[link].free &^= 1 << vc
}

// stopWaiting removes the w-th waiting header.
func (l *link) stopWaiting(w int) { l.wait = slices.Delete(l.wait, w, w+1) }

// offer lets headers bid for the crossbar that could get a virtual channel of the link with it. A
// header that lacks room keeps later ones from its virtual channels; otherwise short packets would
// take the room from a long one for ever.
func (f *Fabric) offer(link uint32) {
	l := &f.links[link]
	full := uint64(0)
	for _, lane := range l.wait {
		a := &f.lanes[lane]
		if f.startable(a, l)&^full != 0 {
			f.bid(a)
		} else {
			f.withdraw(a)
			full |= a.wants
		}
	}
}

// takeAtCrossbar gives a header that has been granted the crossbar the next free
// virtual channel of its link.
func (f *Fabric) takeAtCrossbar(lane uint32) {
	a := &f.lanes[lane]
	l := &f.links[a.out]
	vc := nextBit(f.startable(a, l), l.vcTurn)
	l.vcTurn = vc + 1
	for w := range l.wait {
		if l.wait[w] == lane {
			l.stopWaiting(w)
			break
		}
	}
	f.take(lane, a.out, vc)
	a.state = laneActive
	f.hot.add(a.out)
}

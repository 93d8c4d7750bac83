package fabric

import (
	"slices"

	"musubi/routing/adaptive"
)

// flitChoice is what the flit engine has for packets that choose.
type flitChoice struct {
	scheme  adaptive.Scheme  // nil: they do not
	entrant adaptive.Entrant // nil: they enter by each virtual channel in turn
	at      []int32          // switch of each end point
	waiting []uint32         // lanes whose first packet may choose again
	view    flitView
}

func (c *flitChoice) prepare(f *FlitFabric) {
	c.scheme, c.view.f = f.cfg.Choice, f
	c.entrant, _ = c.scheme.(adaptive.Entrant)
	for _, e := range f.cfg.Net.EndPoints {
		c.at = append(c.at, int32(e.At.Switch))
	}
}

// choose has the first packet of a lane choose where it goes. The packet keeps the state that it came
// in until it leaves, so it can choose again.
func (f *FlitFabric) choose(a *flitLane, p *flitPacket) {
	p.state = p.onward
	p.hop++
	f.decide(a, p)
}

// decide sets the link and the virtual channels that a packet wants.
func (f *FlitFabric) decide(a *flitLane, p *flitPacket) {
	c := &f.choice
	sw, to := f.links[a.link].to, c.at[p.dst]
	if sw == to {
		a.again = false
		a.out, a.wants = f.ejection[p.dst], f.arrivalLanes(p, c.scheme.Arrival(p.state))
		return
	}
	c.view.base, c.view.flits = p.base, p.flits
	m := c.scheme.Choose(&c.view, adaptive.Packet{Src: int(p.src), Dst: int(p.dst), To: int(to), State: p.state}, int(sw))
	p.onward, a.again = m.State, m.Again
	a.out, a.wants = f.channelLink[m.Channel], f.lanesOf(p, m.VC)
}

// arrivalLanes returns the physical virtual channels of a packet on the link to its end point, any of
// its class if vc is negative.
func (f *FlitFabric) arrivalLanes(p *flitPacket, vc int) uint64 {
	if vc >= 0 {
		return f.lanesOf(p, uint8(vc))
	}
	return f.classLanes(p)
}

// classLanes returns all physical virtual channels of the class of a packet.
func (f *FlitFabric) classLanes(p *flitPacket) uint64 {
	n := uint32(f.router.Lanes)
	return lowBits(uint32(f.cfg.VCs)*n) << (uint32(p.base) * n)
}

// entry returns the first physical virtual channel that a packet looks at on the link from its end point.
func (f *FlitFabric) entry(p *flitPacket, last uint8) uint8 {
	if f.choice.entrant == nil {
		return last + 1
	}
	return uint8((int(p.base) + f.choice.entrant.Entry()) * f.router.Lanes)
}

// wait notes that the first packet of a lane chooses again as long as it waits.
func (c *flitChoice) wait(a *flitLane) {
	if !a.listed {
		a.listed = true
		c.waiting = append(c.waiting, a.link*c.view.f.vcs+uint32(a.vc))
	}
}

// chooseAgain lets packets choose again that have not been given a virtual channel.
func (f *FlitFabric) chooseAgain() {
	c := &f.choice
	kept := c.waiting[:0]
	for _, lane := range c.waiting {
		a := &f.lanes[lane]
		if a.listed = a.state == laneWaiting && a.again; !a.listed {
			continue
		}
		p, out, wants := &f.packets[a.packets.front()], a.out, a.wants
		f.decide(a, p)
		if a.out != out || a.wants != wants {
			l := &f.links[out]
			l.stopWaiting(slices.Index(l.wait, lane))
			f.withdraw(a)
			f.links[a.out].wait = append(f.links[a.out].wait, lane)
			f.hot.add(a.out)
		}
		kept = append(kept, lane)
	}
	c.waiting = kept
}

// flitView is what a packet sees at a switch.
type flitView struct {
	f     *FlitFabric
	base  uint8
	flits int32
}

var _ adaptive.View = (*flitView)(nil)

// lanes returns the first physical virtual channel of one of the class, and how many there are.
func (v *flitView) lanes(channel, vc int) (first uint32, n int) {
	n = v.f.router.Lanes
	return v.f.channelLink[channel]*v.f.vcs + (uint32(v.base)+uint32(vc))*uint32(n), n
}

func (v *flitView) Queue(channel int) int {
	sum := 0
	for vc := range v.f.cfg.VCs {
		sum += v.Lane(channel, vc)
	}
	return sum
}

func (v *flitView) Lane(channel, vc int) int {
	first, n := v.lanes(channel, vc)
	sum := 0
	for i := range uint32(n) {
		sum += int(v.f.cap - v.f.lanes[first+i].credits)
	}
	return sum
}

func (v *flitView) Free(channel, vc int) bool {
	first, n := v.lanes(channel, vc)
	link := &v.f.links[v.f.channelLink[channel]]
	for i := range uint32(n) {
		b := &v.f.lanes[first+i]
		if link.free>>b.vc&1 == 1 && v.f.mayStart(b, v.flits) {
			return true
		}
	}
	return false
}

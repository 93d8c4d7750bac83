package flit

import (
	"slices"

	"musubi/routing/adaptive"
)

// choice is what the flit engine has for packets that choose.
type choice struct {
	scheme  adaptive.Scheme  // nil: they do not
	entrant adaptive.Entrant // nil: they enter by each virtual channel in turn
	at      []int32          // switch of each end point
	waiting []uint32         // lanes whose first packet may choose again
	view    view
}

func (c *choice) prepare(f *Fabric) {
	c.scheme, c.view.f = f.cfg.Choice, f
	c.entrant, _ = c.scheme.(adaptive.Entrant)
	for _, e := range f.cfg.Net.EndPoints {
		c.at = append(c.at, int32(e.At.Switch))
	}
}

// choose has the first packet of a lane choose where it goes. The packet keeps the state that it came
// in until it leaves, so it can choose again.
func (f *Fabric) choose(a *lane, p *packet) {
	p.state = p.onward
	p.hop++
	f.decide(a, p)
}

// decide sets the link and the virtual channels that a packet wants.
func (f *Fabric) decide(a *lane, p *packet) {
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
func (f *Fabric) arrivalLanes(p *packet, vc int) uint64 {
	if vc >= 0 {
		return f.lanesOf(p, uint8(vc))
	}
	return f.classLanes(p)
}

// classLanes returns all physical virtual channels of the class of a packet.
func (f *Fabric) classLanes(p *packet) uint64 {
	n := uint32(f.router.Lanes)
	return lowBits(uint32(f.cfg.VCs)*n) << (uint32(p.base) * n)
}

// entry returns the first physical virtual channel that a packet looks at on the link from its end point.
func (f *Fabric) entry(p *packet, last uint8) uint8 {
	if f.choice.entrant == nil {
		return last + 1
	}
	return uint8((int(p.base) + f.choice.entrant.Entry()) * f.router.Lanes)
}

// wait notes that the first packet of a lane chooses again as long as it waits.
func (c *choice) wait(a *lane) {
	if !a.listed {
		a.listed = true
		c.waiting = append(c.waiting, a.link*c.view.f.vcs+uint32(a.vc))
	}
}

// chooseAgain lets packets choose again that have not been given a virtual channel.
func (f *Fabric) chooseAgain() {
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

// view is what a packet sees at a switch.
type view struct {
	f     *Fabric
	base  uint8
	flits int32
}

var _ adaptive.View = (*view)(nil)

// lanes returns the first physical virtual channel of one of the class, and how many there are.
func (v *view) lanes(channel, vc int) (first uint32, n int) {
	n = v.f.router.Lanes
	return v.f.channelLink[channel]*v.f.vcs + (uint32(v.base)+uint32(vc))*uint32(n), n
}

func (v *view) Queue(channel int) int {
	sum := 0
	for vc := range v.f.cfg.VCs {
		sum += v.Lane(channel, vc)
	}
	return sum
}

func (v *view) Lane(channel, vc int) int {
	first, n := v.lanes(channel, vc)
	sum := 0
	for i := range uint32(n) {
		sum += int(v.f.cap - v.f.lanes[first+i].credits)
	}
	return sum
}

func (v *view) Free(channel, vc int) bool {
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

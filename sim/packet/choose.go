package packet

import "musubi/routing/adaptive"

// chooses is what the packet engine has for packets that choose.
type chooses struct {
	scheme adaptive.Scheme // nil: they do not
	at     []int32         // switch of each end point
	view   view
}

func (c *chooses) prepare(f *Fabric) {
	c.scheme, c.view.f = f.cfg.Choice, f
	for _, e := range f.cfg.Net.EndPoints {
		c.at = append(c.at, int32(e.At.Switch))
	}
}

// enterChoosing prepares a packet that chooses. The virtual channel that it enters by depends
// on its destination, so that packets of a pair do not overtake each other there.
func (f *Fabric) enterChoosing(q *packet) {
	q.way = roaming
	q.state, q.onward = adaptive.Entering, adaptive.Entering
	q.inVC = q.base + uint8(int(q.dst)%f.cfg.VCs)
}

// choose aims the first packet of a lane. It keeps the state that it came in until it leaves, so it
// can choose again.
func (f *Fabric) choose(p *packet) {
	c := &f.choice
	sw, end := f.endsAt(f.linkOf(p.lane)), int(p.dst)/f.cfg.Ports
	if sw == c.at[end] {
		p.again = false
		vc := c.scheme.Arrival(p.state)
		if vc < 0 {
			vc = int(p.dst) % f.cfg.VCs
		}
		p.out = f.channels + 2*uint32(p.dst) + 1
		p.outLane = f.laneOf(p.out, uint32(p.base)+uint32(vc))
		return
	}
	c.view.base, c.view.flits = p.base, p.flits
	m := c.scheme.Choose(&c.view, adaptive.Packet{Src: int(p.src) / f.cfg.Ports, Dst: end, To: int(c.at[end]), State: p.state}, int(sw))
	p.onward, p.again = m.State, m.Again
	p.out = uint32(m.Channel)
	p.outLane = f.laneOf(p.out, uint32(p.base)+uint32(m.VC))
}

// endsAt returns the switch that a link from another switch or an end point leads to.
func (f *Fabric) endsAt(link uint32) int32 {
	if link < f.channels {
		return int32(f.cfg.Net.To(int(link)).Switch)
	}
	return f.choice.at[int(link-f.channels)/2/f.cfg.Ports]
}

// chooseAgain lets the first packet of a lane, which has found no room where it has chosen to go, choose
// once more. Its new link is looked at as soon as this event is over.
func (f *Fabric) chooseAgain(at uint32, p *packet) {
	in, out, lane := &f.ports[f.linkOf(at)], p.out, p.outLane
	f.choose(p)
	if p.out == out && p.outLane == lane {
		return
	}
	f.unwant(&f.links[out], in.bit+f.vcOf(at))
	f.request(at, p)
	f.wake(&f.links[p.out], p.out, f.q.Now())
}

// view is what a packet sees at a switch.
type view struct {
	f     *Fabric
	base  uint8
	flits int32
}

var _ adaptive.View = (*view)(nil)

func (v *view) Queue(channel int) int {
	sum := 0
	for vc := range v.f.cfg.VCs {
		sum += v.Lane(channel, vc)
	}
	return sum
}

// lane returns the buffer of a virtual channel of the class at the end of a channel, up to date.
func (v *view) lane(channel, vc int) *lane {
	l := &v.f.lanes[v.f.laneOf(uint32(channel), uint32(v.base)+uint32(vc))]
	v.f.settle(l, v.f.kinds[v.f.links[channel].kind].cable)
	return l
}

func (v *view) Lane(channel, vc int) int { return int(v.f.cap - v.lane(channel, vc).room) }

func (v *view) Free(channel, vc int) bool {
	link := &v.f.links[channel]
	if link.free > v.f.q.Now() || link.isWanted() {
		return false
	}
	if k := &v.f.kinds[link.kind]; k.need > 0 {
		return v.f.goAt(k, v.f.laneOf(uint32(channel), uint32(v.base)+uint32(vc))) <= v.f.q.Now()
	}
	return v.lane(channel, vc).room >= v.flits
}

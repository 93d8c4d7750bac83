package flit

import (
	"math"
	"slices"

	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/sim/engine"
	"musubi/sim/fabric"
)

// breaking is what the flit engine keeps where links may fail.
//
// A switch takes a packet that is lost out of its buffer as it comes, as soon as it has looked at the header. Of
// a packet that is on a link when that fails, the flits behind the header go on over the link, for what the
// next switch takes out is as long as the packet.
type breaking struct {
	down []bool
	slow []int64 // by link: thousandths of a cycle between flits, 0 if it has its whole rate
	free []int64 // by link: when it is, in thousandths of a cycle
	all  []*routing.Routes
}

func newBreaking(f *Fabric) *breaking {
	n := len(f.links)
	return &breaking{down: make([]bool, n), slow: make([]int64, n), free: make([]int64, n), all: f.routes}
}

// fails tells whether a link has failed.
func (f *Fabric) fails(link uint32) bool { return f.breaking != nil && f.breaking.down[link] }

// rests tells whether a link that carries a part of its rate takes no flit in this cycle.
func (f *Fabric) rests(link uint32) bool {
	return f.breaking != nil && f.breaking.free[link] > f.done*paceless
}

// strain notes that a flit starts on a link.
func (f *Fabric) strain(link uint32) {
	if b := f.breaking; b != nil && b.slow[link] > 0 {
		b.free[link] = max(b.free[link], f.done*paceless) + b.slow[link]
	}
}

// linkAt returns the number of a link that has a position in Busy.
func (f *Fabric) linkAt(position int) uint32 {
	channels := len(f.channelLink)
	switch e := (position - channels) / 2; {
	case position < channels:
		return f.channelLink[position]
	case (position-channels)%2 == 0:
		return f.injection[e]
	default:
		return f.ejection[e]
	}
}

// Fail implements Breakable.
func (f *Fabric) Fail(position int) {
	f.sync()
	link := f.linkAt(position)
	f.breaking.down[link] = true
	l := &f.links[link]
	f.spoilFlying(link)
	if l.from < 0 {
		f.spoilStarted(uint32(l.endPoint))
		f.dropQueued(uint32(l.endPoint))
	} else {
		for vc := range f.vcs {
			if owner := f.lanes[link*f.vcs+vc].owner; owner != none && !f.lanes[owner].fresh {
				f.packets[f.lanes[owner].packets.front()].spoilt = true
			}
		}
		f.eachLane(l.from, func(a *lane) {
			if a.fresh && a.out == link {
				f.turnAway(a)
			}
		})
	}
	f.scheduleNext()
}

// Heal implements Breakable.
func (f *Fabric) Heal(position int) { f.breaking.down[f.linkAt(position)] = false }

// Degrade implements Breakable.
func (f *Fabric) Degrade(position int, share float64) {
	link := f.linkAt(position)
	f.breaking.slow[link] = 0
	if share < 1 {
		f.breaking.slow[link] = int64(math.Ceil(float64(f.pace) / share))
	}
}

// Reroute implements Breakable. Routes that packets chose from with others are proved by themselves only, so these
// lose what is on its way.
func (f *Fabric) Reroute(routes *routing.Routes, choice adaptive.Scheme) {
	f.sync()
	next := []*routing.Routes{routes}
	if routes == f.breaking.all[0] {
		next = f.breaking.all
	}
	if len(f.routes) > 1 || len(next) > 1 {
		f.Flush()
	}
	f.cfg.Routes, f.routes, f.choice.scheme = routes, next, choice
	f.choice.entrant, _ = choice.(adaptive.Entrant)
	f.computed = !slices.ContainsFunc(f.routes, func(r *routing.Routes) bool { return !r.Computed() })
	for i := range f.queues {
		q := &f.queues[i]
		for n := range q.packets.size {
			if id := q.packets.at(n); n > 0 || q.lane == none {
				f.restart(&f.packets[id])
			}
		}
	}
	f.scheduleNext()
}

// restart gives a packet at its source the path that routes have now. If there is none, it is lost at the
// first switch.
func (f *Fabric) restart(p *packet) {
	p.hop, p.state, p.onward, p.path, p.inVC, p.outVC = 0, adaptive.Entering, adaptive.Entering, nil, 0, 0
	if f.choice.scheme != nil {
		return
	}
	path, in, out, ok := f.cfg.Routes.PathInto(nil, int(p.src), int(p.dst))
	p.path, p.inVC, p.outVC = path, uint8(in), uint8(out)
	p.spoilt = p.spoilt || !ok
}

// Flush implements Breakable.
func (f *Fabric) Flush() {
	f.sync()
	for link := range f.links {
		if f.links[link].to >= 0 {
			f.spoilFlying(uint32(link))
		}
	}
	for e := range f.injection {
		f.spoilStarted(uint32(e))
	}
	for s := range f.switches {
		f.eachLane(int32(s), func(a *lane) {
			for n := range a.packets.size {
				f.packets[a.packets.at(n)].spoilt = true
			}
			if a.fresh {
				f.turnAway(a)
			}
		})
	}
	f.scheduleNext()
}

// eachLane calls a function for each lane into a switch that has a packet and is not taking it out.
func (f *Fabric) eachLane(sw int32, visit func(a *lane)) {
	s := &f.switches[sw]
	for at := s.first * f.vcs; at < (s.first+uint32(s.ports))*f.vcs; at++ {
		if a := &f.lanes[at]; a.packets.size > 0 && a.state != laneSinking {
			visit(a)
		}
	}
}

// spoilFlying marks the packets that have flits on a link as lost.
func (f *Fabric) spoilFlying(link uint32) {
	delay := int64(0) // of a flit that has come to a switch, in the wheel as well
	if f.links[link].to >= 0 && !f.stopGo {
		delay = f.inputDelay
	}
	for ahead := 1 + delay; ahead < int64(len(f.wheel.slots)); ahead++ {
		for _, fl := range f.wheel.at(f.done + ahead).flits {
			if f.lanes[fl.lane].link == link {
				f.packets[fl.packet&^headerBit].spoilt = true
			}
		}
	}
}

// spoilStarted marks packets as lost whose headers have left an end point, and whose tails have not.
func (f *Fabric) spoilStarted(e uint32) {
	for class := range uint32(f.cfg.Classes) {
		if q := &f.queues[e*uint32(f.cfg.Classes)+class]; q.lane != none {
			f.packets[q.packets.front()].spoilt = true
		}
	}
}

// dropQueued loses the packets at an end point that have not started.
func (f *Fabric) dropQueued(e uint32) {
	for class := range uint32(f.cfg.Classes) {
		q := &f.queues[e*uint32(f.cfg.Classes)+class]
		started := uint32(0)
		if q.lane != none {
			started = 1
		}
		for q.packets.size > started {
			f.lose(q.packets.popLast())
		}
	}
}

// turnAway has a switch take out the first packet of a lane, whose header it has looked at.
func (f *Fabric) turnAway(a *lane) {
	lane := a.link*f.vcs + uint32(a.vc)
	f.wheel.dropStages(lane)
	out := &f.links[a.out]
	if at := slices.Index(out.wait, lane); at >= 0 {
		out.stopWaiting(at)
	}
	f.withdraw(a)
	if a.outLane != none {
		b := &f.lanes[a.outLane]
		b.owner, a.outLane = none, none
		out.free |= 1 << b.vc
	}
	if len(out.wait) > 0 {
		f.hot.add(a.out)
	}
	f.sink(a)
}

// sink takes the first packet of a lane out, as its flits come.
func (f *Fabric) sink(a *lane) {
	a.state, a.again, a.wants, a.out = laneSinking, false, 0, none
	f.drain(a)
}

// drain takes out what has come of a packet that a switch takes out.
func (f *Fabric) drain(a *lane) {
	for a.count > 0 && a.left > 0 {
		a.count--
		a.left--
		f.vacate(a, a.link*f.vcs+uint32(a.vc), &f.links[a.link])
	}
	if a.left > 0 {
		return
	}
	f.lose(a.packets.front())
	a.packets.pop()
	a.state = laneIdle
	if a.packets.size > 0 {
		f.route(a, f.done+1)
	}
}

// lose has Lost come up for a packet of which nothing is in the network any more.
func (f *Fabric) lose(id uint32) { f.q.Push(engine.Event{At: f.q.Now(), Kind: fabric.Lost, A: id}) }

// lost frees the number of a packet.
func (f *Fabric) lost(id uint32) {
	f.traffic.Lost++
	f.retire(id)
}

// discard takes a packet that is lost from the buffer of the end point that it has come to.
func (f *Fabric) discard(b *lane, id uint32) {
	f.takeOut(b, &f.packets[id], f.done)
	if !f.cutThrough && b.unreleased == 0 && b.packets.size > 0 {
		f.takeOut(b, &f.packets[b.packets.front()], f.done)
	}
	f.lose(id)
}

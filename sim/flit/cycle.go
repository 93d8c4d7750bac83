package flit

import (
	"musubi/sim/engine"
	"musubi/units"
)

// schedule makes sure that a cycle is simulated.
func (f *Fabric) schedule(cycle int64) {
	if at := f.clock.time(cycle); at < f.tickAt {
		f.tickAt = at
		f.q.Push(engine.Event{At: at, Kind: evCycle})
	}
}

// sync returns the first cycle that does not begin before now. All cycles before it have been
// simulated.
func (f *Fabric) sync() int64 {
	cycle := f.clock.cycle(f.q.Now())
	f.done = max(f.done, cycle-1)
	return cycle
}

// tick simulates the cycle that begins now and schedules the next in which
// anything can happen.
func (f *Fabric) tick() {
	f.tickAt = units.Never
	f.done = f.clock.cycle(f.q.Now())
	s := f.wheel.at(f.done)
	for _, lane := range s.credits {
		f.credit(lane)
	}
	for _, g := range s.signals {
		f.signal(g)
	}
	for _, fl := range s.flits {
		f.arrive(fl)
	}
	for _, fl := range s.delayed {
		f.enqueue(&f.lanes[fl.lane], fl)
	}
	for _, lane := range s.stages {
		f.finishStage(lane)
	}
	f.wheel.clear(s)
	f.allocateVCs()
	f.allocateCrossbars()
	f.sendAll()
	f.scheduleNext()
}

func (f *Fabric) scheduleNext() {
	switch {
	case f.ready.size > 0 || f.hot.size > 0 || f.active.size > 0:
		f.schedule(f.done + 1)
	case f.wheel.held > 0:
		f.schedule(f.wheel.next(f.done))
	}
}

// arrive takes a flit from a link.
func (f *Fabric) arrive(fl flight) {
	b := &f.lanes[fl.lane]
	if f.links[b.link].to < 0 {
		f.absorb(b, fl)
		return
	}
	if !f.stopGo {
		f.enqueue(b, fl)
		return
	}
	b.occupied++
	f.askStop(fl.lane, f.done)
	if f.inputDelay == 0 {
		f.enqueue(b, fl)
		return
	}
	f.wheel.addDelayed(f.done+f.inputDelay, fl)
}

// enqueue puts a flit into the buffer where the router sees it.
func (f *Fabric) enqueue(b *lane, fl flight) {
	b.count++
	if fl.packet&headerBit != 0 {
		b.packets.push(fl.packet &^ headerBit)
		if b.packets.size == 1 {
			f.route(b, f.done)
		}
		return
	}
	if b.state == laneSinking {
		f.drain(b)
		return
	}
	f.bidIfReady(b)
}

// credit gives the sender of a lane a free place.
func (f *Fabric) credit(lane uint32) {
	b := &f.lanes[lane]
	b.credits++
	f.wakeSender(b)
}

// wakeSender wakes the sender that may be able to use a lane.
func (f *Fabric) wakeSender(b *lane) {
	l := &f.links[b.link]
	switch {
	case l.from < 0:
		f.active.add(uint32(l.endPoint))
	case b.owner != none:
		f.bidIfReady(&f.lanes[b.owner])
	case len(l.wait) > 0:
		f.hot.add(b.link)
	}
}

// signal stops or restarts the sender of a lane.
func (f *Fabric) signal(g signal) {
	b := &f.lanes[g.lane]
	b.stopped = g.stop
	if !g.stop {
		f.wakeSender(b)
		return
	}
	if b.owner != none {
		f.withdrawIfBlocked(&f.lanes[b.owner])
	} else if f.links[b.link].from >= 0 {
		f.hot.add(b.link)
	}
}

// askStop sends a stop or a go to the sender of a lane if its occupation calls
// for it.
func (f *Fabric) askStop(lane uint32, cycle int64) {
	b := &f.lanes[lane]
	l := &f.links[b.link]
	stop := f.cap-b.occupied < f.stopRoom(f.cable(l))
	if stop != b.asksStop {
		b.asksStop = stop
		f.wheel.addSignal(cycle+l.back, signal{lane, stop})
	}
}

// mayStart tells whether a packet may be sent into a free lane. With StopGo the
// sender goes by the signals alone.
func (f *Fabric) mayStart(b *lane, flits int32) bool {
	switch {
	case f.stopGo:
		return !b.stopped
	case f.cutThrough:
		return b.credits >= flits
	}
	return b.credits > 0
}

// maySend tells whether a flit of a packet that has started may be sent into a
// lane.
func (f *Fabric) maySend(b *lane) bool {
	switch {
	case f.cutThrough:
		return true
	case f.stopGo:
		return !b.stopped
	}
	return b.credits > 0
}

// bidIfReady has a lane bid for the crossbar if it has a flit that may go on.
func (f *Fabric) bidIfReady(a *lane) {
	if a.state == laneActive && a.count > 0 && f.maySend(&f.lanes[a.outLane]) {
		f.bid(a)
	}
}

func (f *Fabric) bid(a *lane) {
	f.links[a.link].bidding |= 1 << a.vc
	f.ready.add(a.link)
}

// withdraw ends a lane's bid.
func (f *Fabric) withdraw(a *lane) {
	l := &f.links[a.link]
	if l.bidding &^= 1 << a.vc; l.bidding == 0 {
		f.ready.remove(a.link)
	}
}

func (f *Fabric) withdrawIfBlocked(a *lane) {
	if a.state != laneActive || a.count == 0 || !f.maySend(&f.lanes[a.outLane]) {
		f.withdraw(a)
	}
}

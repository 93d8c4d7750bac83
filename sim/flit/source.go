package flit

import (
	"fmt"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// source is an end point as a sender. It sends one flit per cycle.
type source struct {
	sentIn int64 // last cycle in which it sent
	class  int32 // class of the last flit
}

// queue holds the packets of one class at a source.
type queue struct {
	packets ring
	left    int32  // flits of the first packet that have not been sent
	lane    uint32 // that it takes, none before its header is sent
	lastVC  uint8
}

// Send implements Fabric.
func (f *Fabric) Send(p fabric.Packet) uint32 {
	id := f.admit(p)
	f.queues[p.Src*f.cfg.Classes+p.Class].packets.push(id)
	f.traffic.Sent++
	f.inNetwork++
	f.setTailReady(id, p.Ready)

	src := uint32(p.Src)
	cycle := f.sync()
	if cycle == f.done && f.sources[src].sentIn < cycle {
		// The cycle that begins now has been simulated, but the source was idle.
		f.active.add(src)
		f.send(src)
		f.scheduleNext()
		return id
	}
	f.active.add(src)
	f.schedule(max(cycle, f.done+1))
	return id
}

// admit gives a packet a number.
func (f *Fabric) admit(p fabric.Packet) uint32 {
	routes := f.routes[0]
	if n := len(f.routes); n > 1 {
		routes = f.routes[f.rng.IntN(n)]
	}
	if p.Back {
		panic(fmt.Sprintf("fabric: packet %+v goes a path backwards; the flit engine has none that do, use the packet engine", p))
	}
	id := f.unused
	if id == 0 {
		f.packets = append(f.packets, packet{})
		id = uint32(len(f.packets) - 1)
	} else {
		f.unused = f.packets[id].next
	}
	var room routing.Path
	if f.computed {
		room = f.packets[id].path
	}
	path, in, out, ok := routing.Path(nil), 0, 0, true
	if f.choice.scheme == nil {
		path, in, out, ok = routes.PathInto(room, p.Src, p.Dst)
	}
	if !ok || p.Flits < 1 || p.Flits > f.cfg.MaxPacket || p.Class < 0 || p.Class >= f.cfg.Classes {
		panic(fmt.Sprintf("fabric: no path, class or length for packet %+v", p))
	}
	f.packets[id] = packet{
		Delivery: fabric.Delivery{Class: p.Class, Tag: p.Tag, Queued: f.q.Now()},
		path:     path,
		src:      int32(p.Src), dst: int32(p.Dst), flits: int32(p.Flits),
		base: uint8(p.Class * f.cfg.VCs), inVC: uint8(in), outVC: uint8(out),
		sent: p.NotifySent, header: p.NotifyHeader,
	}
	return id
}

// setTailReady has the tail of a packet wait so that it has not left before the
// given time.
func (f *Fabric) setTailReady(id uint32, at units.Time) {
	p := &f.packets[id]
	p.ready = f.clock.cycle(at) - 1
	if begin := f.clock.time(max(p.ready, 0)); begin > f.q.Now() {
		f.q.Push(engine.Event{At: begin, Kind: evTailReady, A: uint32(p.src)})
	}
}

// rouse makes a source try to send in the cycle that begins now.
func (f *Fabric) rouse(src uint32) {
	cycle := f.sync()
	f.active.add(src)
	f.schedule(max(cycle, f.done+1))
}

// sendAll lets every source that may be able to do so send a flit.
func (f *Fabric) sendAll() {
	for w, word := range f.active.words {
		for ; word != 0; word &= word - 1 {
			f.send(uint32(w*64) + lowest(word))
		}
	}
}

// send sends a flit of the class whose turn it is, or with HoldSwitch of the
// packet that has begun.
func (f *Fabric) send(src uint32) {
	if f.pace != paceless && f.links[f.injection[src]].next > f.lineOf(f.done) {
		return // a flit in each cycle of the link, which is slower
	}
	if f.rests(f.injection[src]) {
		return
	}
	s := &f.sources[src]
	classes := int32(f.cfg.Classes)
	first := src * uint32(classes)
	holds := f.router.HoldSwitch && f.queues[first+uint32(s.class)].lane != none
	if holds && f.sendFrom(src, s.class) {
		return
	}
	if !holds || !f.cutThrough {
		for i := range classes {
			if f.sendFrom(src, (s.class+1+i)%classes) {
				return
			}
		}
	}
	f.active.remove(src)
}

// sendFrom sends the next flit of a class, if it can go.
func (f *Fabric) sendFrom(src uint32, class int32) bool {
	q := &f.queues[int32(src)*int32(f.cfg.Classes)+class]
	if q.packets.size == 0 || q.lane == none && !f.start(q, src) {
		return false
	}
	b := &f.lanes[q.lane]
	id := q.packets.front()
	p := &f.packets[id]
	if !f.maySend(b) || q.left == 1 && p.ready > f.done {
		return false
	}
	link := &f.links[b.link]
	fl := flight{q.lane, id}
	if q.left == p.flits {
		p.Entered = f.clock.time(f.done)
		fl.packet |= headerBit
		link.load.Packets++
	}
	q.left--
	b.credits--
	link.load.Flits++
	f.strain(b.link)
	f.tellBusy(b.link)
	arrives := f.done + link.fly
	if f.pace != paceless {
		arrives = f.depart(link, f.done)
	}
	f.wheel.addFlit(arrives, fl)
	f.sources[src] = source{sentIn: f.done, class: class}
	if q.left == 0 {
		f.sendTail(q, link, b, id)
	}
	return true
}

// start picks a virtual channel for the first packet of a queue.
func (f *Fabric) start(q *queue, src uint32) bool {
	link := f.injection[src]
	if f.fails(link) {
		f.dropQueued(src)
		return false
	}
	l := &f.links[link]
	p := &f.packets[q.packets.front()]
	lanes := f.hostLanesOf(p, p.inVC)
	if f.choice.scheme != nil {
		lanes = f.classLanes(p)
	}
	vcs := f.roomy(lanes&l.free, link, p.flits)
	if vcs == 0 {
		return false
	}
	q.lastVC = nextBit(vcs, f.entry(p, q.lastVC))
	q.lane, q.left = link*f.vcs+uint32(q.lastVC), p.flits
	l.free &^= 1 << q.lastVC
	return true
}

// sendTail ends the passage of a packet over the link from its source.
func (f *Fabric) sendTail(q *queue, link *link, b *lane, id uint32) {
	link.free |= 1 << b.vc
	q.lane = none
	q.packets.pop()
	if f.packets[id].sent {
		f.q.Push(engine.Event{At: f.clock.time(f.done + 1), Kind: fabric.Sent, A: id})
	}
}

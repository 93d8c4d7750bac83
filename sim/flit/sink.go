package flit

import "musubi/sim/fabric"
import "musubi/sim/engine"

// noteHeader announces the header of a packet that has just entered the link to
// its destination.
func (f *Fabric) noteHeader(out *link, id uint32, arrives int64) {
	if out.to >= 0 {
		return
	}
	p := &f.packets[id]
	p.Header = f.clock.time(arrives - 1)
	if p.header {
		f.q.Push(engine.Event{At: p.Header, Kind: fabric.Header, A: id})
	}
}

// absorb takes a flit at its destination. With cut-through switching the packet stays in the buffer
// until it is released. With wormhole switching it may be larger than the buffer: the end point
// takes all flits but the tail out as they arrive, and takes none while an earlier packet has not
// been released.
func (f *Fabric) absorb(b *lane, fl flight) {
	id := fl.packet &^ headerBit
	p := &f.packets[id]
	if fl.packet&headerBit != 0 {
		p.lane = b.link*f.vcs + uint32(b.vc)
		b.packets.push(id)
	}
	if f.stopGo {
		b.occupied++
		f.askStop(p.lane, f.done)
	}
	p.stored++
	p.arrived++
	if p.arrived == p.flits {
		p.Tail = f.q.Now()
		b.packets.pop()
		if p.spoilt {
			f.discard(b, id)
			return
		}
		b.unreleased++
		f.q.Push(engine.Event{At: p.Tail, Kind: fabric.Delivered, A: id})
		return
	}
	if !f.cutThrough && b.unreleased == 0 {
		f.takeOut(b, p, f.done)
	}
}

// takeOut frees what a packet occupies at its destination.
func (f *Fabric) takeOut(b *lane, p *packet, cycle int64) {
	back := f.creditAt(&f.links[b.link], cycle)
	if f.cutThrough {
		back-- // all at once, not at the end of the cycle in which a flit is read
	}
	for range p.stored {
		if back <= f.done {
			f.credit(p.lane)
		} else {
			f.wheel.addCredit(back, p.lane)
		}
	}
	if f.stopGo {
		b.occupied -= p.stored
		f.askStop(p.lane, cycle)
	}
	p.stored = 0
}

// Release implements Fabric.
func (f *Fabric) Release(id uint32) {
	cycle := f.sync()
	p := &f.packets[id]
	b := &f.lanes[p.lane]
	b.unreleased--
	f.takeOut(b, p, cycle)
	if !f.cutThrough && b.unreleased == 0 && b.packets.size > 0 {
		f.takeOut(b, &f.packets[b.packets.front()], cycle)
	}
	f.retire(id)
	f.released++
	f.scheduleNext()
}

// retire frees the number of a packet that is not in the network any more.
func (f *Fabric) retire(id uint32) {
	f.packets[id].next = f.unused
	f.unused = id
	f.inNetwork--
}

package flow

import (
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// Send implements fabric.Fabric.
func (f *Fabric) Send(p fabric.Packet) uint32 {
	id, q, path := f.number(&p)
	q.path, q.tailAt = path, max(q.queued, p.Ready)
	q.sent, q.header = p.NotifySent, p.NotifyHeader
	f.traffic.Sent++
	f.pass(id, q, f.injection(q.way))
	return id
}

// hop moves a packet on whose header is ready for the next link.
func (f *Fabric) hop(id uint32) {
	p := &f.packets[id]
	if at := int(p.pos); at < len(p.path) {
		p.pos++
		f.pass(id, p, p.path[at].Channel())
		return
	}
	f.pass(id, p, f.ejection(p.way))
}

// pass moves a packet over a link, behind the packets that have come to it before.
func (f *Fabric) pass(id uint32, p *packet, link int) {
	l := &f.links[link]
	if p.spoilt || f.fails(link) {
		f.discard(id)
		return
	}
	p.headAt = f.q.Now()
	var start units.Time
	start, l.clear = l.pass(p.flits, &p.headAt, &p.tailAt)
	if link == f.injection(p.way) {
		p.entered = start
		if p.sent {
			f.q.Push(engine.Event{At: l.clear, Kind: fabric.Sent, A: id})
		}
	}
	if f.breaking != nil {
		tail := p.tailAt
		if link != f.ejection(p.way) {
			tail -= f.cfg.Switch
		}
		f.note(link, crossing{id, tail})
	}
	if link != f.ejection(p.way) {
		f.q.Push(engine.Event{At: p.headAt, Kind: evHop, A: id})
		return
	}
	if p.header {
		f.q.Push(engine.Event{At: p.headAt, Kind: fabric.Header, A: id})
	}
	f.q.Push(engine.Event{At: p.tailAt, Kind: fabric.Delivered, A: id})
}

// pass carries a single packet behind those that have come before, and moves the times of its header and its
// tail on to the end of the link. It returns when the packet starts, and when the link is clear behind it.
func (l *link) pass(flits int32, header, tail *units.Time) (start, clear units.Time) {
	transfer := (*l.times)[flits]
	start = max(*header, l.clear)
	clear = max(start+transfer, *tail)
	l.single += transfer
	l.busy += transfer
	l.load.Packets++
	l.load.Flits += int64(flits)
	*header, *tail = start+l.delay, clear+l.delay
	return start, clear
}

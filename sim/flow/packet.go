package flow

import (
	"musubi/sim/engine"
	"musubi/sim/fabric"
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
	l, now := &f.links[link], f.q.Now()
	if p.spoilt || f.fails(link) {
		f.discard(id)
		return
	}
	start := max(now, l.clear)
	transfer := (*l.times)[p.flits]
	l.clear = max(start+transfer, p.tailAt)
	l.single += transfer
	l.busy += transfer
	l.load.Packets++
	l.load.Flits += int64(p.flits)
	if link == f.injection(p.way) {
		p.entered = start
		if p.sent {
			f.q.Push(engine.Event{At: l.clear, Kind: fabric.Sent, A: id})
		}
	}
	p.headAt, p.tailAt = start+l.delay, l.clear+l.delay
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

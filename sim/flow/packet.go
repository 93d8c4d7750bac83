package flow

import (
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// passage is a packet on its way.
type passage struct {
	flits      int
	head, tail units.Time // when the header is ready for the next link, and when the tail is
	unhindered units.Time // when the header would be, in an idle network
}

// Send implements fabric.Fabric.
func (f *Fabric) Send(p fabric.Packet) uint32 {
	id, q, path := f.number(&p)
	now := f.q.Now()
	f.traffic.Sent++
	w := passage{flits: p.Flits, head: now, tail: max(now, p.Ready), unhindered: now}
	first := &f.links[f.injection(q.way)]
	first.pass(&w)
	q.entered = w.head - first.delay
	if p.NotifySent {
		f.q.Push(engine.Event{At: w.tail - first.delay, Kind: fabric.Sent, A: id})
	}
	for _, hop := range path {
		f.links[hop.Channel()].pass(&w)
	}
	f.links[f.ejection(q.way)].pass(&w)
	q.headAt, q.tailAt = w.head, f.inOrder(q, w.tail)
	if p.NotifyHeader {
		f.q.Push(engine.Event{At: q.headAt, Kind: fabric.Header, A: id})
	}
	f.q.Push(engine.Event{At: q.tailAt, Kind: fabric.Delivered, A: id})
	return id
}

// pass moves a packet over a link, behind the packets that have been sent over it before. What
// happens to a packet on the links before does not count for those behind it: they wait for the time
// that the packet takes, from when it would come if nothing kept it back.
func (l *link) pass(w *passage) {
	start := max(w.head, l.clear)
	transfer := (*l.times)[w.flits]
	tail := max(start+transfer, w.tail)
	l.clear = max(l.clear, w.unhindered) + tail - start
	l.single += transfer
	l.busy += transfer
	l.load.Packets++
	l.load.Flits += int64(w.flits)
	w.head, w.tail, w.unhindered = start+l.delay, tail+l.delay, w.unhindered+l.delay
}

// inOrder returns when the tail of a packet arrives, so that it does not overtake others of the same
// way. On links of the same rate none does.
func (f *Fabric) inOrder(p *packet, tail units.Time) units.Time {
	if !f.uneven {
		return tail
	}
	tail = max(tail, f.arrivals[p.way])
	f.arrivals[p.way], p.guarded = tail, true
	return tail
}

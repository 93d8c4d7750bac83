package fabric

import (
	"musubi/sim/engine"
	"musubi/units"
)

// InOrderFlows is InOrder of a fabric that carries long messages as a whole. A message has its place in the
// order when its last packet has left: what is sent after that arrives after it.
type InOrderFlows struct{ *InOrder }

var (
	_ Bulker   = InOrderFlows{}
	_ Combiner = InOrderFlows{}
)

// bulkState is what a numbered packet is.
type bulkState uint8

const (
	single  bulkState = iota
	leaving           // a long message whose last packet has not left
	asked             // the same, and its device wants to know when it does
	left
)

// SendBulk implements Bulker.
func (o InOrderFlows) SendBulk(b Bulk) uint32 {
	n := numbered{flow: o.flow(&b.Packet), bulk: leaving}
	if b.NotifySent {
		n.bulk = asked
	}
	b.NotifySent = true
	id := o.Fabric.(Bulker).SendBulk(b)
	o.note(id, n)
	return id
}

// SendCombined implements Combiner. What switches combine has an order of its own.
func (o InOrderFlows) SendCombined(c Combined) uint32 { return o.Fabric.(Combiner).SendCombined(c) }

// Run implements Fabric.
func (o InOrderFlows) Run(limit units.Time) (engine.Event, bool) {
	for {
		ev, ok := o.InOrder.Run(limit)
		if !ok || ev.Kind != Sent || !o.hides(ev.A) {
			return ev, ok
		}
	}
}

// hides gives a long message that has left its place in its flow, and tells whether its device does not want
// to know.
func (o InOrderFlows) hides(id uint32) bool {
	n := &o.of[id]
	if n.bulk != leaving && n.bulk != asked {
		return false
	}
	hides := n.bulk == leaving
	n.number, n.bulk = n.flow.sent, left
	n.flow.sent++
	return hides
}

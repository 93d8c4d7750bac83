package fabric

import (
	"fmt"

	"musubi/sim/engine"
	"musubi/units"
)

// InOrder puts packets that overtake each other in order where they arrive: those from a port of an
// end point to one of another, class by class. A packet that comes too early leaves the network for a
// buffer of the receiver, and is delivered after those before it.
type InOrder struct {
	Fabric
	q      *engine.Queue
	flows  map[flowKey]*flowOrder
	of     []numbered // by number of a packet of the network
	held   []early    // by number of a packet that waits, or has waited and not been released
	unused []uint32
	use    Reordering
	now    int // flits that wait
}

// Reordering says what receivers had to put in order.
type Reordering struct {
	Packets int64 // that came too early
	Flits   int   // of these at all receivers together, at the most
}

type flowKey struct {
	src, dst, out, in int32
	class             uint8
}

// early is a packet that came too early.
type early struct {
	Delivery
	flow *flowOrder
}

// flowOrder counts the packets of a flow.
type flowOrder struct {
	sent, next uint32
	early      map[uint32]uint32 // by number in the flow: number in held
}

type numbered struct {
	flow   *flowOrder
	number uint32
	bulk   bulkState
}

// evOrdered: it is the turn of a packet that waits; A is its number in held. Engines hand on what they
// do not know.
const evOrdered = Delivered - 1

// OnTree marks numbers of packets that go along trees (see Multicaster), which wrappers of a fabric hand
// on as they come.
const OnTree = 1 << 30

// heldBit marks numbers of packets that have waited.
const heldBit = 1 << 31

// NewInOrder puts the packets of a fabric in order.
func NewInOrder(f Fabric, q *engine.Queue) *InOrder {
	return &InOrder{Fabric: f, q: q, flows: make(map[flowKey]*flowOrder)}
}

// Send implements Fabric.
func (o *InOrder) Send(p Packet) uint32 {
	flow := o.flow(&p)
	id := o.Fabric.Send(p)
	o.note(id, numbered{flow: flow, number: flow.sent})
	flow.sent++
	return id
}

// flow returns the flow of a packet.
func (o *InOrder) flow(p *Packet) *flowOrder {
	key := flowKey{int32(p.Src), int32(p.Dst), int32(p.Out), int32(p.In), uint8(p.Class)}
	flow := o.flows[key]
	if flow == nil {
		flow = &flowOrder{early: make(map[uint32]uint32)}
		o.flows[key] = flow
	}
	return flow
}

// note keeps the place of a packet in its flow.
func (o *InOrder) note(id uint32, n numbered) {
	for int(id) >= len(o.of) {
		o.of = append(o.of, numbered{})
	}
	o.of[id] = n
}

// Run implements Fabric.
func (o *InOrder) Run(limit units.Time) (engine.Event, bool) {
	for {
		ev, ok := o.Fabric.Run(limit)
		switch {
		case !ok:
			return ev, false
		case ev.Kind == evOrdered:
			return o.turnOf(ev), true
		case ev.Kind != Delivered || ev.A&OnTree != 0:
			return ev, true
		}
		n := o.of[ev.A]
		if n.number == n.flow.next {
			o.advance(n.flow)
			return ev, true
		}
		o.hold(ev.A, n)
	}
}

// hold takes a packet that came too early out of the network.
func (o *InOrder) hold(id uint32, n numbered) {
	var slot uint32
	if last := len(o.unused) - 1; last >= 0 {
		slot, o.unused = o.unused[last], o.unused[:last]
	} else {
		slot = uint32(len(o.held))
		o.held = append(o.held, early{})
	}
	o.held[slot] = early{o.Fabric.Delivery(id), n.flow}
	n.flow.early[n.number] = slot
	o.now += o.held[slot].Flits
	o.use.Packets++
	o.use.Flits = max(o.use.Flits, o.now)
	o.Fabric.Release(id)
}

// turnOf delivers a packet that has waited.
func (o *InOrder) turnOf(ev engine.Event) engine.Event {
	p := &o.held[ev.A]
	p.Header, p.Tail = ev.At, ev.At
	o.now -= p.Flits
	o.advance(p.flow)
	return engine.Event{At: ev.At, Kind: Delivered, A: ev.A | heldBit}
}

// Delivery implements Fabric. A packet that has waited counts as arrived when it is delivered.
func (o *InOrder) Delivery(id uint32) Delivery {
	if id&heldBit != 0 {
		return o.held[id&^heldBit].Delivery
	}
	return o.Fabric.Delivery(id)
}

// Release implements Fabric.
func (o *InOrder) Release(id uint32) {
	if id&heldBit != 0 {
		o.unused = append(o.unused, id&^heldBit)
		return
	}
	o.Fabric.Release(id)
}

// Multicast and the methods below implement Multicaster, where the fabric does. Trees keep their own order.
func (o *InOrder) Multicast(p Packet, to []Target) Tree {
	return o.Fabric.(Multicaster).Multicast(p, to)
}
func (o *InOrder) MulticastAgain(t Tree, p Packet) { o.Fabric.(Multicaster).MulticastAgain(t, p) }
func (o *InOrder) Combine(branch Tree, p Packet) bool {
	return o.Fabric.(Multicaster).Combine(branch, p)
}
func (o *InOrder) Forget(t Tree) { o.Fabric.(Multicaster).Forget(t) }

// Reordering returns what receivers had to put in order so far.
func (o *InOrder) Reordering() Reordering { return o.use }

// Conserved implements Fabric.
func (o *InOrder) Conserved() error {
	if len(o.held) != len(o.unused) || o.now != 0 {
		return fmt.Errorf("fabric: %d packets of %d flits wait at the end for packets before them; expected none", len(o.held)-len(o.unused), o.now)
	}
	return o.Fabric.Conserved()
}

// advance goes on to the next packet of a flow, which may wait already.
func (o *InOrder) advance(flow *flowOrder) {
	flow.next++
	slot, waits := flow.early[flow.next]
	if !waits {
		return
	}
	delete(flow.early, flow.next)
	o.q.Push(engine.Event{At: o.q.Now(), Kind: evOrdered, A: slot})
}

package device

import (
	"musubi/nic"
	"musubi/onesided"
	"musubi/sim/engine"
	"musubi/units"
)

// incoming is a packet at the network interface that it was sent to.
type incoming struct {
	tag    uint64
	packet uint32     // of the fabric; 0 if it has not left its network interface
	first  units.Time // when its data can begin to be written to memory
	last   units.Time // when the last of it can
	due    units.Time // when its place in a ring is found; 0 if none was looked for
}

// delivered receives a packet from the fabric.
func (c *dma) delivered(packet uint32) {
	d := c.fabric.Delivery(packet)
	if c.groups != nil && tagRole(d.Tag) == roleBarrier {
		c.fabric.Release(packet)
		c.groups.arrived(tagID(d.Tag))
		return
	}
	in := incoming{tag: d.Tag, packet: packet, first: d.Header + c.m.NIC.Receive, last: d.Tail + c.m.NIC.Receive}
	c.arrive(&c.ports[int(c.nodeAt[d.Dst])*c.engines+d.In], in, d.Class == 0)
}

// arrive receives a packet unless there is no room for it, or none for one before
// it that holds it back. It waits then, and occupies the buffer of the fabric that
// it is in. Packets that travel in another class than pushes have buffers of their
// own and are not held back.
func (c *dma) arrive(p *dmaPort, in incoming, inOrder bool) {
	if inOrder && p.waiting.len() > 0 || !c.receive(&in) {
		p.waiting.push(in)
	}
}

// released implements model: what waits is received now, as far as there is room.
func (c *dma) released(r *rank) {
	for e := range c.engines {
		c.receiveWaiting(&c.ports[c.portOf(int32(r.number), e)])
	}
}

// receiveWaiting receives what waits at a port.
func (c *dma) receiveWaiting(p *dmaPort) {
	for p.waiting.len() > 0 {
		in, now := p.waiting.front(), c.q.Now()
		in.first = max(in.first, now)
		if in.due > 0 {
			in.due = max(in.due, now)
		}
		if !c.receive(in) {
			return
		}
		p.waiting.pop()
	}
}

// receive handles a packet, or returns false if there is no room for it.
func (c *dma) receive(in *incoming) bool {
	id, now := tagID(in.tag), c.q.Now()
	switch tagRole(in.tag) {
	case roleReply:
		c.fabric.Release(in.packet)
		c.q.Push(engine.Event{At: now + c.m.NIC.Complete, Kind: evDone, A: id})
		return true
	case roleWord:
		c.fabric.Release(in.packet)
		c.answered(id)
		return true
	case roleAsk:
		c.fabric.Release(in.packet)
		t := &c.transfers[id]
		t.fetching = true
		c.q.Push(engine.Event{At: now + c.m.NIC.Receive, Kind: evFetch, A: id})
		return true
	}
	switch {
	case c.transfers[id].kind == ipush:
		if !c.append(id, in) {
			return false
		}
	case c.admits(id):
		c.deposit(id, in)
	default:
		return false
	}
	if in.packet == 0 {
		c.left(id)
	}
	return true
}

// deposit writes a packet with data of a PUSH or PULL to where that says. A PUSH
// stays behind what goes to rings before it.
func (c *dma) deposit(id uint32, in *incoming) {
	t := &c.transfers[id]
	p := &c.ports[t.receives()]
	n := c.packet(t, t.arrived)
	first, last := in.first, in.last
	if t.kind == push && t.command == nil {
		rings := &c.rings[t.target]
		first, last = max(first, rings.managed), max(last, rings.appended)
	}
	_, end := p.bus.write(first, n, c.pieces(id, t.writes(), t.arrived, n))
	t.arrived += n
	c.q.Push(engine.Event{At: max(end, last), Kind: evWritten, A: in.packet, B: id, C: uint32(n)})
}

// append writes a packet of an IPUSH to the target's ring, or returns false if that
// is full. What chooses the places does so for one packet after the other.
func (c *dma) append(id uint32, in *incoming) bool {
	t := &c.transfers[id]
	r, rings := &c.ranks[t.target], &c.rings[t.target]
	manage := c.m.Ring.Manage
	if in.due == 0 {
		in.due = max(in.first, rings.managed) + manage
	}
	n := c.packet(t, t.arrived)
	h := r.ringHeader(t.initiator, t.arrived, n, t.size)
	place, ok := r.place(&h)
	if !ok {
		return false
	}
	t.arrived += n
	rings.managed = in.due
	_, end := c.ports[t.away].bus.write(rings.managed, n, spans(&place))
	rings.appended = max(end, in.last+manage, rings.appended)
	rings.placed.push(place)
	c.q.Push(engine.Event{At: rings.appended, Kind: evWritten, A: in.packet, B: id, C: uint32(n)})
	return true
}

// spans returns in how many pieces a packet lies in a ring.
func spans(p *nic.Placement) int {
	if p.At[1].Bytes > 0 {
		return 2
	}
	return 1
}

// written moves the data of a packet whose write to memory has ended.
func (c *dma) written(packet, id uint32, n int) {
	if packet != 0 {
		c.fabric.Release(packet)
	}
	t := &c.transfers[id]
	switch t.kind {
	case push:
		c.write(id, n)
	case ipush:
		c.store(id, n)
	}
	t.written += n
	if t.written < t.size {
		return
	}
	if t.command != nil && c.isTaken(id) && t.command.acts() {
		c.q.Push(engine.Event{At: c.q.Now() + c.m.Queue.Arrive, Kind: evTaken, A: id})
		return
	}
	c.answer(id)
}

// answer lets the initiator of a transfer know that all data is written.
func (c *dma) answer(id uint32) {
	t, now := &c.transfers[id], c.q.Now()
	switch {
	case t.kind == pull || t.target == t.initiator:
		c.q.Push(engine.Event{At: now + c.m.NIC.Complete, Kind: evDone, A: id})
	case c.m.NIC.Replies:
		c.q.Push(engine.Event{At: now + c.m.NIC.Reply, Kind: evReply, A: id, B: roleReply})
	default:
		c.q.Push(engine.Event{At: now, Kind: evDone, A: id})
	}
}

// write copies the next n bytes of a PUSH into its target's memory.
func (c *dma) write(id uint32, n int) {
	t := &c.transfers[id]
	if c.reachable(id) {
		c.move(t.memory, &t.far, t.local, &t.near, t.written, n)
	}
	c.ranks[t.target].touched()
}

// store copies the next n bytes of an IPUSH to their place in the ring. Packets are
// written in the order in which they were placed.
func (c *dma) store(id uint32, n int) {
	t := &c.transfers[id]
	r := &c.ranks[t.target]
	h := r.ringHeader(t.initiator, t.written, n, t.size)
	r.store(&h, c.rings[t.target].placed.pop(), t.local[t.written:][:n])
}

// reachable reports whether the target of a PUSH or PULL has the memory that it
// accesses, and fails the operation if not.
func (c *dma) reachable(id uint32) bool {
	t := &c.transfers[id]
	if t.memory != nil {
		return true
	}
	if t.command != nil && (t.size == 0 || !c.isTaken(id)) {
		return false
	}
	memory, err := c.locate(&t.request, &t.far)
	if err != nil {
		c.failOp(id, err)
		return false
	}
	t.memory = memory
	return true
}

// pieces returns in how many contiguous pieces n bytes of a transfer lie in the
// memory of one side, where the target has it.
func (c *dma) pieces(id uint32, access *onesided.Layout, offset, n int) int {
	if access.IsContiguous() || access == &c.transfers[id].far && !c.reachable(id) {
		return 1
	}
	return access.Pieces(offset, n)
}

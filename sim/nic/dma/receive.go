package dma

import (
	"musubi/nic/ring"
	"musubi/onesided"
	"musubi/sim/engine"
	"musubi/sim/host"
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
	d := c.Fabric.Delivery(packet)
	if c.groups != nil && tagRole(d.Tag) == roleBarrier {
		c.Fabric.Release(packet)
		c.groups.arrived(tagID(d.Tag))
		return
	}
	in := incoming{tag: d.Tag, packet: packet, first: d.Header + c.Machine.NIC.Receive, last: d.Tail + c.Machine.NIC.Receive}
	c.arrive(&c.ports[int(c.NodeAt[d.Dst])*c.engines+d.In], in, d.Class == 0)
}

// arrive receives a packet unless there is no room for it, or none for one before
// it that holds it back. It waits then, and occupies the buffer of the fabric that
// it is in. Packets that travel in another class than pushes have buffers of their
// own and are not held back.
func (c *dma) arrive(p *dmaPort, in incoming, inOrder bool) {
	if inOrder && p.waiting.Len() > 0 || !c.receive(&in) {
		p.waiting.Push(in)
	}
}

// Released implements host.Model: what waits is received now, as far as there is room.
func (c *dma) Released(r *host.Process) {
	for e := range c.engines {
		c.receiveWaiting(&c.ports[c.portOf(int32(r.Rank()), e)])
	}
}

// receiveWaiting receives what waits at a port.
func (c *dma) receiveWaiting(p *dmaPort) {
	for p.waiting.Len() > 0 {
		in, now := p.waiting.Front(), c.Clock.Now()
		in.first = max(in.first, now)
		if in.due > 0 {
			in.due = max(in.due, now)
		}
		if !c.receive(in) {
			return
		}
		p.waiting.Pop()
	}
}

// receive handles a packet, or returns false if there is no room for it.
func (c *dma) receive(in *incoming) bool {
	id, now := tagID(in.tag), c.Clock.Now()
	switch tagRole(in.tag) {
	case roleReply:
		c.Fabric.Release(in.packet)
		c.Clock.Push(engine.Event{At: now + c.Machine.NIC.Complete, Kind: evDone, A: id})
		return true
	case roleWord:
		c.Fabric.Release(in.packet)
		c.answered(id)
		return true
	case roleAsk:
		c.Fabric.Release(in.packet)
		t := c.transfers.At(id)
		t.fetching = true
		c.Clock.Push(engine.Event{At: now + c.Machine.NIC.Receive, Kind: evFetch, A: id})
		return true
	}
	switch {
	case c.transfers.At(id).Action == host.IPush:
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
	t := c.transfers.At(id)
	p := &c.ports[t.receives()]
	n := c.packet(t, t.arrived)
	first, last := in.first, in.last
	if t.Action == host.Push && t.command == nil {
		rings := &c.rings[t.Target]
		first, last = max(first, rings.managed), max(last, rings.appended)
	}
	_, end := p.bus.Write(first, n, c.pieces(id, t.writes(), t.arrived, n))
	t.arrived += n
	c.Clock.Push(engine.Event{At: max(end, last), Kind: evWritten, A: in.packet, B: id, C: uint32(n)})
}

// append writes a packet of an IPUSH to the target's ring, or returns false if that
// is full. What chooses the places does so for one packet after the other.
func (c *dma) append(id uint32, in *incoming) bool {
	t := c.transfers.At(id)
	r, rings := &c.Ranks[t.Target], &c.rings[t.Target]
	manage := c.Machine.Ring.Manage
	if in.due == 0 {
		in.due = max(in.first, rings.managed) + manage
	}
	n := c.packet(t, t.arrived)
	h := r.RingPacket(t.initiator, n, t.arrived+n == t.size)
	place, ok := r.Place(&h)
	if !ok {
		return false
	}
	t.arrived += n
	rings.managed = in.due
	_, end := c.ports[t.away].bus.Write(rings.managed, n, spans(&place))
	rings.appended = max(end, in.last+manage, rings.appended)
	rings.placed.Push(place)
	c.Clock.Push(engine.Event{At: rings.appended, Kind: evWritten, A: in.packet, B: id, C: uint32(n)})
	return true
}

// spans returns in how many pieces a packet lies in a ring.
func spans(p *ring.Placement) int {
	if p.At[1].Bytes > 0 {
		return 2
	}
	return 1
}

// written moves the data of a packet whose write to memory has ended.
func (c *dma) written(packet, id uint32, n int) {
	if packet != 0 {
		c.Fabric.Release(packet)
	}
	t := c.transfers.At(id)
	switch t.Action {
	case host.Push:
		c.write(id, n)
	case host.IPush:
		c.store(id, n)
	}
	t.written += n
	if t.written < t.size {
		return
	}
	if t.command != nil && c.isTaken(id) && t.command.acts() {
		c.Clock.Push(engine.Event{At: c.Clock.Now() + c.Queue.Arrive, Kind: evTaken, A: id})
		return
	}
	c.answer(id)
}

// answer lets the initiator of a transfer know that all data is written.
func (c *dma) answer(id uint32) {
	t, now := c.transfers.At(id), c.Clock.Now()
	switch {
	case t.Action == host.Pull || t.Target == t.initiator:
		c.Clock.Push(engine.Event{At: now + c.Machine.NIC.Complete, Kind: evDone, A: id})
	case c.Machine.NIC.Replies:
		c.Clock.Push(engine.Event{At: now + c.Machine.NIC.Reply, Kind: evReply, A: id, B: roleReply})
	default:
		c.Clock.Push(engine.Event{At: now, Kind: evDone, A: id})
	}
}

// write copies the next n bytes of a PUSH into its target's memory.
func (c *dma) write(id uint32, n int) {
	t := c.transfers.At(id)
	if c.reachable(id) {
		c.Move(t.memory, &t.Far, t.Local, &t.Near, t.written, n)
	}
	c.Ranks[t.Target].Touched()
}

// store copies the next n bytes of an IPUSH to their place in the ring. Packets are
// written in the order in which they were placed.
func (c *dma) store(id uint32, n int) {
	t := c.transfers.At(id)
	r := &c.Ranks[t.Target]
	h := r.RingPacket(t.initiator, n, t.written+n == t.size)
	r.Store(&h, c.rings[t.Target].placed.Pop(), t.Local[t.written:][:n])
}

// reachable reports whether the target of a PUSH or PULL has the memory that it
// accesses, and fails the operation if not.
func (c *dma) reachable(id uint32) bool {
	t := c.transfers.At(id)
	if t.memory != nil {
		return true
	}
	if t.command != nil && (t.size == 0 || !c.isTaken(id)) {
		return false
	}
	memory, err := c.Locate(&t.Request, &t.Far)
	if err != nil {
		c.FailOp(id, err)
		return false
	}
	t.memory = memory
	return true
}

// pieces returns in how many contiguous pieces n bytes of a transfer lie in the
// memory of one side, where the target has it.
func (c *dma) pieces(id uint32, access *onesided.Layout, offset, n int) int {
	if access.IsContiguous() || access == &c.transfers.At(id).Far && !c.reachable(id) {
		return 1
	}
	return access.Pieces(offset, n)
}

package dma

import (
	"fmt"

	"musubi/nic/ring"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/units"
)

// receiver is the receiving side of all ports: it writes data to memory and to receive rings,
// and keeps packets waiting that find no room.
type receiver struct {
	*interfaces
	*Section
	transfers *transfers
	bulks     *bulks
	sender    *sender
	commands  *commands
	changer   *changer
	waiting   []host.FIFO[incoming] // at each port, packets that find no room in a ring, or are behind one
	rings     []ringWrites          // of each rank
	looped    []units.Time          // at each port, when the last packet that has not left its interface is whole
	managers  []units.Time          // of each node, when it has chosen the last place in a ring
}

// ringWrites is how far a node is with what goes to the rings of a rank.
type ringWrites struct {
	placed   host.FIFO[ring.Placement] // of packets that are being written to rings
	managed  units.Time                // when the last packet for a ring of the rank had got its place
	appended units.Time                // when the last of them is written
	pushed   units.Time                // when the last packet of a PUSH is
}

// incoming is a packet at the network interface that it was sent to.
type incoming struct {
	tag    uint64
	packet uint32     // of the fabric; 0 if it has not left its network interface
	first  units.Time // when its data can begin to be written to memory
	last   units.Time // when the last of it can
	due    units.Time // when its place in a ring is found; 0 if none was looked for
}

// delivered receives a packet from the fabric.
func (c *receiver) delivered(packet uint32, d fabric.Delivery) {
	c.TellStage(c.NodeAt[d.Dst], "receive", "nic.receive", d.Header, d.Header+c.Machine.NIC.Receive)
	in := incoming{tag: d.Tag, packet: packet, first: d.Header + c.Machine.NIC.Receive, last: d.Tail + c.Machine.NIC.Receive}
	c.arrive(c.NodeAt[d.Dst]*int32(c.engines)+int32(d.In), in, d.Class == 0)
}

// loopBack receives a packet that does not leave its network interface, behind those that have
// gone this way before.
func (c *receiver) loopBack(id uint32) {
	t := c.transfers.At(id)
	looped := &c.looped[t.receives()]
	first := max(c.Clock.Now(), *looped)
	*looped = max(first, t.ready)
	c.arrive(t.receives(), incoming{tag: tag(id, roleData), first: first, last: *looped}, t.Action != host.Pull)
}

// arrive receives a packet unless there is no room for it, or none for one before
// it that holds it back. It waits then, and occupies the buffer of the fabric that
// it is in. Packets that travel in another class than pushes have buffers of their
// own and are not held back.
func (c *receiver) arrive(port int32, in incoming, inOrder bool) {
	waiting := &c.waiting[port]
	if inOrder && waiting.Len() > 0 || !c.receive(&in) {
		waiting.Push(in)
	}
}

// released receives what waits at the ports of a rank, as far as there is room now.
func (c *receiver) released(rank int32) {
	for e := range c.engines {
		c.receiveWaiting(&c.waiting[c.port(rank, e)])
	}
}

// receiveWaiting receives what waits at a port, as far as there is room.
func (c *receiver) receiveWaiting(waiting *host.FIFO[incoming]) {
	for waiting.Len() > 0 {
		in, now := waiting.Front(), c.Clock.Now()
		in.first = max(in.first, now)
		if in.due > 0 {
			in.due = max(in.due, now)
		}
		if !c.receive(in) {
			return
		}
		waiting.Pop()
	}
}

// receive handles a packet, or returns false if there is no room for it.
func (c *receiver) receive(in *incoming) bool {
	id, now := tagID(in.tag), c.Clock.Now()
	switch tagRole(in.tag) {
	case roleReply:
		c.Fabric.Release(in.packet)
		c.transfers.complete(id, now)
		return true
	case roleWord:
		c.Fabric.Release(in.packet)
		c.changer.answered(id)
		return true
	case roleAsk:
		c.Fabric.Release(in.packet)
		t := c.transfers.At(id)
		t.fetching = true
		c.Clock.Push(engine.Event{At: now + c.Machine.NIC.Receive, Kind: t.begins(), A: id})
		return true
	}
	switch {
	case c.transfers.At(id).Action == host.IPush:
		if !c.append(id, in) {
			return false
		}
	case c.commands.admits(id):
		c.deposit(id, in)
	default:
		return false
	}
	if in.packet == 0 {
		c.commands.left(id)
	}
	return true
}

// deposit writes a packet with data of a PUSH or PULL to where that says. A PUSH
// stays behind what goes to rings before it.
func (c *receiver) deposit(id uint32, in *incoming) {
	t := c.transfers.At(id)
	n := c.transfers.packet(t, t.arrived)
	first, last := in.first, in.last
	inOrder := t.Action == host.Push && t.command == nil
	if inOrder {
		rings := &c.rings[t.Target]
		first, last = max(first, rings.managed), max(last, rings.appended)
	}
	end := last
	if t.bulk {
		end = c.bulks.write(id, last)
	} else {
		_, written := c.buses[t.receives()].Write(first, n, c.transfers.pieces(id, t.writes(), t.arrived, n))
		end = max(end, written)
	}
	t.arrived += n
	if inOrder {
		c.rings[t.Target].pushed = end
	}
	c.Clock.Push(engine.Event{At: end, Kind: evWritten, A: in.packet, Args: engine.Args{B: id, C: uint32(n)}})
}

// append writes a packet of an IPUSH to the target's ring, or returns false if that
// is full. What chooses the places does so for one packet after the other.
func (c *receiver) append(id uint32, in *incoming) bool {
	t := c.transfers.At(id)
	r, rings := &c.Ranks[t.Target], &c.rings[t.Target]
	manager, manage := &c.managers[c.NodeOf[t.Target]], c.Machine.Ring.Manage
	if in.due == 0 {
		in.due = max(in.first, *manager) + manage
	}
	n := c.transfers.packet(t, t.arrived)
	h := r.RingPacket(t.initiator, n, t.arrived+n == t.size)
	place, ok := r.Place(&h)
	if !ok {
		return false
	}
	t.arrived += n
	rings.managed, *manager = in.due, in.due
	c.TellStage(c.NodeOf[t.Target], "rings", "ring.manage", in.due-manage, in.due)
	_, end := c.buses[t.away].Write(rings.managed, n, spans(&place))
	if n == 0 { // it does not wait for the bus, but for what was pushed before
		end = max(end, rings.pushed)
	}
	rings.appended = max(end, in.last+manage, rings.appended)
	rings.placed.Push(place)
	c.Clock.Push(engine.Event{At: rings.appended, Kind: evWritten, A: in.packet, Args: engine.Args{B: id, C: uint32(n)}})
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
func (c *receiver) written(packet, id uint32, n int) {
	if packet != 0 {
		c.Fabric.Release(packet)
	}
	t := c.transfers.At(id)
	switch t.Action {
	case host.Push:
		c.transfers.write(id, n)
	case host.IPush:
		c.store(id, n)
	}
	t.written += n
	if t.written < t.size {
		return
	}
	c.Arrived(t.initiator, &t.Request)
	if t.command != nil && c.transfers.isTaken(id) && t.command.acts() {
		c.Clock.Push(engine.Event{At: c.Clock.Now() + c.Queue.Arrive, Kind: evTaken, A: id})
		return
	}
	c.sender.answer(id)
}

// store copies the next n bytes of an IPUSH to their place in the ring. Packets are
// written in the order in which they were placed.
func (c *receiver) store(id uint32, n int) {
	t := c.transfers.At(id)
	r := &c.Ranks[t.Target]
	h := r.RingPacket(t.initiator, n, t.written+n == t.size)
	r.Store(&h, c.rings[t.Target].placed.Pop(), t.Local[t.written:][:n])
}

// blocked says which puts wait for the place of a notice; empty if none does.
func (c *receiver) blocked() string {
	var waits []string
	for i := range c.waiting {
		for _, in := range c.waiting[i].All() {
			if t := c.transfers.At(tagID(in.tag)); t.command != nil && t.command.Notice && tagRole(in.tag) == roleData {
				waits = append(waits, fmt.Sprintf("a put of rank %d waits for the place of a notice in command queue %d of rank %d, which takes none",
					t.initiator, t.command.TargetQueue.Queue, t.Target))
			}
		}
	}
	return host.JoinSome(waits, "; ")
}

package dma

import (
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/units"
)

// staging is how many packets of one transfer a network interface holds: one on
// the link, one being fetched.
const staging = 2

// Roles of packets.
const (
	roleData    = iota // part of a PUSH or IPUSH, or of the answer to a PULL
	roleReply          // the last data of a push has been written
	roleAsk            // a PULL asks for data, or a word is to be changed
	roleBarrier        // the word of a member of a group; see barrier.go
	roleWord           // what was in a word before it was changed
	roleBits    = 3
)

// tag packs what a packet belongs to and its role into fabric.Packet.Tag.
func tag(id, role uint32) uint64 { return uint64(id)<<roleBits | uint64(role) }

// tagID and tagRole are the inverse of tag.
func tagID(tag uint64) uint32   { return uint32(tag >> roleBits) }
func tagRole(tag uint64) uint32 { return uint32(tag & (1<<roleBits - 1)) }

// command takes a transfer into the initiator's network interface.
func (c *dma) command(id uint32) {
	p := &c.ports[c.transfers.At(id).home]
	if limit := c.Machine.NIC.InFlight; limit > 0 && p.active >= limit {
		p.queue.Push(id)
		return
	}
	p.active++
	c.begin(id)
}

// begin starts a transfer that has a place in the network interface.
func (c *dma) begin(id uint32) {
	t := c.transfers.At(id)
	delay := c.Machine.NIC.Start
	if t.By == rma.BOTF {
		delay = c.Machine.NIC.PIOStart
	}
	ev := engine.Event{At: c.Clock.Now() + delay, Kind: evFetch, A: id}
	if (t.Action == host.Pull || t.Action == host.Change) && t.Target != t.initiator {
		ev.Kind, ev.B = evReply, roleAsk
		c.Clock.Push(ev)
		return
	}
	if t.Action == host.Push || t.Action == host.IPush {
		c.enqueue(id, t)
	}
	t.fetching = true
	c.Clock.Push(ev)
}

// connection is the way of pushes from one rank to another. They keep their
// order: each is fetched, and then handed to the fabric, after the one before.
type connection struct{ initiator, target int32 }

// pushQueue is the pushes of a connection.
type pushQueue struct {
	last   uint32     // of those that are not fetched whole, 0 if all are
	handed units.Time // when the last packet of the others is handed to the fabric
}

// enqueue puts a push behind those to the same target.
func (c *dma) enqueue(id uint32, t *transfer) {
	way := connection{t.initiator, t.Target}
	l := c.pushes[way]
	if l.last != 0 {
		c.transfers.At(l.last).follower = id
		t.behind = true
	}
	t.notBefore = l.handed
	c.pushes[way] = pushQueue{last: id}
}

// dequeue lets the push go on that is behind one whose last packet is handed to
// the fabric at a time.
func (c *dma) dequeue(t *transfer, at units.Time) {
	if t.follower == 0 {
		c.pushes[connection{t.initiator, t.Target}] = pushQueue{handed: at}
		return
	}
	next := c.transfers.At(t.follower)
	next.behind, next.notBefore = false, at
	if next.held {
		c.Clock.Push(engine.Event{At: c.Clock.Now(), Kind: evFetch, A: t.follower})
	}
}

// fetch reads the data of a transfer's next packet over the bus of its source.
// That of a push by PIO is in the network interface already. A word has its turn.
func (c *dma) fetch(id uint32) {
	t := c.transfers.At(id)
	if t.Action == host.Change {
		c.queueChange(id)
		return
	}
	if t.behind {
		t.held = true
		return
	}
	if t.Action == host.IPush && t.fetched == 0 {
		if err := c.Ranks[t.Target].Admits(t.initiator, t.size); err != nil {
			c.abandon(id, err)
			return
		}
	}
	n := c.packet(t, t.fetched)
	if t.Action == host.Pull {
		c.read(id, n)
	}
	at := c.Clock.Now()
	if t.By != rma.BOTF {
		at, t.ready = c.ports[t.sends()].bus.Read(at, n, c.pieces(id, t.reads(), t.fetched, n))
		if c.Machine.NIC.Staging != "cut-through" {
			at = t.ready
		}
	}
	t.fetched += n
	at = max(at, t.notBefore)
	c.Clock.Push(engine.Event{At: at, Kind: evInject, A: id, B: uint32(n)})
	if t.Action != host.Pull && t.command == nil && t.fetched == t.size {
		c.dequeue(t, at)
	}
}

// abandon ends a push of which nothing has been sent.
func (c *dma) abandon(id uint32, err error) {
	c.FailOp(id, err)
	t := c.transfers.At(id)
	c.dequeue(t, max(c.Clock.Now(), t.notBefore))
	c.Clock.Push(engine.Event{At: c.Clock.Now(), Kind: evDone, A: id})
}

// read copies the next n bytes of a PULL out of its target's memory.
func (c *dma) read(id uint32, n int) {
	if t := c.transfers.At(id); c.reachable(id) {
		c.Move(t.Local, &t.Near, t.memory, &t.Far, t.fetched, n)
	}
}

// inject hands a fetched packet to the fabric and goes on fetching.
func (c *dma) inject(id uint32, n int) {
	t := c.transfers.At(id)
	t.fetching = false
	t.staged++
	from, to := t.source(), t.sink()
	switch {
	case from == to && t.command != nil:
		c.Clock.Push(engine.Event{At: c.Clock.Now() + c.Queue.Self, Kind: evLooped, A: id})
		return
	case from == to:
		c.loopBack(id)
		return
	}
	class := 0
	if t.Action == host.Pull {
		class = c.Machine.Switch.Classes - 1
	}
	c.Fabric.Send(fabric.Packet{
		Src: c.Hosts[from], Out: c.engineOf(t.sends()), Dst: c.Hosts[to], In: c.engineOf(t.receives()),
		Flits: c.Machine.PacketFlits(units.Bytes(n)), Class: class,
		Tag: tag(id, roleData), Ready: t.ready, NotifySent: t.fetched < t.size || t.command != nil,
	})
	c.fetchMore(id)
}

// fetchMore fetches another packet if there is one and room for it.
func (c *dma) fetchMore(id uint32) {
	t := c.transfers.At(id)
	if t.fetched < t.size && t.staged < staging && !t.fetching {
		t.fetching = true
		c.Clock.Push(engine.Event{At: max(c.Clock.Now(), t.ready), Kind: evFetch, A: id})
	}
}

// sent notes that a packet with successors, or of a command, has left the network
// interface.
func (c *dma) sent(packet uint32) { c.left(tagID(c.Fabric.Delivery(packet).Tag)) }

// left makes the place of a packet in its network interface free.
func (c *dma) left(id uint32) {
	t := c.transfers.At(id)
	t.staged--
	c.fetchMore(id)
	if t.command != nil && t.fetched == t.size && t.staged == 0 && !t.fetching {
		c.handedOver(uint32(t.home))
	}
}

// loopBack receives a packet that does not leave its network interface.
func (c *dma) loopBack(id uint32) {
	t := c.transfers.At(id)
	c.arrive(&c.ports[t.receives()], incoming{tag: tag(id, roleData), first: c.Clock.Now(), last: max(c.Clock.Now(), t.ready)}, t.Action != host.Pull)
}

// reply sends the reply to a push, the question of a PULL, or the request or the answer of
// the change of a word.
func (c *dma) reply(id, role uint32) {
	t := c.transfers.At(id)
	p := fabric.Packet{
		Src: c.Hosts[t.initiator], Out: c.engineOf(t.home), Dst: c.Hosts[t.Target], In: c.engineOf(t.away),
		Flits: c.Machine.Packet.Reply, Tag: tag(id, role),
	}
	switch {
	case t.Action == host.Change && role == roleAsk:
		p.Flits = c.Machine.PacketFlits(wordOperands)
	case role == roleWord:
		p.Flits = wordFlits(c.Machine)
	}
	if role != roleAsk {
		p.Src, p.Dst, p.Out, p.In = p.Dst, p.Src, p.In, p.Out
		p.Class = c.Machine.Switch.Classes - 1
	}
	c.Fabric.Send(p)
}

// done ends a transfer at its initiator and begins the next that waits there.
func (c *dma) done(id uint32) {
	t := c.transfers.At(id)
	if t.command != nil {
		c.commandDone(id)
		return
	}
	if t.Action == host.Change {
		c.tellWord(t, id)
	}
	p := &c.ports[t.home]
	c.CompleteOp(id)
	p.active--
	if p.queue.Len() > 0 {
		p.active++
		c.begin(p.queue.Pop())
	}
}

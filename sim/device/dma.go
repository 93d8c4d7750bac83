package device

import (
	"fmt"

	"musubi/nic"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/machine"
	"musubi/units"
)

// dma is the model of network interfaces that are described by the times of a
// few stages; see the package documentation.
type dma struct {
	*Cluster
	ports     []dmaPort
	transfers []transfer            // by number of the operation
	fetching  map[connection]uint32 // the last PUSH of those that are not fetched whole
}

// dmaPort is the network interface of a rank, with its bus.
type dmaPort struct {
	bus    bus
	queue  []uint32 // transfers that wait for a place
	active int      // transfers under way
}

func newDMA(c *Cluster) *dma {
	d := &dma{Cluster: c, fetching: map[connection]uint32{}}
	for range c.ranks {
		d.ports = append(d.ports, dmaPort{bus: newBus(&c.m.Bus)})
	}
	return d
}

// transfer is a PUSH, PULL or IPUSH.
type transfer struct {
	request
	initiator int32
	fetching  bool       // evFetch or evInject is pending
	staged    int32      // packets fetched that have not left the interface yet
	behind    bool       // an earlier PUSH to the same target has data to be fetched
	held      bool       // it has come to fetching, but is behind
	follower  uint32     // next PUSH to the same target, 0 if none
	notBefore units.Time // when the one before it has been handed to the fabric
	fetched   int        // bytes read from memory
	arrived   int        // bytes that have reached the other interface
	written   int        // bytes in memory
	ready     units.Time
}

// staging is how many packets of one transfer a network interface holds: one on
// the link, one being fetched.
const staging = 2

// Roles of packets.
const (
	roleData  = iota // part of a PUSH, or of the answer to a PULL
	roleReply        // the last data of a PUSH has been written
	roleAsk          // a PULL asks for data
	roleBits  = 2
)

// tag packs what a packet belongs to and its role into fabric.Packet.Tag.
func tag(id, role uint32) uint64 { return uint64(id)<<roleBits | uint64(role) }

// window implements model. The interface has no memory that the processor reads
// better than its own.
func (c *dma) window(_ *rank, bytes int) ([]byte, error) { return make([]byte, bytes), nil }

// completion and arrival implement model.
func (c *dma) completion() look { return look{delay: c.m.Host.Poll} }
func (c *dma) arrival() look    { return look{delay: c.m.Host.Poll} }

// useWindows implements model.
func (c *dma) useWindows(*rank, int) error {
	return fmt.Errorf("rma: machine %s has no windows to choose from", c.m.Name)
}

// finish implements model: nothing is left.
func (c *dma) finish(*rank, uint32) {}

// readRecord implements model. The record comes with the look that finds it.
func (c *dma) readRecord() units.Time { return 0 }

// take implements model.
func (c *dma) take(r *rank, rec *nic.Record, into []byte, _ rma.Caching) {
	if into != nil {
		r.sleep(copyTime(c.m, rec.Bytes))
		r.inbox.fetch(rec, into)
	}
}

// load implements model: processor and interface share their memory.
func (c *dma) load(r *rank, _ rma.Address, _ *nic.Access, into []byte, _ rma.Caching) {
	r.sleep(copyTime(c.m, len(into)))
}

// copyTime is how long the processor copies n bytes within memory.
func copyTime(m *machine.Machine, n int) units.Time {
	if n == 0 || m.Host.Copy == 0 {
		return 0
	}
	return m.Host.Copy.Transfer(units.Bytes(n))
}

// released implements model.
func (c *dma) released(r *rank) {}

// start implements model. It occupies the processor until the transfer is in the
// hands of the network interface.
func (c *dma) start(r *rank, q *request) (rma.Op, error) {
	host := &c.m.Host
	cost := host.Post
	if q.by == rma.BOTF {
		limit := c.m.NIC.PIOPayload
		if n := units.Bytes(q.bytes()); n > limit {
			return 0, fmt.Errorf("rma: %v of %d bytes by %v; machine %s takes at most %d", q.kind, n, q.by, c.m.Name, limit)
		}
		cost = host.PIO
		if n := q.bytes(); n > 0 && host.PIORate > 0 {
			cost += host.PIORate.Transfer(units.Bytes(n))
		}
	}
	r.sleep(cost)
	id, op := c.newOp(r)
	c.transfers = grown(c.transfers, id)
	c.transfers[id] = transfer{request: *q, initiator: int32(r.number)}
	c.command(id)
	return op, nil
}

// handle implements model.
func (c *dma) handle(ev engine.Event) {
	switch ev.Kind {
	case fabric.Delivered:
		c.delivered(ev.A)
	case fabric.Sent:
		c.sent(ev.A)
	case evFetch:
		c.fetch(ev.A, ev.B)
	case evInject:
		c.inject(ev.A, int(ev.B))
	case evWritten:
		c.written(ev.A, ev.B, int(ev.C))
	case evReply:
		c.reply(ev.A, ev.B)
	case evDone:
		c.done(ev.A)
	default:
		panic(fmt.Sprintf("device: event of unknown kind %d", ev.Kind))
	}
}

// command takes a transfer into the initiator's network interface.
func (c *dma) command(id uint32) {
	p := &c.ports[c.transfers[id].initiator]
	if limit := c.m.NIC.InFlight; limit > 0 && p.active >= limit {
		p.queue = append(p.queue, id)
		return
	}
	p.active++
	c.begin(id)
}

// begin starts a transfer that has a place in the network interface.
func (c *dma) begin(id uint32) {
	t := &c.transfers[id]
	delay := c.m.NIC.Start
	if t.by == rma.BOTF {
		delay = c.m.NIC.PIOStart
	}
	ev := engine.Event{At: c.q.Now() + delay, Kind: evFetch, A: id, B: uint32(t.initiator)}
	if t.kind == pull && t.target != t.initiator {
		ev.Kind, ev.B = evReply, roleAsk
		c.q.Push(ev)
		return
	}
	if t.kind != pull {
		c.lineUp(id, t)
	}
	t.fetching = true
	c.q.Push(ev)
}

// connection is the way of PUSHes from one rank to another. They keep their
// order: each is fetched, and then handed to the fabric, after the one before.
type connection struct{ initiator, target int32 }

// lineUp puts a PUSH behind those to the same target that are not fetched whole.
func (c *dma) lineUp(id uint32, t *transfer) {
	way := connection{t.initiator, t.target}
	if last, ok := c.fetching[way]; ok {
		c.transfers[last].follower = id
		t.behind = true
	}
	c.fetching[way] = id
}

// moveUp lets the PUSH go on that is behind one whose last packet is handed to
// the fabric at a time.
func (c *dma) moveUp(t *transfer, at units.Time) {
	if t.follower == 0 {
		delete(c.fetching, connection{t.initiator, t.target})
		return
	}
	next := &c.transfers[t.follower]
	next.behind, next.notBefore = false, at
	if next.held {
		c.q.Push(engine.Event{At: c.q.Now(), Kind: evFetch, A: t.follower, B: uint32(t.initiator)})
	}
}

// source returns the rank whose memory the data of a transfer comes from.
func (t *transfer) source() int32 {
	if t.kind == pull {
		return t.target
	}
	return t.initiator
}

// fetch reads the data of a transfer's next packet over the bus of its source.
// That of a PUSH by PIO is in the network interface already.
func (c *dma) fetch(id uint32, source uint32) {
	t := &c.transfers[id]
	if t.behind {
		t.held = true
		return
	}
	n := min(len(t.local)-t.fetched, int(c.m.Packet.Payload))
	if t.kind == pull {
		c.read(id, n)
	}
	t.fetched += n
	at := c.q.Now()
	if t.by != rma.BOTF {
		at, t.ready = c.ports[source].bus.read(at, n)
		if c.m.NIC.Staging != "cut-through" {
			at = t.ready
		}
	}
	at = max(at, t.notBefore)
	c.q.Push(engine.Event{At: at, Kind: evInject, A: id, B: uint32(n)})
	if t.kind != pull && t.fetched == len(t.local) {
		c.moveUp(t, at)
	}
}

// inject hands a fetched packet to the fabric and goes on fetching.
func (c *dma) inject(id uint32, n int) {
	t := &c.transfers[id]
	t.fetching = false
	t.staged++
	from, to := t.source(), t.initiator+t.target-t.source()
	if from == to {
		c.loopBack(id, n)
		return
	}
	class := 0
	if t.kind == pull {
		class = c.m.Switch.Classes - 1
	}
	c.fabric.Send(fabric.Packet{
		Src: c.cfg.Hosts[from], Dst: c.cfg.Hosts[to], Flits: c.m.PacketFlits(units.Bytes(n)), Class: class,
		Tag: tag(id, roleData), Ready: t.ready, NotifySent: t.fetched < len(t.local),
	})
	c.fetchMore(id)
}

// fetchMore fetches another packet if there is one and room for it.
func (c *dma) fetchMore(id uint32) {
	t := &c.transfers[id]
	if t.fetched < len(t.local) && t.staged < staging && !t.fetching {
		t.fetching = true
		c.q.Push(engine.Event{At: max(c.q.Now(), t.ready), Kind: evFetch, A: id, B: uint32(t.source())})
	}
}

// sent notes that a packet with successors has left the network interface.
func (c *dma) sent(packet uint32) {
	id := uint32(c.fabric.Delivery(packet).Tag >> roleBits)
	c.transfers[id].staged--
	c.fetchMore(id)
}

// loopBack writes a packet that does not leave its network interface.
func (c *dma) loopBack(id uint32, n int) {
	t := &c.transfers[id]
	t.staged--
	_, end := c.ports[t.initiator].bus.write(c.q.Now(), n)
	c.q.Push(engine.Event{At: max(end, t.ready), Kind: evWritten, A: 0, B: id, C: uint32(n)})
	c.fetchMore(id)
}

// delivered handles a packet at the network interface that it was sent to.
func (c *dma) delivered(packet uint32) {
	d := c.fabric.Delivery(packet)
	id := uint32(d.Tag >> roleBits)
	t := &c.transfers[id]
	now := c.q.Now()
	switch d.Tag & (1<<roleBits - 1) {
	case roleReply:
		c.fabric.Release(packet)
		c.q.Push(engine.Event{At: now + c.m.NIC.Complete, Kind: evDone, A: id})
	case roleAsk:
		c.fabric.Release(packet)
		t.fetching = true
		c.q.Push(engine.Event{At: now + c.m.NIC.Receive, Kind: evFetch, A: id, B: uint32(t.target)})
	default:
		n := min(len(t.local)-t.arrived, int(c.m.Packet.Payload))
		t.arrived += n
		_, end := c.ports[c.rankAt[d.Dst]].bus.write(d.Header+c.m.NIC.Receive, n)
		c.q.Push(engine.Event{At: max(end, d.Tail+c.m.NIC.Receive), Kind: evWritten, A: packet, B: id, C: uint32(n)})
	}
}

// written moves the data of a packet whose write to memory has ended.
func (c *dma) written(packet, id uint32, n int) {
	if packet != 0 {
		c.fabric.Release(packet)
	}
	t := &c.transfers[id]
	if t.kind != pull {
		c.write(id, n)
		c.ranks[t.target].touched()
	}
	t.written += n
	if t.written < len(t.local) {
		return
	}
	now := c.q.Now()
	switch {
	case t.kind == pull || t.target == t.initiator:
		c.q.Push(engine.Event{At: now + c.m.NIC.Complete, Kind: evDone, A: id})
	case c.m.NIC.Replies:
		c.q.Push(engine.Event{At: now + c.m.NIC.Reply, Kind: evReply, A: id, B: roleReply})
	default:
		c.q.Push(engine.Event{At: now, Kind: evDone, A: id})
	}
}

// reply sends the reply to a PUSH, or the question of a PULL.
func (c *dma) reply(id, role uint32) {
	t := &c.transfers[id]
	p := fabric.Packet{Src: c.cfg.Hosts[t.initiator], Dst: c.cfg.Hosts[t.target], Flits: c.m.Packet.Reply, Tag: tag(id, role)}
	if role == roleReply {
		p.Src, p.Dst = p.Dst, p.Src
		p.Class = c.m.Switch.Classes - 1
	}
	c.fabric.Send(p)
}

// done ends a transfer at its initiator and begins the next that waits there.
func (c *dma) done(id uint32) {
	p := &c.ports[c.transfers[id].initiator]
	c.completeOp(id)
	p.active--
	if len(p.queue) > 0 {
		next := p.queue[0]
		p.queue = p.queue[1:]
		p.active++
		c.begin(next)
	}
}

// write copies the next n bytes of a PUSH into its target's memory.
func (c *dma) write(id uint32, n int) {
	t := &c.transfers[id]
	memory, err := c.ranks[t.target].segment(t.address, len(t.local))
	if err != nil {
		c.failOp(id, err)
		return
	}
	copy(memory[t.written:], t.local[t.written:t.written+n])
}

// read copies the next n bytes of a PULL out of its target's memory.
func (c *dma) read(id uint32, n int) {
	t := &c.transfers[id]
	memory, err := c.ranks[t.target].segment(t.address, len(t.local))
	if err != nil {
		c.failOp(id, err)
		return
	}
	copy(t.local[t.fetched:t.fetched+n], memory[t.fetched:])
}

package device

import (
	"fmt"

	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// transfer is a PUSH or PULL from the call until the program has waited for it.
type transfer struct {
	initiator, target int32
	address           rma.Address
	local             []byte // data of a PUSH, destination of a PULL
	generation        uint32
	pull, pio         bool
	complete          bool
	fetching          bool       // evFetch or evInject is pending
	staged            int32      // packets fetched that have not left the interface yet
	behind            bool       // an earlier PUSH to the same target has data to be fetched
	held              bool       // it has come to fetching, but is behind
	follower          uint32     // next PUSH to the same target, 0 if none
	notBefore         units.Time // when the one before it has been handed to the fabric
	fetched           int        // bytes read from memory
	arrived           int        // bytes that have reached the other interface
	written           int        // bytes in memory
	ready             units.Time
	err               error
	next              uint32 // in the list of free transfers
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

func (c *Cluster) newTransfer(t transfer) (uint32, rma.Op) {
	id := c.unused
	if id == 0 {
		c.transfers = append(c.transfers, transfer{})
		id = uint32(len(c.transfers) - 1)
	} else {
		c.unused = c.transfers[id].next
	}
	t.generation = c.transfers[id].generation + 1
	c.transfers[id] = t
	return id, rma.Op(t.generation)<<32 | rma.Op(id)
}

func (c *Cluster) freeTransfer(id uint32) {
	t := &c.transfers[id]
	*t = transfer{generation: t.generation, next: c.unused, initiator: -1}
	c.unused = id
}

// lookup finds the transfer of an operation that a rank may wait for.
func (c *Cluster) lookup(op rma.Op, rank int) (uint32, error) {
	id := uint32(op)
	if int(id) >= len(c.transfers) || c.transfers[id].generation != uint32(op>>32) || int(c.transfers[id].initiator) != rank {
		return 0, fmt.Errorf("rma: Wait for operation %#x, which rank %d has not open; an operation may be waited for once", uint64(op), rank)
	}
	return id, nil
}

// command takes a transfer into the initiator's network interface.
func (c *Cluster) command(id uint32) {
	t := &c.transfers[id]
	r := &c.ranks[t.initiator]
	if c.fabric == nil {
		c.sendLogGP(id)
		return
	}
	if limit := c.m.NIC.InFlight; limit > 0 && r.active >= limit {
		r.queue = append(r.queue, id)
		return
	}
	r.active++
	c.start(id)
}

// start begins a transfer that has a place in the network interface.
func (c *Cluster) start(id uint32) {
	t := &c.transfers[id]
	delay := c.m.NIC.Start
	if t.pio {
		delay = c.m.NIC.PIOStart
	}
	ev := engine.Event{At: c.q.Now() + delay, Kind: evFetch, A: id, B: uint32(t.initiator)}
	if t.pull && t.target != t.initiator {
		ev.Kind, ev.B = evReply, roleAsk
		c.q.Push(ev)
		return
	}
	if !t.pull {
		c.lineUp(id, t)
	}
	t.fetching = true
	c.q.Push(ev)
}

// connection is the way of PUSHes from one rank to another. They keep their
// order: each is fetched, and then handed to the fabric, after the one before.
type connection struct{ initiator, target int32 }

// lineUp puts a PUSH behind those to the same target that are not fetched whole.
func (c *Cluster) lineUp(id uint32, t *transfer) {
	way := connection{t.initiator, t.target}
	if last, ok := c.fetching[way]; ok {
		c.transfers[last].follower = id
		t.behind = true
	}
	c.fetching[way] = id
}

// moveUp lets the PUSH go on that is behind one whose last packet is handed to
// the fabric at a time.
func (c *Cluster) moveUp(t *transfer, at units.Time) {
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
	if t.pull {
		return t.target
	}
	return t.initiator
}

// fetch reads the data of a transfer's next packet over the bus of its source.
// That of a PUSH by PIO is in the network interface already.
func (c *Cluster) fetch(id uint32, r *rank) {
	t := &c.transfers[id]
	if t.behind {
		t.held = true
		return
	}
	n := min(len(t.local)-t.fetched, int(c.m.Packet.Payload))
	if t.pull && t.err == nil {
		t.err = c.read(t, n)
	}
	t.fetched += n
	at := c.q.Now()
	if !t.pio {
		at, t.ready = r.bus.read(at, n)
		if c.m.NIC.Staging != "cut-through" {
			at = t.ready
		}
	}
	at = max(at, t.notBefore)
	c.q.Push(engine.Event{At: at, Kind: evInject, A: id, B: uint32(n)})
	if !t.pull && t.fetched == len(t.local) {
		c.moveUp(t, at)
	}
}

// inject hands a fetched packet to the fabric and goes on fetching.
func (c *Cluster) inject(id uint32, n int) {
	t := &c.transfers[id]
	t.fetching = false
	t.staged++
	from, to := t.source(), t.initiator+t.target-t.source()
	if from == to {
		c.loopBack(id, n)
		return
	}
	class := 0
	if t.pull {
		class = c.m.Switch.Classes - 1
	}
	c.fabric.Send(fabric.Packet{
		Src: c.cfg.Hosts[from], Dst: c.cfg.Hosts[to], Flits: c.m.PacketFlits(units.Bytes(n)), Class: class,
		Tag: tag(id, roleData), Ready: t.ready, NotifySent: t.fetched < len(t.local),
	})
	c.fetchMore(id)
}

// fetchMore fetches another packet if there is one and room for it.
func (c *Cluster) fetchMore(id uint32) {
	t := &c.transfers[id]
	if t.fetched < len(t.local) && t.staged < staging && !t.fetching {
		t.fetching = true
		c.q.Push(engine.Event{At: max(c.q.Now(), t.ready), Kind: evFetch, A: id, B: uint32(t.source())})
	}
}

// sent notes that a packet with successors has left the network interface.
func (c *Cluster) sent(packet uint32) {
	id := uint32(c.fabric.Delivery(packet).Tag >> roleBits)
	c.transfers[id].staged--
	c.fetchMore(id)
}

// loopBack writes a packet that does not leave its network interface.
func (c *Cluster) loopBack(id uint32, n int) {
	t := &c.transfers[id]
	t.staged--
	_, end := c.ranks[t.initiator].bus.write(c.q.Now(), n)
	c.q.Push(engine.Event{At: max(end, t.ready), Kind: evWritten, A: 0, B: id, C: uint32(n)})
	c.fetchMore(id)
}

// delivered handles a packet at the network interface that it was sent to.
func (c *Cluster) delivered(packet uint32) {
	d := c.fabric.Delivery(packet)
	if c.traffic != nil {
		c.traffic.delivered(packet, d)
		return
	}
	c.latency.record(d)
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
		_, end := c.ranks[c.rankAt[d.Dst]].bus.write(d.Header+c.m.NIC.Receive, n)
		c.q.Push(engine.Event{At: max(end, d.Tail+c.m.NIC.Receive), Kind: evWritten, A: packet, B: id, C: uint32(n)})
	}
}

// written moves the data of a packet whose write to memory has ended.
func (c *Cluster) written(packet, id uint32, n int) {
	if packet != 0 {
		c.fabric.Release(packet)
	}
	t := &c.transfers[id]
	if !t.pull {
		if err := c.write(t, n); err != nil {
			t.err = err
		}
		c.ranks[t.target].touched()
	}
	t.written += n
	if t.written < len(t.local) {
		return
	}
	now := c.q.Now()
	switch {
	case t.pull || t.target == t.initiator:
		c.q.Push(engine.Event{At: now + c.m.NIC.Complete, Kind: evDone, A: id})
	case c.m.NIC.Replies:
		c.q.Push(engine.Event{At: now + c.m.NIC.Reply, Kind: evReply, A: id, B: roleReply})
	default:
		c.q.Push(engine.Event{At: now, Kind: evDone, A: id})
	}
}

// reply sends the reply to a PUSH, or the question of a PULL.
func (c *Cluster) reply(id, role uint32) {
	t := &c.transfers[id]
	p := fabric.Packet{Src: c.cfg.Hosts[t.initiator], Dst: c.cfg.Hosts[t.target], Flits: c.m.Packet.Reply, Tag: tag(id, role)}
	if role == roleReply {
		p.Src, p.Dst = p.Dst, p.Src
		p.Class = c.m.Switch.Classes - 1
	}
	c.fabric.Send(p)
}

// done ends a transfer at its initiator and begins the next that waits there.
func (c *Cluster) done(id uint32) {
	t := &c.transfers[id]
	r := &c.ranks[t.initiator]
	t.complete = true
	if r.waiting == id {
		r.waiting = 0
		r.wakeAfter(c.completionCost())
	}
	if c.fabric == nil {
		return // LogGP limits nothing
	}
	r.active--
	if len(r.queue) > 0 {
		next := r.queue[0]
		r.queue = r.queue[1:]
		r.active++
		c.start(next)
	}
}

// completionCost is what it takes the processor to notice that its own transfer
// is complete. LogGP knows no such cost.
func (c *Cluster) completionCost() units.Time {
	if c.fabric == nil {
		return 0
	}
	return c.m.Host.Poll
}

// write copies the next n bytes of a PUSH into its target's memory.
func (c *Cluster) write(t *transfer, n int) error {
	memory, err := c.memory(t, t.written, n)
	copy(memory, t.local[t.written:t.written+n])
	return err
}

// read copies the next n bytes of a PULL out of its target's memory.
func (c *Cluster) read(t *transfer, n int) error {
	memory, err := c.memory(t, t.fetched, n)
	copy(t.local[t.fetched:t.fetched+n], memory)
	return err
}

// memory returns n bytes of the target of a transfer.
func (c *Cluster) memory(t *transfer, offset, n int) ([]byte, error) {
	segments := c.ranks[t.target].segments
	a := t.address
	if a.Segment < 0 || a.Segment >= len(segments) {
		return nil, fmt.Errorf("rma: access to %v, which is not exposed; %d segments are", a, len(segments))
	}
	size := len(segments[a.Segment])
	if a.Offset < 0 || a.Offset > size-len(t.local) {
		return nil, fmt.Errorf("rma: access to %d bytes at %v, outside the segment's %d bytes", len(t.local), a, size)
	}
	return segments[a.Segment][a.Offset+offset:][:n], nil
}

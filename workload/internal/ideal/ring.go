package ideal

import (
	"fmt"
	"slices"

	"musubi/rma"
	"musubi/units"
)

// ringInbox is the receive rings of a rank and its status ring, as lists.
type ringInbox struct {
	Of     []*idealRing // of each sender
	status []rma.Arrival
	held   map[uint64]*idealPacket // not taken yet, by Record
	count  uint64
}

type idealRing struct {
	rma.Ring
	used    int
	packets []*idealPacket // in the ring
	waiting []*idealPacket // without room
}

// idealPacket is what one record of the status ring is about.
type idealPacket struct {
	from  *Member
	ring  *idealRing
	data  []byte
	last  bool
	taken bool
	op    *operation // complete when the last packet is in the ring
}

func (r *Member) Rings(rings rma.Rings) error {
	if r.w.Rings != nil {
		return nil
	}
	if r.Inbox != nil {
		return fmt.Errorf("rank %d has rings", r.number)
	}
	return r.makeRings(rings)
}

func (r *Member) makeRings(rings rma.Rings) error {
	if err := rings.Check(r.Size(), max(1, r.w.Packet)); err != nil {
		return err
	}
	rings = rings.Lists(r.Size())
	b := &ringInbox{held: map[uint64]*idealPacket{}}
	other := &idealRing{Ring: rings.Other}
	for range r.Size() {
		b.Of = append(b.Of, other)
	}
	for _, private := range rings.Private {
		ring := &idealRing{Ring: private}
		for _, sender := range private.Senders {
			b.Of[sender] = ring
		}
	}
	r.Inbox = b
	return nil
}

// ready makes rings that nobody has asked for.
func (r *Member) ready() *ringInbox {
	rings := rma.PrivateRings(r.Size(), 1<<20)
	if r.w.Rings != nil {
		rings = r.w.Rings[r.number]
	}
	if r.Inbox == nil {
		if err := r.makeRings(rings); err != nil {
			panic(err)
		}
	}
	return r.Inbox
}

func (r *Member) IPush(to int, data []byte, by rma.Mechanism) (rma.Op, error) {
	if err := r.check(to, by, rma.Layout{}, len(data), rma.Layout{}); err != nil {
		return 0, err
	}
	t := r.w.ranks[to]
	id, op := r.newOp()
	r.w.at(r.send(to, data, len(data), by), func() {
		ring := t.ready().Of[r.number]
		if ring.Bytes == 0 || len(data) > ring.Bytes && ring.Status == rma.PerMessage {
			op.err = fmt.Errorf("%d bytes to rank %d, where the ring has %d", len(data), to, ring.Bytes)
			r.complete(op, r.w.now+r.w.Latency)
			return
		}
		ring.waiting = append(ring.waiting, r.split(ring, data, op)...)
		t.append(ring)
	})
	return id, nil
}

// split makes packets of a message.
func (r *Member) split(ring *idealRing, data []byte, op *operation) []*idealPacket {
	size := len(data)
	if ring.Status == rma.PerPacket && r.w.Packet > 0 {
		size = r.w.Packet
	}
	var packets []*idealPacket
	for {
		n := min(size, len(data))
		p := &idealPacket{from: r, ring: ring, data: data[:n:n], last: n == len(data), op: op}
		packets = append(packets, p)
		if data = data[n:]; p.last {
			return packets
		}
	}
}

// append moves what waits into a ring as far as there is room.
func (r *Member) append(ring *idealRing) {
	for len(ring.waiting) > 0 && ring.used+len(ring.waiting[0].data) <= ring.Bytes {
		p := ring.waiting[0]
		ring.waiting = ring.waiting[1:]
		ring.packets = append(ring.packets, p)
		ring.used += len(p.data)
		if p.last {
			p.from.complete(p.op, r.w.now+r.w.Latency)
		}
		p.data = r.w.carried(p.data)
		b := r.Inbox
		b.count++
		b.held[b.count] = p
		b.status = append(b.status, rma.Arrival{From: p.from.number, Bytes: len(p.data), Last: p.last, Record: b.count})
	}
	r.touched()
}

func (r *Member) Poll() (bool, error) { return len(r.ready().status) > 0, nil }

func (r *Member) Await(ops ...rma.Op) error {
	return r.AwaitUntil(func() bool { return false }, ops...)
}

func (r *Member) AwaitUntil(condition func() bool, ops ...rma.Op) error {
	b := r.ready()
	isComplete := func(id rma.Op) bool { return r.open[id] == nil || r.open[id].at <= r.w.now }
	for _, id := range ops {
		if op := r.open[id]; op != nil && op.at != units.Never {
			r.w.at(max(op.at, r.w.now), r.touched)
		}
	}
	return r.WaitUntil(func() bool { return len(b.status) > 0 || condition() || slices.ContainsFunc(ops, isComplete) })
}

func (r *Member) Next() (rma.Arrival, error) {
	if err := r.Await(); err != nil {
		return rma.Arrival{}, err
	}
	a := r.Inbox.status[0]
	r.Inbox.status = r.Inbox.status[1:]
	return a, nil
}

func (r *Member) Take(a rma.Arrival, into []byte, as rma.Caching) error {
	p := r.ready().held[a.Record]
	switch {
	case p == nil:
		return fmt.Errorf("arrival %d is not open", a.Record)
	case into != nil && len(into) < len(p.data):
		return fmt.Errorf("%d bytes into %d", len(p.data), len(into))
	}
	delete(r.Inbox.held, a.Record)
	if into != nil {
		r.copies(copy(into, p.data), as)
	}
	p.taken = true
	ring := p.ring
	for len(ring.packets) > 0 && ring.packets[0].taken {
		ring.used -= len(ring.packets[0].data)
		ring.packets = ring.packets[1:]
	}
	// Not at once, as it may let another rank go on.
	r.w.at(r.w.now, func() { r.append(ring) })
	return nil
}

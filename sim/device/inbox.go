package device

import (
	"errors"
	"fmt"

	"musubi/nic"
	"musubi/rma"
)

// inbox is the receive rings of a rank with their status ring. It comes into
// being when the rank sets its rings, or else when it is first needed.
type inbox struct {
	rx     *nic.Receiver
	status []rma.Status // of each ring
	of     []int32      // ring of each sender, -1 if none
	areas  [][]byte     // memory of each ring, from its first packet on
	taken  map[uint64]nic.Record
	seen   bool    // a look has found the record that is next
	stalls []stall // packets that have found no room, the oldest first
	use    RingUse
}

// maxSenders is how many process ids a packet header can tell apart.
const maxSenders = 1 << 16

// usualShare is the least that a private ring gets by default, in packets.
const usualShare = 4

// usualRings divides the machine's receive area: a private ring for every rank
// if each gets a fair share, else one ring for all.
func (c *Cluster) usualRings() rma.Rings {
	area, packet := int(c.m.Ring.Area), c.packetData()
	if share := area / len(c.ranks); share >= usualShare*packet {
		return rma.PrivateRings(len(c.ranks), share)
	}
	return rma.SharedRing(max(area, packet))
}

// logGPPiece is how much data goes into a ring at once where there are no packets.
const logGPPiece = 4 << 10

// packetData returns the data of the largest packet that goes into a ring.
func (c *Cluster) packetData() int {
	if c.fabric == nil {
		return min(logGPPiece, nic.MaxData)
	}
	return min(int(c.m.Packet.Payload), nic.MaxData)
}

// Rings implements rma.Process.
func (r *rank) Rings(rings rma.Rings) error {
	if r.c.cfg.Rings != nil {
		return nil
	}
	if r.inbox.rx != nil {
		return errors.New("rma: Rings after the rings are in use; expected it once, before the process communicates")
	}
	return r.makeRings(rings)
}

func (r *rank) makeRings(rings rma.Rings) error {
	ranks := len(r.c.ranks)
	if ranks > maxSenders {
		return fmt.Errorf("rma: receive rings for %d ranks; packets can name %d", ranks, maxSenders)
	}
	if err := rings.Check(ranks, r.c.packetData()); err != nil {
		return err
	}
	b := inbox{of: make([]int32, ranks), taken: map[uint64]nic.Record{}, use: r.inbox.use}
	cfg := nic.Config{Table: make([]int, ranks), Records: rings.Records, Packet: r.c.packetData()}
	if cfg.Records == 0 {
		cfg.Records = r.c.m.Ring.Records
	}
	if r.c.m.Ring.Full == "nack" {
		cfg.Policy = nic.SendNack
	}
	other := -1
	all := rings.Private
	if rings.Other.Bytes > 0 {
		other = len(all)
		all = append(all[:other:other], rma.Ring{Bytes: rings.Other.Bytes, Status: rings.Other.Status})
	}
	for s := range cfg.Table {
		cfg.Table[s] = other
	}
	for i, ring := range all {
		for _, s := range ring.Senders {
			cfg.Table[s] = i
		}
		cfg.Rings = append(cfg.Rings, nic.RingConfig{
			Size: ring.Bytes, Shared: i == other || len(ring.Senders) > 1, PerPacket: ring.Status == rma.PerPacket,
		})
		b.status = append(b.status, ring.Status)
	}
	for s, ring := range cfg.Table {
		b.of[s] = int32(ring)
	}
	var err error
	if b.rx, err = nic.NewReceiver(cfg); err != nil {
		return err
	}
	b.areas = make([][]byte, len(all))
	r.inbox = b
	return nil
}

// ready makes the rings that the user or the machine says, if there are none
// yet.
func (r *rank) ready() error {
	if r.inbox.rx != nil {
		return nil
	}
	if chosen := r.c.cfg.Rings; chosen != nil {
		return r.makeRings(chosen[r.number])
	}
	return r.makeRings(r.c.usualRings())
}

// statusFor returns how the ring for a sender tells of messages.
func (r *rank) statusFor(sender int32) rma.Status {
	if ring := r.inbox.of[sender]; ring >= 0 {
		return r.inbox.status[ring]
	}
	return rma.PerMessage
}

// holds fails if the ring for a sender cannot ever hold a message of n bytes.
func (r *rank) holds(sender int32, n int) error {
	ring := r.inbox.of[sender]
	switch {
	case ring < 0:
		r.inbox.use.NoRing++
		return fmt.Errorf("rma: rank %d has no receive ring for rank %d", r.number, sender)
	case r.inbox.status[ring] == rma.PerMessage && n > r.inbox.rx.Entry(int(ring)).Size:
		r.inbox.use.TooLong++
		return fmt.Errorf("rma: IPush of %d bytes to rank %d, whose ring for rank %d has %d bytes and tells of whole messages; expected a larger ring, or one with status per packet",
			n, r.number, sender, r.inbox.rx.Entry(int(ring)).Size)
	}
	return nil
}

// store puts the data of a packet where the receiver has placed it, and tells
// the rank.
func (r *rank) store(h *nic.Header, p nic.Placement, data []byte) {
	r.inbox.fill(p, data)
	r.inbox.rx.Written(h, p)
	r.touched()
}

// fill copies the data of a packet to its place.
func (b *inbox) fill(p nic.Placement, data []byte) {
	for _, s := range p.At {
		data = data[copy(b.memory(p.Ring, s), data):]
	}
}

// memory returns a part of the receive area.
func (b *inbox) memory(ring int, s nic.Span) []byte {
	if s.Bytes == 0 {
		return nil
	}
	e := b.rx.Entry(ring)
	if b.areas[ring] == nil {
		b.areas[ring] = make([]byte, e.Size)
	}
	return b.areas[ring][s.Offset-e.Base:][:s.Bytes]
}

// Poll implements rma.Process.
func (r *rank) Poll() (bool, error) {
	if err := r.ready(); err != nil {
		return false, err
	}
	look := r.c.model.arrival()
	r.sleep(look.once() - look.rest())
	arrived := r.inbox.rx.Pending()
	r.sleep(look.rest())
	r.inbox.seen = arrived
	return arrived, nil
}

// Await implements rma.Process.
func (r *rank) Await() error {
	if err := r.ready(); err != nil {
		return err
	}
	r.watch("Await", r.inbox.rx.Pending)
	r.inbox.seen = true
	return nil
}

// Next implements rma.Process.
func (r *rank) Next() (rma.Arrival, error) {
	if err := r.ready(); err != nil {
		return rma.Arrival{}, err
	}
	if !r.inbox.seen {
		r.watch("Next", r.inbox.rx.Pending)
	}
	r.inbox.seen = false
	r.sleep(r.c.model.readRecord())
	rec, _ := r.inbox.rx.Next()
	r.inbox.taken[rec.Number] = rec
	return rma.Arrival{From: int(rec.From), Bytes: rec.Bytes, Last: rec.Last, Record: rec.Number}, nil
}

// Take implements rma.Process.
func (r *rank) Take(a rma.Arrival, into []byte, as rma.Caching) error {
	rec, ok := r.inbox.taken[a.Record]
	switch {
	case !ok:
		return fmt.Errorf("rma: Take of arrival %d, which rank %d has not open; an arrival may be taken once", a.Record, r.number)
	case into != nil && len(into) < rec.Bytes:
		return fmt.Errorf("rma: Take of %d bytes into %d", rec.Bytes, len(into))
	}
	delete(r.inbox.taken, a.Record)
	r.c.model.take(r, &rec, into, as)
	if err := r.inbox.rx.Release(rec); err != nil {
		return err
	}
	r.c.model.released(r)
	return nil
}

// fetch copies a record's data out of the receive area.
func (b *inbox) fetch(rec *nic.Record, into []byte) {
	for _, s := range rec.At {
		into = into[copy(into, b.memory(rec.Ring, s)):]
	}
}

// Load implements rma.Process.
func (r *rank) Load(segment, offset int, gather rma.Layout, into []byte, as rma.Caching) error {
	a := rma.Address{Rank: r.number, Segment: segment, Offset: offset}
	access := nic.Access(gather)
	memory, n, err := r.reach(a, &access, len(into))
	switch {
	case err != nil:
		return err
	case n > len(into):
		return fmt.Errorf("rma: Load of %d bytes into %d", n, len(into))
	}
	r.c.model.load(r, a, &access, into[:n], as)
	access.Gather(into[:n], memory, 0)
	return nil
}

// reach returns the memory that an access to exposed memory is counted from, and
// how many bytes the access moves: n if it is contiguous.
func (r *rank) reach(a rma.Address, access *nic.Access, n int) ([]byte, int, error) {
	if access.IsContiguous() {
		memory, err := r.segment(a, n)
		return memory, n, err
	}
	memory, err := r.segment(a, 0)
	if err == nil {
		memory = r.segments[a.Segment][a.Offset:]
		err = access.Check(len(memory))
	}
	return memory, access.Bytes(), err
}

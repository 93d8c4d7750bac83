package host

import (
	"fmt"
	"slices"
	"strings"

	"musubi/nic/ring"
	"musubi/rma"
	"musubi/units"
)

// stall is a packet that has found no room in a ring and has not come back yet or
// been taken since.
type stall struct {
	from  uint16
	ring  int
	bytes int
	since units.Time
}

// Admits fails if the rings of a rank cannot ever take a message of n bytes.
func (r *Process) Admits(sender int32, n int) error {
	if err := r.ready(); err != nil {
		return err
	}
	return r.holds(sender, n)
}

// holds fails if the ring for a sender cannot ever hold a message of n bytes.
func (r *Process) holds(sender int32, n int) error {
	b := &r.inbox
	i := b.layout.ringOf[sender]
	if i < 0 {
		b.use.NoRing++
		return fmt.Errorf("rma: IPush to rank %d, which has no receive ring for rank %d", r.number, sender)
	}
	if ring := &b.layout.Rings()[i]; !ring.PerPacket && n > ring.Size {
		b.use.TooLong++
		return fmt.Errorf("rma: IPush of %d bytes to rank %d, whose ring for rank %d has %d bytes and tells of whole messages; expected a larger ring, or one with status per packet",
			n, r.number, sender, ring.Size)
	}
	return nil
}

// statusFor returns how the ring for a sender tells of messages.
func (r *Process) statusFor(sender int32) rma.Status {
	if i := r.inbox.layout.ringOf[sender]; i >= 0 && r.inbox.layout.Rings()[i].PerPacket {
		return rma.PerPacket
	}
	return rma.PerMessage
}

// RingPacket returns what the ring for a sender has to know of a packet with n bytes of a
// message, which the rank admits; last: the message ends with it.
func (r *Process) RingPacket(sender int32, n int, last bool) ring.Packet {
	p := ring.Packet{From: uint16(sender), Data: n}
	if last {
		p.Flags |= ring.EndOfMessage
	}
	if r.statusFor(sender) == rma.PerPacket {
		p.Flags |= ring.PacketStatus
	}
	if r.c.Machine.Ring.EntryInPacket {
		p.ByEntry, p.Entry = true, uint64(r.inbox.layout.ringOf[sender])
	}
	return p
}

// Place looks for room for the packet of a message that the rank admits. If there
// is none it notes that the packet waits, until one of the same sender is placed.
func (r *Process) Place(p *ring.Packet) (ring.Placement, bool) {
	b := &r.inbox
	place, result := b.rx.Place(p)
	switch result {
	case ring.Accepted:
		b.endStall(p.From, r.c.Clock.Now())
		return place, true
	case ring.Full:
		b.beginStall(stall{p.From, place.Ring, p.Data, r.c.Clock.Now()})
		return place, false
	}
	panic(fmt.Sprintf("sim: a ring of rank %d refuses a packet of a message that it admits: %v", r.number, result))
}

func (b *inbox) beginStall(s stall) {
	for _, other := range b.stalls {
		if other.from == s.from {
			return
		}
	}
	b.stalls = append(b.stalls, s)
	b.use.Stalls++
}

func (b *inbox) endStall(from uint16, now units.Time) {
	for i, s := range b.stalls {
		if s.from == from {
			b.use.StallTime += now - s.since
			b.stalls = slices.Delete(b.stalls, i, i+1)
			return
		}
	}
}

// describe says what a packet waits for.
func (s *stall) describe(r *Process) string {
	e := r.inbox.rx.Entry(s.ring)
	if e.Room() >= s.bytes {
		return fmt.Sprintf("a packet of rank %d waits for room in the status ring of rank %d, which takes no arrivals", s.from, r.number)
	}
	return fmt.Sprintf("a packet of %d bytes of rank %d waits for room in the ring of rank %d for %s, which has not taken %d of its %d bytes",
		s.bytes, s.from, r.number, r.inbox.sendersOf(s.ring), e.Used(), e.Size)
}

// sendersOf names the senders of a ring.
func (b *inbox) sendersOf(ring int) string {
	const shown = 3
	var names []string
	for sender, of := range b.layout.ringOf {
		if of == ring {
			names = append(names, fmt.Sprint(sender))
		}
	}
	switch {
	case len(names) == 1:
		return "rank " + names[0]
	case len(names) > shown:
		names = append(names[:shown], fmt.Sprintf("%d more", len(names)-shown))
	}
	last := len(names) - 1
	return "ranks " + strings.Join(names[:last], ", ") + " and " + names[last]
}

// FullRings says which packets wait for room in a ring; empty if none does.
func (c *Env) FullRings() string {
	var waits []string
	for i := range c.Ranks {
		r := &c.Ranks[i]
		for _, s := range r.inbox.stalls {
			waits = append(waits, s.describe(r))
		}
	}
	return JoinSome(waits, "; ")
}

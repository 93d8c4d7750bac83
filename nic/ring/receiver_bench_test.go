package ring

import (
	"musubi/internal/check"
	"musubi/nic/reliable"
	"testing"
)

// passage takes packets of 64 bytes through a receiver.
type passage struct {
	*Receiver
	header Packet
}

// newPassage has 64 private rings of a size that is not a whole number of packets.
func newPassage(t testing.TB, h Packet) *passage {
	c := Config{Table: make([]int, 64), Records: 256, Packet: 64}
	for i := range c.Table {
		c.Table[i] = i
		c.Rings = append(c.Rings, RingConfig{Size: 1000})
	}
	return &passage{mustReceiver(t, c), h}
}

// arrive is what a packet goes through until its record can be read.
func (p *passage) arrive() Result {
	at, result := p.Place(&p.header)
	if result == Accepted {
		p.Written(&p.header, at)
	}
	return result
}

// consume takes and releases a record.
func (p *passage) consume() bool {
	record, ok := p.Next()
	return ok && p.Release(record) == nil
}

// message receives a message of four packets with a record for all of it.
func (p *passage) message() bool {
	p.header.Flags = 0
	for range 3 {
		if p.arrive() != Accepted {
			return false
		}
	}
	p.header.Flags = EndOfMessage
	return p.arrive() == Accepted && p.consume()
}

// link is an Outbox and an reliable.Inbox without a network between them.
type link struct {
	out reliable.Outbox
	in  reliable.Inbox
}

// pass numbers a packet, takes it, and acknowledges it.
func (l *link) pass() bool {
	sequence := l.out.Next()
	if l.in.Check(sequence) != reliable.Expected {
		return false
	}
	l.in.Take()
	return l.out.Acked(l.in.Expected()) == 1
}

func BenchmarkReceiver(b *testing.B) {
	p := newPassage(b, ipush(7, 64, PacketStatus|EndOfMessage))
	m := newPassage(b, ipush(7, 64, 0))
	full := newPassage(b, ipush(7, 64, PacketStatus))
	for full.arrive() == Accepted {
	}
	for _, c := range []struct {
		name    string
		packets int
		f       func() bool
	}{
		{"status=packet", 1, func() bool { return p.arrive() == Accepted && p.consume() }},
		{"status=message", 4, m.message},
		{"full", 1, func() bool { return full.arrive() == Full }},
	} {
		b.Run(c.name, func(b *testing.B) { check.PerPacket(b, c.packets, must(b, c.f)) })
	}
}

func BenchmarkReliable(b *testing.B) {
	l := &link{out: reliable.NewOutbox(16)}
	check.PerPacket(b, 1, must(b, l.pass))
}

// must fails the benchmark if a packet does not pass.
func must(b *testing.B, pass func() bool) func() {
	return func() {
		if !pass() {
			b.Fatal("a packet did not pass")
		}
	}
}

func TestPacketsCostNoAllocation(t *testing.T) {
	accepted := newPassage(t, ipush(7, 64, PacketStatus))
	full := newPassage(t, ipush(7, 64, PacketStatus))
	for full.arrive() == Accepted {
	}
	refused := newPassage(t, ipush(99, 64, PacketStatus))
	message := newPassage(t, ipush(7, 64, 0))
	channel := &link{out: reliable.NewOutbox(16)}
	for _, c := range []struct {
		name string
		f    func() bool
	}{
		{"status per packet", func() bool { return accepted.arrive() == Accepted && accepted.consume() }},
		{"status per message", message.message},
		{"ring full", func() bool { return full.arrive() == Full }},
		{"refused", func() bool { return refused.arrive() == NoRing }},
		{"numbered and acknowledged", channel.pass},
	} {
		passed := true
		allocs := testing.AllocsPerRun(1000, func() { passed = c.f() && passed })
		if allocs != 0 || !passed {
			t.Errorf("%s: %v allocations, passed %v; expected none", c.name, allocs, passed)
		}
	}
}

package nic

import "testing"

// passage takes packets through a receiver, from Place to Release.
type passage struct {
	receiver *Receiver
	header   Header
}

// newPassage has packets of 64 bytes for one of 64 private rings of a size that
// is not a whole number of packets.
func newPassage(t testing.TB, flags Flags) *passage {
	c := Config{Table: make([]int, 64), Records: 256, Packet: 64}
	for i := range c.Table {
		c.Table[i] = i
		c.Rings = append(c.Rings, RingConfig{Size: 1000})
	}
	r, err := NewReceiver(c)
	if err != nil {
		t.Fatal(err)
	}
	return &passage{r, Header{Operation: IPush, From: 7, Flags: flags, Data: 64}}
}

// place takes one packet as far as a record is due with it.
func (p *passage) place() bool {
	at, verdict := p.receiver.Place(&p.header)
	if verdict == Accepted {
		p.receiver.Written(&p.header, at)
	}
	return verdict == Accepted
}

// consume takes and releases one record.
func (p *passage) consume() bool {
	record, ok := p.receiver.Next()
	return ok && p.receiver.Release(record) == nil
}

// BenchmarkReceiver measures Place, Written, Next and Release of a packet with a
// status record of its own.
func BenchmarkReceiver(b *testing.B) {
	p := newPassage(b, PacketStatus|EndOfMessage)
	b.ReportAllocs()
	for b.Loop() {
		if !p.place() || !p.consume() {
			b.Fatal("a packet did not pass")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/packet")
}

package ring

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// script is bytes that say what happens to a receiver; zeros follow its end.
type script []byte

func (s *script) next(n int) int {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int(b) % n
}

// config makes a configuration for four senders; not each of them is a legal one.
func (s *script) config() Config {
	c := Config{Packet: 1 + s.next(8), Records: 1 + s.next(4), Policy: Policy(s.next(2))}
	for range 1 + s.next(4) {
		kind := s.next(4)
		c.Rings = append(c.Rings, RingConfig{Size: c.Packet + s.next(20), Shared: kind < 2, PerPacket: kind < 3})
	}
	if s.next(2) == 0 {
		c.Table = []int{0, 1, 2, 3}
		for i := range c.Table {
			c.Table[i] = min(i, len(c.Rings)-1) - s.next(8)/7
		}
	}
	return c
}

// header makes a header, mostly one that the sender's ring can take.
func (s *script) header(c *Config) Packet {
	from := s.next(4)
	h := Packet{From: uint16(from), Flags: Flags(s.next(4)), Data: s.next(c.Packet + 1)}
	if c.Table == nil {
		h.ByEntry, h.Entry = true, uint64(min(from, len(c.Rings)-1))
	}
	if s.next(32) == 0 {
		h.ByEntry, h.From, h.Entry = s.next(2) == 0, uint16(s.next(6)), uint64(s.next(6))
		h.Data = s.next(256) - 128
	}
	return h
}

// follow does to a receiver and its naive twin what a script says. It returns what
// the receiver has counted, or where the two disagree.
func (s *script) follow() (Counters, error) {
	c := s.config()
	r, err := newTwins(c)
	if err != nil {
		return Counters{}, nil // refused; see TestNewReceiverRefuses
	}
	type placed struct {
		Packet
		Placement
	}
	pending := make([][]placed, len(c.Rings))
	var held []Record
	for len(*s) > 0 {
		var err error
		switch s.next(4) {
		case 0:
			var p placed
			var result Result
			p.Packet = s.header(&c)
			if p.Placement, result, err = r.place(&p.Packet); result == Accepted {
				pending[p.Ring] = append(pending[p.Ring], p)
			}
		case 1:
			if ring := s.next(len(pending)); len(pending[ring]) > 0 {
				p := pop(&pending[ring])
				err = r.write(&p.Packet, p.Placement)
			}
		case 2:
			var record Record
			var ok bool
			if record, ok, err = r.next(); ok {
				held = append(held, record)
			}
		case 3:
			if len(held) > 0 {
				i := s.next(len(held))
				err = r.release(held[i])
				held = append(held[:i], held[i+1:]...)
			}
		}
		if err != nil {
			return r.Counters(), fmt.Errorf("%+v: %w", c, err)
		}
	}
	return r.Counters(), nil
}

// TestReceiverAgreesWithNaive follows random scripts: senders that mix status per
// packet and per message, messages that are too long, packets for others, records
// released in any order.
func TestReceiverAgreesWithNaive(t *testing.T) {
	const seed, scripts = 2, 5_000
	var total Counters
	for i := range scripts {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		s := make(script, 600)
		for k := range s {
			s[k] = byte(rng.Uint32())
		}
		counters, err := s.follow()
		if err != nil {
			t.Fatalf("script %d of seed %d: %v", i, seed, err)
		}
		total.Packets += counters.Packets
		total.Full += counters.Full
		total.NoRing += counters.NoRing
		total.TooLong += counters.TooLong
		total.BadStatus += counters.BadStatus
	}
	if min(total.Packets, total.Full, total.NoRing, total.TooLong, total.BadStatus) < 1_000 {
		t.Errorf("%d scripts: %+v; expected at least 1000 packets of each kind", scripts, total)
	}
}

func FuzzReceiver(f *testing.F) {
	f.Add([]byte{4, 3, 0, 1, 0, 10, 2, 7, 1, 0, 1, 9, 3, 0, 1, 0, 1, 2, 3, 0})
	f.Fuzz(func(t *testing.T, bytes []byte) {
		s := script(bytes)
		if _, err := s.follow(); err != nil {
			t.Error(err)
		}
	})
}

package nic

import (
	"fmt"
	"slices"
)

// naiveReceiver does what a Receiver does in the most obvious way: it keeps all
// packets in lists and places them byte by byte.
type naiveReceiver struct {
	config   Config
	rings    []naiveRing
	unread   []*naiveRecord
	counters Counters
}

type naiveRing struct {
	base    int
	next    int // place of the next byte
	owner   int
	waiting bool
	closed  bool
	packets []*naivePacket // until the consumer has released them and all before
}

type naivePacket struct {
	Header
	bytes  []int // their places in the receive area
	due    bool  // a record is due with it
	inRAM  bool
	record *naiveRecord
}

// naiveRecord is about packets of one ring that lie one after the other.
type naiveRecord struct {
	ring     int
	packets  []*naivePacket
	released bool
}

func newNaive(c Config) *naiveReceiver {
	n := &naiveReceiver{config: c}
	base := 0
	for _, ring := range c.Rings {
		n.rings = append(n.rings, naiveRing{base: base, owner: none})
		base += ring.Size
	}
	return n
}

func (n *naiveReceiver) ringOf(h *Header) int {
	ring := none
	if h.Operation == IPush && n.config.Table != nil && int(h.From) < len(n.config.Table) {
		ring = n.config.Table[h.From]
	}
	if h.Operation == IPushEntry && n.config.Table == nil && h.Address < uint64(len(n.rings)) {
		ring = int(h.Address)
	}
	if ring != none && !n.config.Rings[ring].Shared && n.rings[ring].owner != none && n.rings[ring].owner != int(h.From) {
		return none
	}
	return ring
}

// free counts the bytes of a ring that belong to no packet.
func (n *naiveReceiver) free(ring int) int {
	free := n.config.Rings[ring].Size
	for _, p := range n.rings[ring].packets {
		free -= p.Data
	}
	return free
}

// open counts the bytes of a ring for which no record is due yet.
func (n *naiveReceiver) open(ring int) int {
	open := 0
	for _, p := range n.rings[ring].packets {
		open += p.Data
		if p.due {
			open = 0
		}
	}
	return open
}

// records counts the records that are due or have not been released.
func (n *naiveReceiver) records() int {
	count := 0
	for _, ring := range n.rings {
		for _, p := range ring.packets {
			if p.due && (p.record == nil || !p.record.released) {
				count++
			}
		}
	}
	return count
}

func (n *naiveReceiver) place(h *Header) (*naivePacket, Verdict) {
	ring := n.ringOf(h)
	if ring == none {
		n.counters.NoRing++
		return nil, NoRing
	}
	g, config := &n.rings[ring], n.config.Rings[ring]
	due := h.Flags&PacketStatus != 0 || h.Flags&EndOfMessage != 0
	switch {
	case config.PerPacket && h.Flags&PacketStatus == 0:
		n.counters.BadStatus++
		return nil, BadStatus
	case h.Data < 0 || h.Data > n.config.Packet || g.closed || n.open(ring)+h.Data > config.Size:
		n.counters.TooLong++
		g.closed = !config.PerPacket
		return nil, TooLong
	case h.Data > n.free(ring) || due && n.records() == n.config.Records:
		if n.config.Policy == SendNack || !g.waiting {
			n.counters.Full++
		}
		g.waiting = true
		return nil, Full
	}
	p := &naivePacket{Header: *h, due: due}
	for range h.Data {
		p.bytes = append(p.bytes, g.base+g.next)
		g.next = (g.next + 1) % config.Size
	}
	g.packets = append(g.packets, p)
	g.waiting = false
	if !config.Shared {
		g.owner = int(h.From)
	}
	n.counters.Packets++
	n.counters.Bytes += uint64(h.Data)
	return p, Accepted
}

// written is about the oldest packet of a ring that is not in memory.
func (n *naiveReceiver) written(ring int) {
	g := &n.rings[ring]
	i := slices.IndexFunc(g.packets, func(p *naivePacket) bool { return !p.inRAM })
	g.packets[i].inRAM = true
	if !g.packets[i].due {
		return
	}
	record := &naiveRecord{ring: ring}
	for _, p := range g.packets[:i+1] {
		if p.record == nil {
			p.record = record
			record.packets = append(record.packets, p)
		}
	}
	n.unread = append(n.unread, record)
	if g.packets[i].Flags&EndOfMessage != 0 {
		n.counters.Messages++
	}
}

// release forgets the packets at the head of a ring that have been released.
func (n *naiveReceiver) release(record *naiveRecord) {
	record.released = true
	g := &n.rings[record.ring]
	for len(g.packets) > 0 && g.packets[0].record != nil && g.packets[0].record.released {
		g.packets = g.packets[1:]
	}
}

// twins is a receiver and its naive twin, if it has one. They must agree in
// everything that they say.
type twins struct {
	Receiver
	naive *naiveReceiver
	held  map[uint64]*naiveRecord // by Number
}

func newTwins(c Config) (twins, error) {
	r, err := NewReceiver(c)
	if err != nil {
		return twins{}, err
	}
	return twins{*r, newNaive(c), map[uint64]*naiveRecord{}}, nil
}

func (t *twins) place(h *Header) (Placement, Verdict, error) {
	p, verdict := t.Place(h)
	if t.naive == nil {
		return p, verdict, nil
	}
	want, wantVerdict := t.naive.place(h)
	if verdict != wantVerdict {
		return p, verdict, fmt.Errorf("Place(%+v): %v; the naive receiver says: %v", *h, verdict, wantVerdict)
	}
	if verdict == Accepted && !slices.Equal(placesOf(p.At), want.bytes) {
		return p, verdict, fmt.Errorf("Place(%+v) gives %+v; the naive receiver says: bytes %d", *h, p, want.bytes)
	}
	return p, verdict, t.agree()
}

// placesOf lists the bytes of spans.
func placesOf(spans [2]Span) []int {
	var bytes []int
	for _, s := range spans {
		for i := range s.Bytes {
			bytes = append(bytes, s.Offset+i)
		}
	}
	return bytes
}

func (t *twins) write(h *Header, p Placement) error {
	t.Written(h, p)
	if t.naive == nil {
		return nil
	}
	t.naive.written(p.Ring)
	return t.agree()
}

func (t *twins) next() (Record, bool, error) {
	record, ok := t.Next()
	if t.naive == nil {
		return record, ok, nil
	}
	if ok != (len(t.naive.unread) > 0) {
		return record, ok, fmt.Errorf("Next says %v with %d records unread", ok, len(t.naive.unread))
	}
	if !ok {
		return record, ok, nil
	}
	want := pop(&t.naive.unread)
	var bytes []int
	for _, p := range want.packets {
		bytes = append(bytes, p.bytes...)
	}
	end := want.packets[len(want.packets)-1]
	if record.From != end.From || record.Ring != want.ring || record.Bytes != len(bytes) ||
		record.Last != (end.Flags&EndOfMessage != 0) || !slices.Equal(placesOf(record.At), bytes) {
		return record, ok, fmt.Errorf("Next gives %+v; the naive receiver says: ring %d, bytes %d, %+v", record, want.ring, bytes, end.Header)
	}
	t.held[record.Number] = want
	return record, ok, nil
}

func (t *twins) release(record Record) error {
	if err := t.Release(record); err != nil || t.naive == nil {
		return err
	}
	t.naive.release(t.held[record.Number])
	delete(t.held, record.Number)
	if t.Release(record) == nil {
		return fmt.Errorf("record %+v could be released twice", record)
	}
	return t.agree()
}

// agree compares what can be asked about the state.
func (t *twins) agree() error {
	if got, want := t.Counters(), t.naive.counters; got != want {
		return fmt.Errorf("counters are %+v; the naive receiver says %+v", got, want)
	}
	stalled := false
	for i := range t.naive.rings {
		g := &t.naive.rings[i]
		stalled = stalled || t.naive.config.Policy == Stall && g.waiting
		if got, want := t.Used(i), t.naive.config.Rings[i].Size-t.naive.free(i); got != want {
			return fmt.Errorf("ring %d has %d bytes in use; the naive receiver says %d", i, got, want)
		}
		if got := t.Waiting(i); got != g.waiting {
			return fmt.Errorf("a packet waits for ring %d: %v; the naive receiver says %v", i, got, g.waiting)
		}
	}
	if t.Stalled() != stalled {
		return fmt.Errorf("the receiver stalls: %v; the naive receiver says %v", t.Stalled(), stalled)
	}
	return nil
}



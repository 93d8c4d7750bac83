package ring

import "slices"

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
	Packet
	bytes  []int // their places in the receive area
	inRAM  bool  // written
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

func (n *naiveReceiver) ringOf(h *Packet) int {
	ring := none
	if !h.ByEntry && n.config.Table != nil && int(h.From) < len(n.config.Table) {
		ring = n.config.Table[h.From]
	}
	if h.ByEntry && n.config.Table == nil && h.Entry < uint64(len(n.rings)) {
		ring = int(h.Entry)
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
		if due(&p.Packet) {
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
			if due(&p.Packet) && (p.record == nil || !p.record.released) {
				count++
			}
		}
	}
	return count
}

// check says what place would.
func (n *naiveReceiver) check(h *Packet) (ring int, result Result) {
	ring = n.ringOf(h)
	if ring == none {
		return ring, NoRing
	}
	config := n.config.Rings[ring]
	switch {
	case config.PerPacket && h.Flags&PacketStatus == 0:
		return ring, BadStatus
	case h.Data < 0 || h.Data > n.config.Packet || n.rings[ring].closed || n.open(ring)+h.Data > config.Size:
		return ring, TooLong
	case h.Data > n.free(ring) || due(h) && n.records() == n.config.Records:
		return ring, Full
	}
	return ring, Accepted
}

// due reports whether a record is due with a packet: by itself, or as the last of
// its message.
func due(h *Packet) bool { return h.Flags&PacketStatus != 0 || h.Flags&EndOfMessage != 0 }

func (n *naiveReceiver) place(h *Packet) (*naivePacket, Result) {
	ring, result := n.check(h)
	switch result {
	case NoRing:
		n.counters.NoRing++
	case BadStatus:
		n.counters.BadStatus++
	case TooLong:
		n.counters.TooLong++
		n.rings[ring].closed = !n.config.Rings[ring].PerPacket
	case Full:
		if n.config.Policy == SendNack || !n.rings[ring].waiting {
			n.counters.Full++
		}
		n.rings[ring].waiting = true
	case Accepted:
		return n.accept(ring, h), Accepted
	}
	return nil, result
}

func (n *naiveReceiver) accept(ring int, h *Packet) *naivePacket {
	g, config := &n.rings[ring], n.config.Rings[ring]
	p := &naivePacket{Packet: *h}
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
	return p
}

// written is about the oldest packet of a ring that is not in memory.
func (n *naiveReceiver) written(ring int) {
	g := &n.rings[ring]
	i := slices.IndexFunc(g.packets, func(p *naivePacket) bool { return !p.inRAM })
	g.packets[i].inRAM = true
	if !due(&g.packets[i].Packet) {
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

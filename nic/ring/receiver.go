package ring

import "fmt"

// Result is what becomes of a packet that a Receiver is asked to place.
type Result uint8

const (
	// Accepted packets have a place; they must be written there.
	Accepted Result = iota
	// Full: there is no room in the ring or the status ring until the consumer
	// releases something. The caller stalls or sends a Nack, by its Policy.
	Full
	// NoRing: the sender has no ring here, or names none of its own.
	NoRing
	// TooLong: a packet larger than configured, or a message with status per message
	// that is larger than its ring. A message of which a part has been refused so
	// closes a ring that takes such messages, for good: the rest would follow a hole.
	// Worlds therefore refuse such messages where they are sent.
	TooLong
	// BadStatus: a packet asks for status per message where the ring needs status per
	// packet.
	BadStatus
)

var resultNames = [...]string{
	Accepted:  "accepted",
	Full:      "ring full",
	NoRing:    "no ring for this sender",
	TooLong:   "longer than the ring can ever take",
	BadStatus: "status per message in a ring for status per packet, where packets of several senders may interleave",
}

// String returns the reason in words.
func (r Result) String() string {
	if int(r) >= len(resultNames) {
		return fmt.Sprintf("result %d", uint8(r))
	}
	return resultNames[r]
}

// Placement is where the data of a packet goes.
type Placement struct {
	Ring int
	At   [2]Span // in the receive area; the second span is empty unless it wraps around
}

// Counters count what a Receiver has done.
type Counters struct {
	Packets, Bytes uint64 // accepted
	Messages       uint64 // complete
	Full           uint64 // packets that found no room: stalls, or Nacks
	NoRing         uint64 // refused packets, by reason
	TooLong        uint64
	BadStatus      uint64
}

// Receiver is the receiving side of IPUSH for one process: receive rings, AMT, AMT
// address table and status ring.
//
// A packet passes through Place, the writing of its data by the caller, and
// Written; the consumer takes its record with Next, reads the data and calls
// Release. Packets may be placed while earlier ones are being written.
//
// It must not be copied when it has been used.
type Receiver struct {
	entries
	counters Counters
	status   status
}

// NewReceiver returns a receiver with empty rings, or an error if the configuration
// is not one that receives every packet in the end: a ring smaller than a packet,
// or a shared one without status per packet.
func NewReceiver(c Config) (*Receiver, error) {
	layout, err := NewLayout(c)
	if err != nil {
		return nil, err
	}
	r := layout.NewReceiver()
	return &r, nil
}

// NewReceiver returns a receiver with empty rings. Receivers of one layout share it.
func (l *Layout) NewReceiver() Receiver {
	return Receiver{entries: newEntries(l), status: newStatus(l.records)}
}

// Area returns the bytes of all rings together; they lie one after the other.
func (r *Receiver) Area() int { return r.layout.area }

// Place reserves room for the data of a packet, and a status record if one is due
// with it. A packet that is not accepted takes nothing; if the result is Full, Ring
// of the placement says which ring, and the packet must be placed before later ones
// of its sender.
func (r *Receiver) Place(p *Packet) (Placement, Result) {
	i := r.ringOf(p)
	switch result := r.check(i, p); result {
	case Accepted:
		at := r.reserve(i, p)
		g := r.ring(i)
		return Placement{Ring: i, At: wrapped(g.base, int(g.size), at, p.Data)}, Accepted
	case Full:
		r.wait(r.ring(i))
		return Placement{Ring: i}, Full
	default:
		r.refuse(i, result)
		return Placement{}, result
	}
}

// ringOf returns the ring that a packet is for, none if there is none.
func (r *Receiver) ringOf(p *Packet) int {
	switch {
	case !p.ByEntry && int(p.From) < len(r.layout.table):
		return r.layout.table[p.From]
	case p.ByEntry && r.layout.table == nil && p.Entry < uint64(len(r.layout.rings)):
		return int(p.Entry)
	}
	return none
}

// check says whether a ring, or none, can take a packet.
func (r *Receiver) check(i int, p *Packet) Result {
	if i == none {
		return NoRing
	}
	g := r.ring(i)
	switch {
	case !g.serves(int(p.From)):
		return NoRing
	case g.perPacket && p.Flags&PacketStatus == 0:
		return BadStatus
	case p.Data < 0 || p.Data > r.layout.packet || !g.fits(p.Data):
		return TooLong
	case p.Data > g.room() || recordDue(p) && r.status.room == 0:
		return Full
	}
	return Accepted
}

// recordDue reports whether a packet gets a record.
func recordDue(p *Packet) bool { return p.Flags&(PacketStatus|EndOfMessage) != 0 }

// wait counts a packet that found no room, once for each stall.
func (r *Receiver) wait(g *ring) {
	if r.layout.policy == SendNack || !g.waiting {
		r.counters.Full++
	}
	g.waiting = true
}

// refuse counts a packet that no waiting would help.
func (r *Receiver) refuse(i int, result Result) {
	switch result {
	case NoRing:
		r.counters.NoRing++
	case BadStatus:
		r.counters.BadStatus++
	case TooLong:
		r.counters.TooLong++
		g := r.ring(i)
		g.closed = !g.perPacket
	}
}

// reserve takes a packet into a ring that has room for it, and returns its place there.
func (r *Receiver) reserve(i int, p *Packet) int {
	g := r.ring(i)
	at := g.place(g.used)
	g.used += uint32(p.Data)
	g.placed++
	if recordDue(p) {
		g.promised = g.used
		r.status.room--
	}
	if !g.shared && r.layout.table == nil {
		g.owner = int32(p.From)
	}
	g.waiting = false
	r.counters.Packets++
	r.counters.Bytes += uint64(p.Data)
	return at
}

// Written says that the data of a placed packet is in memory, and appends the
// status record if one is due. Packets of one ring must be written in the order in
// which they were placed; it panics otherwise. The order over all rings is the
// order of arrival that the consumer sees. It returns the note of the record if that tells of this packet alone, else nil.
func (r *Receiver) Written(p *Packet, place Placement) *Note {
	g := r.ring(place.Ring)
	if place.At[0].Offset != g.base+g.place(g.written) || g.written+uint32(p.Data) > g.used {
		panic("ring: Written out of the order of Place, or without it")
	}
	g.written += uint32(p.Data)
	g.placed--
	if !recordDue(p) {
		return nil
	}
	last, bytes := p.Flags&EndOfMessage != 0, g.written-g.told
	i := r.status.append(p.From, place.Ring, uint32(g.place(g.told)), bytes, last)
	r.status.link(g, i)
	g.told = g.written
	if last {
		r.counters.Messages++
	}
	if bytes > uint32(p.Data) {
		return nil
	}
	return &r.status.slot(i).note
}

// Settled reports whether all packets that are placed in a ring are written.
func (r *Receiver) Settled(ring int) bool {
	g := r.inUse(ring)
	return g == nil || g.placed == 0
}

// Pending reports whether there is a record for Next to take.
func (r *Receiver) Pending() bool { return r.status.first != none }

// Next takes the next record off the status ring, false if there is none. Its data
// stays in the receive ring until Release.
func (r *Receiver) Next() (rec Record, ok bool) {
	if s := r.status.take(); s != nil {
		r.tell(&rec, s)
		return rec, true
	}
	return rec, false
}

// tell writes down the record in a slot.
func (r *Receiver) tell(rec *Record, s *slot) {
	rec.From, rec.Ring, rec.Bytes, rec.Last, rec.Number = s.from, int(s.ring), int(s.bytes), s.last, s.number
	rec.At = r.layout.spans(rec.Ring, int(s.at), rec.Bytes)
}

// Held returns a record that the consumer has taken and not released, by its number.
func (r *Receiver) Held(number uint64) (rec Record, ok bool) {
	i, err := r.status.find(number)
	if err != nil {
		return rec, false
	}
	r.tell(&rec, r.status.slot(i))
	return rec, true
}

// NoteOf returns the note of a record that the consumer has taken and not released, by its number.
func (r *Receiver) NoteOf(number uint64) *Note {
	i, err := r.status.find(number)
	if err != nil {
		return nil
	}
	return &r.status.slot(i).note
}

// Release gives the room of a record back when the consumer has read its data. The
// head of the ring advances over it as soon as all older records of the ring have
// been released too. It fails if the consumer does not hold the record: never
// taken, or released before.
func (r *Receiver) Release(rec Record) error {
	i, err := r.status.find(rec.Number)
	if err != nil {
		return err
	}
	number := int(r.status.slot(i).ring)
	g := r.ring(number)
	r.status.release(g, i)
	r.rest(number, g)
	return nil
}

// Waiting reports whether the last packet for a ring found no room.
func (r *Receiver) Waiting(ring int) bool {
	g := r.inUse(ring)
	return g != nil && g.waiting
}

// Counters returns the counters so far.
func (r *Receiver) Counters() Counters { return r.counters }

// Used returns the bytes of a ring that have been placed and not been released.
func (r *Receiver) Used(ring int) int {
	if g := r.inUse(ring); g != nil {
		return int(g.used)
	}
	return 0
}

// Entry returns the AMT entry of a ring.
func (r *Receiver) Entry(ring int) Entry {
	g := r.look(ring)
	return g.entry()
}

package ring

// Entry is an entry of the Address Management Table, AMT: one receive ring
// (DIMMnet-2, IPUSH).
//
// Head and Tail count bytes since the start of the job and never wrap around, so
// that a full ring differs from an empty one: a rate of 100 GB/s overflows them
// after five years. The place of a byte in the ring is its count modulo Size.
type Entry struct {
	Base int    // offset of the ring in the receive area, in bytes
	Size int    // bytes of the ring
	Head uint64 // the consumer has released all before it
	Tail uint64 // the next packet goes here
}

// Sizes of what lies in memory that controller and host both use.
const (
	EntryLines  = 4 // of an AMT entry: base, size, head and tail
	RecordLines = 1 // of a status record
)

// Used returns the bytes that have been placed in the ring and not been released.
func (e *Entry) Used() int { return int(e.Tail - e.Head) }

// Room returns the bytes that are free.
func (e *Entry) Room() int { return e.Size - e.Used() }

// Span is a contiguous piece of the receive area, in bytes.
type Span struct {
	Offset, Bytes int
}

// wrapped returns where n bytes lie from a place on in a ring, which begins at base. The second span is
// empty unless they wrap around.
func wrapped(base, size, at, n int) [2]Span {
	if rest := size - at; n > rest {
		return [2]Span{{base + at, rest}, {base, n - rest}}
	}
	return [2]Span{{Offset: base + at, Bytes: n}}
}

// ring is an AMT entry with what the controller remembers beside it. Counts of bytes are from the
// head on: there may be very many rings, so that they should be small. One fills a cache line.
//
// A record covers all that the ring has got since the record before. Packets are
// placed before they are written, so there are two ends of what records cover.
type ring struct {
	base int
	head uint64

	size     uint32 // 0: there is no entry here
	start    uint32 // place of the head
	used     uint32 // the tail
	promised uint32 // records of placed packets cover all before it
	written  uint32 // packets before it have been written
	told     uint32 // records in the status ring cover all before it
	placed   int32  // packets that have not been written

	owner          int32 // the one sender of a private ring that no table gives to one; none until it is known
	oldest, newest int32 // records that have not been released, as slots of the status ring

	shared    bool
	perPacket bool
	waiting   bool // the last packet found no room
	closed    bool // a message was too long; its rest would follow a hole
}

// none stands for no ring, no sender and no slot.
const none = -1

// entry returns the AMT entry.
func (g *ring) entry() Entry {
	return Entry{Base: g.base, Size: int(g.size), Head: g.head, Tail: g.head + uint64(g.used)}
}

// place returns where in the ring the byte at a count is, at most all that the ring holds from the head on.
func (g *ring) place(count uint32) int {
	at := int(g.start) + int(count)
	if at >= int(g.size) {
		at -= int(g.size)
	}
	return at
}

// room returns the bytes that are free.
func (g *ring) room() int { return int(g.size - g.used) }

// serves reports whether the ring takes packets of a sender that the AMT address table gives it to. Without such a
// table nobody has said whose a private ring is: it belongs to its first sender.
func (g *ring) serves(sender int) bool {
	return g.shared || int(g.owner) == sender || g.owner == none
}

// isIdle reports whether the ring is as it was at first, but for its head.
func (g *ring) isIdle() bool {
	return g.used == 0 && g.placed == 0 && g.oldest == none && g.owner == none && !g.waiting && !g.closed
}

// fits reports whether n more bytes of the message at the tail fit once all before
// that message has been released.
func (g *ring) fits(n int) bool {
	return !g.closed && int(g.used-g.promised)+n <= int(g.size)
}

// release moves the head.
func (g *ring) release(bytes uint32) {
	g.start = uint32(g.place(bytes))
	g.head += uint64(bytes)
	g.used -= bytes
	g.promised -= bytes
	g.written -= bytes
	g.told -= bytes
}

package device

import (
	"musubi/rma"
	"musubi/units"
)

// frame is a packet with what it carries, as long as it is in a ring of an interface or
// on a link.
type frame struct {
	kind     frameKind
	last     bool        // of its operation: to be acknowledged
	from, to int32       // end points
	op       uint32      // that it belongs to
	place    rma.Address // that it accesses at the target
	offset   int         // of its data in the packed form of the operation
	bytes    int         // of data that it carries, or asks for
	flits    int         // that it has on links
	data     []byte
	number   uint32 // of the fabric
	next     uint32 // in the list of those not in use
}

// frameKind says what a frame is for.
type frameKind uint8

const (
	frameWrite frameKind = iota
	frameAppend
	frameRead
	frameAnswer
	frameAck
)

// class returns the class of a frame on links and in rings.
func (f *frame) class() int {
	if f.kind == frameAnswer || f.kind == frameAck {
		return replies
	}
	return requests
}

// carried returns how many bytes of data a frame has with it.
func (f *frame) carried() int {
	if f.kind == frameRead {
		return 0
	}
	return f.bytes
}

// framePool holds frames by number; 0 is not used.
type framePool struct {
	list   []*frame
	unused uint32
	used   int
}

// take returns a frame that is all zero but for room for data.
func (p *framePool) take() (uint32, *frame) {
	p.used++
	id := p.unused
	if id == 0 {
		if len(p.list) == 0 {
			p.list = append(p.list, nil)
		}
		p.list = append(p.list, new(frame))
		id = uint32(len(p.list) - 1)
	}
	f := p.list[id]
	p.unused = f.next
	*f = frame{data: f.data[:0]}
	return id, f
}

// drop makes a frame free.
func (p *framePool) drop(id uint32) {
	p.used--
	p.list[id].next, p.unused = p.unused, id
}

// frameOf returns the frame that a packet of the fabric is.
func frameOf(tag uint64) uint32 { return uint32(tag) }

// measure determines how long a frame is on links.
func (m *memoryBased) measure(f *frame) {
	switches := 0
	if f.from != f.to {
		path, _ := m.cfg.Routes.Path(int(f.from), int(f.to))
		switches = len(path) + 1
	}
	f.flits = m.m.PacketFlits(units.Bytes(f.carried())) + switches
}

// ringBytes returns how much of a ring a frame takes.
func (m *memoryBased) ringBytes(f *frame) int { return f.flits * int(m.m.Link.Flit) }

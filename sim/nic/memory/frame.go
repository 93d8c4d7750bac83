package memory

import (
	"fmt"

	"musubi/nic/mbc"
	"musubi/nic/ring"
	"musubi/rma"
	"musubi/sim/fabric"
	"musubi/units"
)

// frame is a packet of memory-based communication, as long as it is in a ring of an
// interface or on a link.
type frame struct {
	h        mbc.Header
	data     []byte
	from, to int32       // end points
	origin   int32       // end point that replies go to
	op       uint32      // that it belongs to
	place    rma.Address // that h.At is; that of the receive rings of a rank if appends
	appends  bool        // to a receive ring
	offset   int         // of its data in the packed form of the operation
	flits    int         // that it has on links
	packet   uint32      // of the fabric

	cast   uint32      // multicast that it is part of, 0 if none
	member int         // target of that; the first one of several
	copies int         // of it that are on links, or will be made by switches, while it is kept
	kept   bool        // until it is acknowledged by the next interface, or by all targets
	tree   fabric.Tree // of what switches copy, at its source
	timer  uint32      // the clock for its acknowledgement
	tries  int         // times that it was sent again
	branch fabric.Tree // by which it has come as a copy
	last   bool        // of an operation that nobody acknowledges
	turned bool        // it was a chain, and switches copy it from here on; or it acknowledges that
	below  bool        // it was a copy, and is a chain from there on; or it acknowledges that

	answers  mbc.AckTally // of a packet that switches copy: what is known of them
	numbered bool         // it has one of the numbers of its interface

	placed ring.Placement // of what it appends
	answer uint32         // frame that it is answered with, once there is room for that; of a copy, that of its source
	served bool           // the operating system has it, and the gate waits for it
	next   uint32         // in the list of those not in use
}

// isReply reports whether a frame travels as a reply, which nothing but other replies can
// hold back.
func (f *frame) isReply() bool {
	switch f.h.Type {
	case mbc.Answer, mbc.Result, mbc.Ack, mbc.CombinedAck, mbc.Moved, mbc.ChannelAck, mbc.ChannelNack:
		return true
	}
	return false
}

// answersCopy reports whether a frame is an acknowledgement that switches combine.
func (f *frame) answersCopy() bool {
	return f.branch != 0 && f.h.Type == mbc.CombinedAck && !f.below
}

func (f *frame) class() int {
	if f.isReply() {
		return replies
	}
	return requests
}

// isAwaited reports whether a frame will be answered.
func (f *frame) isAwaited() bool {
	switch f.h.Type {
	case mbc.Read, mbc.FetchOp, mbc.CompareSwap:
		return true
	}
	return f.h.Flags&mbc.Confirm != 0 && !f.isReply()
}

// framePool holds frames by number; 0 is not used.
type framePool struct {
	list   []*frame
	unused uint32
	used   int
}

// take returns a frame that is all zero but for room for a route and data.
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
	*f = frame{data: f.data[:0], h: mbc.Header{Route: f.h.Route[:0]}}
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
	f.flits = m.Machine.PacketFlits(units.Bytes(f.h.Data())) + len(f.h.Route)
}

// checkLength fails if a frame has more data than a packet can have.
func (m *memoryBased) checkLength(f *frame) {
	if n := units.Bytes(f.h.Data()); n > m.Machine.Packet.Payload {
		m.Fail(fmt.Errorf("device: %v with %v of data in a packet; expected at most %v", f.h.Type, n, m.Machine.Packet.Payload))
	}
}

// ringBytes returns how much of a ring a frame takes.
func (m *memoryBased) ringBytes(f *frame) int { return f.flits * int(m.Machine.Link.Flit) }

// back makes a frame that goes back to where another one has come from.
func (m *memoryBased) back(f *frame, t mbc.Type, size int) (uint32, *frame) {
	number, b := m.frames.take()
	route := b.h.Route
	b.h = f.h
	b.h.Route = route
	b.h.Reply(t, size)
	b.from, b.to, b.origin = f.to, f.origin, f.origin
	b.op, b.offset = f.op, f.offset
	if b.branch = f.branch; b.branch != 0 {
		b.answer, b.member = f.answer, f.member
	}
	b.h.Route = m.stepsBack(b.h.Route, b.from, b.to)
	m.measure(b)
	return number, b
}

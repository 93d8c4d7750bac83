package memory

import (
	"fmt"

	"musubi/nic/mbc"
	"musubi/sim/fabric"
	"musubi/units"
)

// framePool holds frames by number; 0 is not used.
type framePool struct {
	m      *memoryBased
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
	f.becomeHeld()
	return id, f
}

// drop makes a frame free.
func (p *framePool) drop(id uint32) {
	p.used--
	p.list[id].becomeUnused()
	p.list[id].next, p.unused = p.unused, id
}

// measure determines how long a frame is on links.
func (pool *framePool) measure(f *frame) {
	f.flits = pool.m.Machine.PacketFlits(units.Bytes(f.h.Data())) + len(f.h.Route)
}

// checkLength fails if a frame has more data than a packet can have.
func (pool *framePool) checkLength(f *frame) {
	if n := units.Bytes(f.h.Data()); n > pool.m.Machine.Packet.Payload {
		pool.m.Fail(fmt.Errorf("sim: %v with %v of data in a packet; expected at most %v", f.h.Type, n, pool.m.Machine.Packet.Payload))
	}
}

// ringBytes returns how much of a ring a frame takes.
func (pool *framePool) ringBytes(f *frame) int { return f.flits * int(pool.m.Machine.Link.Flit) }

// back makes a frame that goes back to where another one has come from.
func (pool *framePool) back(f *frame, t mbc.Type, size int) (uint32, *frame) {
	number, b := pool.m.frames.take()
	route := b.h.Route
	b.h = f.h
	b.h.Route = route
	b.h.Reply(t, size)
	b.from, b.to, b.origin = f.to, f.origin, f.origin
	b.op, b.offset = f.op, f.offset
	if t != mbc.Moved { // which is for the source of the frame alone
		b.becomeAnswerTo(f)
	}
	b.h.Route = pool.m.paths.stepsBack(b.h.Route, b.from, b.to)
	pool.measure(b)
	return number, b
}

// copyFrame makes a frame one like another.
func (pool *framePool) copyFrame(own, f *frame) {
	route, data := own.h.Route, own.data
	*own = *f
	own.h.Route = append(route, f.h.Route...)
	own.data = append(data, f.data...)
	own.custody, own.copies = held, 0
}

// transmit hands a frame to the link, of which it is kept.
func (pool *framePool) transmit(number uint32, ready units.Time) {
	f := pool.m.frames.list[number]
	f.copies++
	pool.m.Fabric.Send(fabric.Packet{
		Src: int(f.from), Dst: int(f.to), Flits: f.flits, Class: f.class(), Back: f.isReply(), Tag: uint64(number), Ready: ready,
	})
}

// uncopy notes that a copy of a frame is not on a link any more.
func (pool *framePool) uncopy(number uint32) {
	f := pool.m.frames.list[number]
	if f.copies--; f.copies == 0 && f.custody != kept {
		pool.m.frames.drop(number)
	}
}

// answerPassage acknowledges what has come by a passage, or asks for it again. Such packets
// are short, and take no room in rings.
func (pool *framePool) answerPassage(f *frame, t mbc.Type, p *passage) {
	number, a := pool.m.frames.take()
	a.h.Type, a.h.Sequence, a.h.At = t, p.in.Expected(), uint32(f.class())
	a.from, a.to = f.to, f.from
	a.h.Route = pool.m.paths.stepsBack(a.h.Route, a.from, a.to)
	pool.m.frames.measure(a)
	pool.transmit(number, 0)
}

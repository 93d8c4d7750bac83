package memory

import (
	"musubi/nic/mbc"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/units"
)

// What switches copy is not part of a passage. Where links make errors, the interface that
// has them copy it sends it again as a whole until all targets have acknowledged it, and
// targets know what they have had. The next packet of the same multicast waits for that, so
// that packets stay in order.

// casting is what an interface knows about its packets that switches copy.
type casting struct {
	number uint16            // of the next
	open   host.FIFO[uint32] // numbers of frames; those that are done are taken out at the front
}

// mayCast reports whether targets can tell a new packet from all that are under way.
func (m *memoryBased) mayCast(s *station) bool {
	open := &s.casting.open
	for open.Len() > 0 && !m.frames.list[*open.Front()].numbered {
		open.Pop()
	}
	return open.Len() < mbc.OnceWindow-1
}

// numberCopies gives a packet that switches copy a number.
func (m *memoryBased) numberCopies(s *station, number uint32) {
	f := m.frames.list[number]
	if !m.lossy || f.h.Type != mbc.Multicast {
		return
	}
	f.h.Sequence, f.numbered = s.casting.number, true
	s.casting.number++
	s.casting.open.Push(number)
}

// watchCast sets the clock for the acknowledgement of a packet that switches copy.
func (m *memoryBased) watchCast(number uint32) {
	f := m.frames.list[number]
	m.timers++
	f.timer = m.timers
	m.Clock.Push(engine.Event{At: m.Clock.Now() + m.Remote.Retry, Kind: evCastAgain, A: number, C: f.timer})
}

// castAgain sends a packet that switches copy again, if it has not been acknowledged.
func (m *memoryBased) castAgain(ev engine.Event) {
	f := m.frames.list[ev.A]
	if f.timer != ev.C || !f.kept {
		return
	}
	if f.tries++; f.tries > m.Remote.Tries {
		m.givesUp(int(f.from), int(f.to))
		return
	}
	m.use.SentAgain++
	f.copies += len(m.headsOf(f))
	f.h.Flags |= mbc.SentAgain
	m.Fabric.(fabric.Multicaster).MulticastAgain(f.tree, m.castPacket(ev.A, f, 0))
	m.watchCast(ev.A)
}

func (m *memoryBased) castPacket(number uint32, f *frame, ready units.Time) fabric.Packet {
	return fabric.Packet{Src: int(f.from), Flits: f.flits, Class: requests, Tag: uint64(number), Ready: ready, NotifySent: !f.kept}
}

// spoiled drops a copy with a wrong bit. If nobody acknowledges it, its target does without.
func (m *memoryBased) spoiled(number uint32, packet uint32, d *fabric.Delivery) {
	m.use.Corrupt++
	m.Fabric.Release(packet)
	f := m.frames.list[number]
	if c := &m.casts[f.cast]; c.how.Unacknowledged {
		head := m.headAt(f, int32(d.Dst))
		m.comesTo(uint16(c.targets[head].at.Rank), int32(d.Dst))
		for t := head; t != none; t = c.targets[t].next {
			m.loses(f, &c.targets[t])
		}
	}
	m.uncast(number)
}

// loses notes that a packet will not come to a target.
func (m *memoryBased) loses(f *frame, t *castTarget) {
	if c := &m.casts[f.cast]; !t.lost && (t.written < c.size || t.parts == 0) {
		t.lost = true
		m.leaveCast(f.cast, f.op)
	}
}

// uncast notes that a copy is not on a link any more. When all have come, and the source
// need not send them again, nothing is left to do.
func (m *memoryBased) uncast(number uint32) {
	f := m.frames.list[number]
	if f.copies--; f.copies == 0 && !f.kept {
		m.endCast(number, f)
	}
}

func (m *memoryBased) endCast(number uint32, f *frame) {
	cast, op, from := f.cast, f.op, f.from
	f.tree, f.numbered = 0, false
	m.frames.drop(number)
	m.leaveCast(cast, op)
	if m.lossy { // it may have a number that others have waited for
		m.unpark(&m.stations[from])
	}
}

// hadBefore reports whether a copy has come before. If that has been acknowledged, it is
// again; else it will be.
func (m *memoryBased) hadBefore(s *station, number, packet uint32) bool {
	f := m.frames.list[number]
	if !m.lossy || s.once.Fresh(uint16(f.origin), f.h.Sequence) {
		return false
	}
	if t := &m.casts[f.cast].targets[f.member]; t.answered > f.offset {
		m.sendAnswer(f, t.answer)
	}
	m.Fabric.Release(packet)
	m.frames.drop(number)
	return true
}

package memory

import (
	"fmt"

	"musubi/nic/mbc"
	"musubi/nic/reliable"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/units"
)

// passage is the way of frames of one class between two stations, as either end sees it,
// where links make errors: go-back-N, by package reliable. Frames stay in the send ring
// until the other interface has acknowledged them. What switches copy has ways of its own;
// see again.go.
type passage struct {
	out     reliable.Outbox
	in      reliable.Inbox
	kept    []uint32          // frames that are not acknowledged
	waiting host.FIFO[uint32] // frames for which the window has no room
	timer   uint32            // that is running
	tries   int               // times that frames were sent again since any was acknowledged
}

// passage returns what a station knows of its way to and from another one.
func (m *memoryBased) passage(s *station, peer int32, class int) *passage {
	key := uint32(peer)*frameClasses + uint32(class)
	p := s.passages[key]
	if p == nil {
		p = &passage{out: reliable.NewOutbox(m.Remote.Window)}
		if s.passages == nil {
			s.passages = map[uint32]*passage{}
		}
		s.passages[key] = p
	}
	return p
}

// sendSafely sends a frame, and keeps it until it is acknowledged.
func (m *memoryBased) sendSafely(s *station, number uint32, ready units.Time) {
	f := m.frames.list[number]
	p := m.passage(s, f.to, f.class())
	f.kept = true
	if !p.out.Ready() {
		p.waiting.Push(number)
		return
	}
	f.h.Sequence = p.out.Next()
	p.kept = append(p.kept, number)
	m.transmit(number, ready)
	if len(p.kept) == 1 {
		m.expect(s, f.to, f.class(), p)
	}
}

// transmit hands a frame to the link, of which it is kept.
func (m *memoryBased) transmit(number uint32, ready units.Time) {
	f := m.frames.list[number]
	f.copies++
	m.Fabric.Send(fabric.Packet{
		Src: int(f.from), Dst: int(f.to), Flits: f.flits, Class: f.class(), Back: f.isReply(), Tag: uint64(number), Ready: ready,
	})
}

// arrived takes a frame from a link that makes errors: as a copy of the one that is kept, if
// it is whole and the next one.
func (m *memoryBased) arrived(packet uint32, d *fabric.Delivery) {
	number := frameOf(d.Tag)
	f := m.frames.list[number]
	s := &m.stations[f.to]
	switch {
	case d.Corrupt:
		m.use.Corrupt++
		m.Fabric.Release(packet)
	case f.h.Type == mbc.ChannelAck || f.h.Type == mbc.ChannelNack:
		m.Fabric.Release(packet)
		m.acked(s, f)
	default:
		m.sort(s, f, packet)
	}
	m.uncopy(number)
}

// sort takes a frame that is whole, if it is the next of its passage.
func (m *memoryBased) sort(s *station, f *frame, packet uint32) {
	p := m.passage(s, f.from, f.class())
	switch order := p.in.Check(f.h.Sequence); {
	case order == reliable.Expected:
		p.in.Take()
		number, own := m.frames.take()
		m.copyFrame(own, f)
		own.packet = packet
		m.answerPassage(f, mbc.ChannelAck, p)
		m.came(number)
		return
	case order == reliable.Duplicate:
		m.answerPassage(f, mbc.ChannelAck, p)
	case p.in.Nack():
		m.answerPassage(f, mbc.ChannelNack, p)
	}
	m.Fabric.Release(packet)
}

// copyFrame makes a frame one like another.
func (m *memoryBased) copyFrame(own, f *frame) {
	route, data := own.h.Route, own.data
	*own = *f
	own.h.Route = append(route, f.h.Route...)
	own.data = append(data, f.data...)
	own.kept, own.copies = false, 0
}

// uncopy notes that a copy of a frame is not on a link any more.
func (m *memoryBased) uncopy(number uint32) {
	f := m.frames.list[number]
	if f.copies--; f.copies == 0 && !f.kept {
		m.frames.drop(number)
	}
}

// answerPassage acknowledges what has come by a passage, or asks for it again. Such packets
// are short, and take no room in rings.
func (m *memoryBased) answerPassage(f *frame, t mbc.Type, p *passage) {
	number, a := m.frames.take()
	a.h.Type, a.h.Sequence, a.h.At = t, p.in.Expected(), uint32(f.class())
	a.from, a.to = f.to, f.from
	a.h.Route = m.stepsBack(a.h.Route, a.from, a.to)
	m.measure(a)
	m.transmit(number, 0)
}

// acked gives up what the other end of a passage has, and sends what has waited for that.
func (m *memoryBased) acked(s *station, f *frame) {
	class := int(f.h.At)
	p := m.passage(s, f.from, class)
	released := p.out.Acked(f.h.Sequence)
	for _, number := range p.kept[:released] {
		m.giveUp(s, number)
	}
	p.kept = p.kept[released:]
	if released > 0 {
		p.tries = 0
		m.expect(s, f.from, class, p)
	}
	if f.h.Type == mbc.ChannelNack {
		m.sendAgain(s, f.from, class, p)
	}
	for p.waiting.Len() > 0 && p.out.Ready() {
		m.sendSafely(s, p.waiting.Pop(), 0)
	}
	m.goOn(s)
}

// giveUp frees the room of a frame that need not be sent again.
func (m *memoryBased) giveUp(s *station, number uint32) {
	f := m.frames.list[number]
	s.sender.ring[f.class()] -= m.ringBytes(f)
	m.hasLeft(number, f)
	if f.kept = false; f.copies == 0 {
		m.frames.drop(number)
	}
}

// sendAgain sends everything that is outstanding.
func (m *memoryBased) sendAgain(s *station, peer int32, class int, p *passage) {
	for _, number := range p.kept {
		m.use.SentAgain++
		m.transmit(number, 0)
	}
	m.expect(s, peer, class, p)
}

// expect sets the clock for the acknowledgement of the oldest frame outstanding.
func (m *memoryBased) expect(s *station, peer int32, class int, p *passage) {
	p.timer++
	if len(p.kept) > 0 {
		m.Clock.Push(engine.Event{
			At: m.Clock.Now() + m.Remote.Retry, Kind: evRetry, A: uint32(s.end), B: uint32(peer)*frameClasses + uint32(class), C: p.timer,
		})
	}
}

// expired sends again what has not been acknowledged, unless the clock has been set anew.
func (m *memoryBased) expired(ev engine.Event) {
	s, peer, class := &m.stations[ev.A], int32(ev.B/frameClasses), int(ev.B%frameClasses)
	p := m.passage(s, peer, class)
	if p.timer != ev.C || len(p.kept) == 0 {
		return
	}
	if p.tries++; p.tries > m.Remote.Tries {
		m.givesUp(s.end, int(peer))
		return
	}
	m.sendAgain(s, peer, class, p)
}

func (m *memoryBased) givesUp(from, to int) {
	m.Fail(fmt.Errorf("at %v the interface of host %d has sent packets to host %d %d times without acknowledgement (remote.tries)",
		m.Clock.Now(), from, to, m.Remote.Tries))
}

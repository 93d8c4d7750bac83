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

// links are the ways of frames to and from other interfaces, where links make errors.
type links struct {
	*station
	passages map[uint32]*passage
}

// passage is the way of frames of one class between two stations, as either end sees it,
// where links make errors: go-back-N, by package reliable. Frames stay in the send ring
// until the other interface has acknowledged them. What switches copy has ways of its own;
// see casting.go.
type passage struct {
	out     reliable.Outbox
	in      reliable.Inbox
	kept    []uint32          // frames that are not acknowledged
	waiting host.FIFO[uint32] // frames for which the window has no room
	timer   uint32            // that is running
	tries   int               // times that frames were sent again since any was acknowledged
}

// passage returns what a station knows of its way to and from another one.
func (s *links) passage(peer int32, class int) *passage {
	key := uint32(peer)*frameClasses + uint32(class)
	p := s.passages[key]
	if p == nil {
		p = &passage{out: reliable.NewOutbox(s.m.Remote.Window)}
		if s.passages == nil {
			s.passages = map[uint32]*passage{}
		}
		s.passages[key] = p
	}
	return p
}

// sendSafely sends a frame, and keeps it until it is acknowledged.
func (s *links) sendSafely(number uint32, ready units.Time) {
	f := s.m.frames.list[number]
	f.becomeKept()
	s.sendInTurn(number, ready)
}

// sendInTurn sends a frame that is kept, when the window has room for it.
func (s *links) sendInTurn(number uint32, ready units.Time) {
	f := s.m.frames.list[number]
	p := s.passage(f.to, f.class())
	if !p.out.Ready() {
		p.waiting.Push(number)
		return
	}
	f.h.Sequence = p.out.Next()
	p.kept = append(p.kept, number)
	s.m.frames.transmit(number, ready)
	if len(p.kept) == 1 {
		s.expect(f.to, f.class(), p)
	}
}

// sort takes a frame that is whole, if it is the next of its passage.
func (s *links) sort(f *frame, packet uint32) {
	p := s.passage(f.from, f.class())
	switch order := p.in.Check(f.h.Sequence); {
	case order == reliable.Expected:
		p.in.Take()
		number, own := s.m.frames.take()
		s.m.frames.copyFrame(own, f)
		own.packet = packet
		s.m.frames.answerPassage(f, mbc.ChannelAck, p)
		s.m.came(number)
		return
	case order == reliable.Duplicate:
		s.m.frames.answerPassage(f, mbc.ChannelAck, p)
	case p.in.Nack():
		s.m.frames.answerPassage(f, mbc.ChannelNack, p)
	}
	s.m.Fabric.Release(packet)
}

// acked gives up what the other end of a passage has, and sends what has waited for that.
func (s *links) acked(f *frame) {
	class := int(f.h.At)
	p := s.passage(f.from, class)
	released := p.out.Acked(f.h.Sequence)
	for _, number := range p.kept[:released] {
		s.giveUp(number)
	}
	p.kept = p.kept[released:]
	if released > 0 {
		p.tries = 0
		s.expect(f.from, class, p)
	}
	if f.h.Type == mbc.ChannelNack {
		s.sendAgain(f.from, class, p)
	}
	for p.waiting.Len() > 0 && p.out.Ready() {
		s.sendInTurn(p.waiting.Pop(), 0)
	}
	s.sender.goOn()
}

// giveUp frees the room of a frame that need not be sent again.
func (s *links) giveUp(number uint32) {
	f := s.m.frames.list[number]
	s.sender.ring[f.class()] -= s.m.frames.ringBytes(f)
	s.m.hasLeft(number, f)
	if f.becomeAcknowledged(); f.copies == 0 {
		s.m.frames.drop(number)
	}
}

// sendAgain sends everything that is outstanding.
func (s *links) sendAgain(peer int32, class int, p *passage) {
	for _, number := range p.kept {
		s.m.use.SentAgain++
		s.m.frames.transmit(number, 0)
	}
	s.expect(peer, class, p)
}

// expect sets the clock for the acknowledgement of the oldest frame outstanding.
func (s *links) expect(peer int32, class int, p *passage) {
	p.timer++
	if len(p.kept) > 0 {
		s.m.Clock.Push(engine.Event{
			At: s.m.Clock.Now() + s.m.Remote.Retry, Kind: evRetry, A: uint32(s.end),
			Args: engine.Args{B: uint32(peer)*frameClasses + uint32(class), C: p.timer},
		})
	}
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
		s.links.acked(f)
	default:
		s.links.sort(f, packet)
	}
	m.frames.uncopy(number)
}

// expired sends again what has not been acknowledged, unless the clock has been set anew.
func (m *memoryBased) expired(ev engine.Event) {
	s, peer, class := &m.stations[ev.A], int32(ev.B/frameClasses), int(ev.B%frameClasses)
	p := s.links.passage(peer, class)
	if p.timer != ev.C || len(p.kept) == 0 {
		return
	}
	if p.tries++; p.tries > m.Remote.Tries {
		m.givesUp(s.end, int(peer))
		return
	}
	s.links.sendAgain(peer, class, p)
}

func (m *memoryBased) givesUp(from, to int) {
	m.Fail(fmt.Errorf("at %v the interface of host %d has sent packets to host %d %d times without acknowledgement (remote.tries)",
		m.Clock.Now(), from, to, m.Remote.Tries))
}

package memory

import (
	"musubi/nic/mbc"
	"musubi/sim/engine"
	"musubi/sim/host"
)

// intake is what an interface has received of one class. It does one access after the
// other.
type intake struct {
	held  host.FIFO[uint32] // frames on the link, for which the ring has no room
	queue host.FIFO[uint32] // frames whose ids are to be checked
	busy  bool              // with an access
}

// delivered takes a packet off the link.
func (m *memoryBased) delivered(packet uint32) {
	d := m.Fabric.Delivery(packet)
	switch number := frameOf(d.Tag); {
	case d.Tag&combines != 0:
		m.combined(packet, &d)
	case d.Tree != 0 && d.Corrupt:
		m.spoiled(number, packet, &d)
	case d.Tree != 0:
		own := m.copied(number, &d)
		if !m.hadBefore(&m.stations[d.Dst], own, packet) {
			m.frames.list[own].packet = packet
			m.came(own)
		}
		m.uncast(number)
	case m.lossy:
		m.arrived(packet, &d)
	default:
		m.frames.list[number].packet = packet
		m.came(number)
	}
}

// came takes a frame into the receive ring, or leaves it in the buffer of the link until
// there is room.
func (m *memoryBased) came(number uint32) {
	f := m.frames.list[number]
	s := &m.stations[f.to]
	s.intakes[f.class()].held.Push(number)
	m.admit(s)
}

// admit takes frames into the receive ring, as far as there is room.
func (m *memoryBased) admit(s *station) {
	for class := range s.intakes {
		held := &s.intakes[class].held
		for held.Len() > 0 {
			number := *held.Front()
			f := m.frames.list[number]
			if !s.ring.admits(class, m.ringBytes(f), m.SRAM.Receive, m.SRAM.Reserve) {
				break
			}
			held.Pop()
			s.ring[class] += m.ringBytes(f)
			if f.packet != 0 {
				m.Fabric.Release(f.packet)
				f.packet = 0
			}
			there := s.sram.come(m.Clock.Now(), m.ringBytes(f))
			m.Clock.Push(engine.Event{At: there + m.Machine.NIC.Receive, Kind: evChecked, A: number})
		}
	}
}

// checked puts a frame into the intake of its class.
func (m *memoryBased) checked(number uint32) {
	f := m.frames.list[number]
	s := &m.stations[f.to]
	switch {
	case f.branch != 0 && f.h.Type == mbc.Ack: // of a copy that was sent on from here
		m.answerCopy(f, mbc.TallyOf(f.h.FromNode, f.h.Flags&mbc.Refused != 0))
		m.drop(s, number)
		return
	case f.below && f.isReply():
		m.answerChainBelow(f)
		m.drop(s, number)
		return
	case f.turned:
		m.answerChain(f)
		m.drop(s, number)
		return
	case f.isReply():
		m.replied(s, f)
	}
	s.intakes[f.class()].queue.Push(number)
	m.work(s, f.class())
}

// work does what the gate says to the accesses of an intake, one after the other.
func (m *memoryBased) work(s *station, class int) {
	in := &s.intakes[class]
	for !in.busy && in.queue.Len() > 0 {
		number := *in.queue.Front()
		f := m.frames.list[number]
		switch verdict := m.judge(s, f); {
		case verdict == mbc.Direct:
			if !m.perform(s, number) {
				return
			}
			m.use.Direct++
			in.busy = true
		case verdict.Waits():
			f.served = true
			m.put(s, class, number, verdict)
		default:
			m.refuse(s, number, verdict)
		}
		in.queue.Pop()
	}
}

// judge asks the gate what becomes of an access. What is for the interface itself is none.
func (m *memoryBased) judge(s *station, f *frame) mbc.CheckResult {
	if f.h.Type == mbc.Moved {
		return mbc.Direct
	}
	m.schedule(s)
	return s.gate.Check(m.judged(f))
}

// retry looks again at what waits for room in rings.
func (m *memoryBased) retry(s *station) {
	for class := range s.intakes {
		m.work(s, class)
		m.retryDuty(s, class)
	}
}

// drop gives up a frame in the receive ring.
func (m *memoryBased) drop(s *station, number uint32) {
	f := m.frames.list[number]
	m.comesIn(f)
	s.ring[f.class()] -= m.ringBytes(f)
	m.frames.drop(number)
	m.admit(s)
}

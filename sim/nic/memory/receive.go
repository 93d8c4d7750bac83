package memory

import (
	"musubi/nic/mbc"
	"musubi/sim/engine"
	"musubi/sim/host"
)

// receiver is the receiving part of an interface.
type receiver struct {
	*station
	ring    ringUse // what is in the receive ring
	intakes [frameClasses]intake
}

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
		m.copier.combined(packet, &d)
	case d.Tree != 0 && d.Corrupt:
		m.copier.spoiled(number, packet, &d)
	case d.Tree != 0:
		own := m.copier.copied(number, &d)
		if !m.stations[d.Dst].casting.hadBefore(own, packet) {
			m.frames.list[own].packet = packet
			m.came(own)
		}
		m.copier.uncast(number)
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
	s.receiver.intakes[f.class()].held.Push(number)
	s.receiver.admit()
}

// admit takes frames into the receive ring, as far as there is room.
func (s *receiver) admit() {
	for class := range s.intakes {
		held := &s.intakes[class].held
		for held.Len() > 0 {
			number := *held.Front()
			f := s.m.frames.list[number]
			if !s.ring.admits(class, s.m.frames.ringBytes(f), s.m.SRAM.Receive, s.m.SRAM.Reserve) {
				break
			}
			held.Pop()
			s.ring[class] += s.m.frames.ringBytes(f)
			if f.packet != 0 {
				s.m.Fabric.Release(f.packet)
				f.packet = 0
			}
			there := s.sram.come(s.m.Clock.Now(), s.m.frames.ringBytes(f))
			s.m.Clock.Push(engine.Event{At: there + s.m.Machine.NIC.Receive, Kind: evChecked, A: number})
		}
	}
}

// checked puts a frame into the intake of its class.
func (m *memoryBased) checked(number uint32) {
	f := m.frames.list[number]
	s := &m.stations[f.to]
	switch {
	case f.isOfBranch() && f.h.Type == mbc.Ack: // of a copy that was sent on from here
		m.copier.answerCopy(f, mbc.TallyOf(f.h.FromNode, f.h.Flags&mbc.Refused != 0))
		s.receiver.drop(number)
		return
	case f.part == branchChain && f.isReply():
		m.copier.answerChainBelow(f)
		s.receiver.drop(number)
		return
	case f.part == convertedAnswer:
		m.copier.answerChain(f)
		s.receiver.drop(number)
		return
	case f.isReply():
		s.routing.replied(f)
	}
	s.receiver.intakes[f.class()].queue.Push(number)
	s.receiver.work(f.class())
}

// work does what the access check says to the accesses of an intake, one after the other.
func (s *receiver) work(class int) {
	in := &s.intakes[class]
	for !in.busy && in.queue.Len() > 0 {
		number := *in.queue.Front()
		f := s.m.frames.list[number]
		switch result := s.check.result(f); {
		case result == mbc.Direct:
			if !s.executor.perform(number) {
				return
			}
			f.becomeDirect()
			s.m.use.Direct++
			in.busy = true
		case result.Waits():
			f.becomeBySystem()
			s.system.put(class, number, result)
		default:
			s.check.refuse(number, result)
		}
		in.queue.Pop()
	}
}

// retry looks again at what waits for room in rings.
func (s *receiver) retry() {
	for class := range s.intakes {
		s.work(class)
		s.system.retryDuty(class)
	}
}

// drop gives up a frame in the receive ring.
func (s *receiver) drop(number uint32) {
	f := s.m.frames.list[number]
	s.m.residents.comesIn(f)
	s.ring[f.class()] -= s.m.frames.ringBytes(f)
	s.m.frames.drop(number)
	s.admit()
}

package memory

import (
	"musubi/nic/mbc"
	"musubi/sim/host"
)

// What switches copy is not part of a passage. Where links make errors, the interface that
// has them copy it sends it again as a whole until all targets have acknowledged it, and
// targets know what they have had. The next packet of the same multicast waits for that, so
// that packets stay in order.

// casting is what an interface knows about its packets that switches copy.
type casting struct {
	*station
	once   mbc.Once          // what switches have copied to it
	number uint16            // of the next
	open   host.FIFO[uint32] // numbers of frames; those that are done are taken out at the front
}

// mayCast reports whether targets can tell a new packet from all that are under way.
func (s *casting) mayCast() bool {
	open := &s.casting.open
	for open.Len() > 0 && !s.m.frames.list[*open.Front()].hasNumber() {
		open.Pop()
	}
	return open.Len() < mbc.OnceWindow-1
}

// numberCopies gives a packet that switches copy a number.
func (s *casting) numberCopies(number uint32) {
	f := s.m.frames.list[number]
	if !s.m.lossy || f.h.Type != mbc.Multicast {
		return
	}
	f.h.Sequence = s.casting.number
	s.casting.number++
	s.casting.open.Push(number)
}

// hadBefore reports whether a copy has come before. If that has been acknowledged, it is
// again; else it will be.
func (s *casting) hadBefore(number, packet uint32) bool {
	f := s.m.frames.list[number]
	if !s.m.lossy || s.once.Fresh(uint16(f.origin), f.h.Sequence) {
		return false
	}
	if t := &s.m.casts.list[f.cast].targets[f.member]; t.answered > f.offset {
		s.m.copier.sendAnswer(f, t.answer)
	}
	s.m.Fabric.Release(packet)
	s.m.frames.drop(number)
	return true
}

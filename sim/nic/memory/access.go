package memory

import (
	"encoding/binary"
	"fmt"

	"musubi/nic/mbc"
	"musubi/nic/ring"
	"musubi/onesided"
	"musubi/sim/engine"
	"musubi/sim/host"
	"musubi/units"
)

// perform begins what a frame asks for. It returns false if that has to wait for room, or
// until the process has left that is about to.
func (m *memoryBased) perform(s *station, number uint32) bool {
	f := m.frames.list[number]
	if s.leaves {
		return false
	}
	now := m.Clock.Now()
	end := now
	switch f.h.Type {
	case mbc.Read:
		if !m.prepareAnswer(s, f, mbc.Answer, f.h.Size) {
			return false
		}
		end = m.overBus(s, f.h.Size, false)
	case mbc.FetchOp, mbc.CompareSwap:
		if !m.prepareAnswer(s, f, mbc.Result, onesided.WordSize) {
			return false
		}
		end = m.changes(s)
	case mbc.Ack, mbc.CombinedAck:
		end = m.overBus(s, flagBytes, true)
	case mbc.Moved:
	default:
		if f.appends {
			h := m.ringPacket(f)
			placed, ok := m.Ranks[f.place.Rank].Place(&h)
			if !ok {
				return false
			}
			f.placed = placed
			end = now + m.Machine.Ring.Manage
		}
		end = max(end, m.overBus(s, len(f.payload()), true))
	}
	s.accesses++
	m.Clock.Push(engine.Event{At: end, Kind: evAccessed, A: number})
	return true
}

// ringPacket returns what the receive ring has to know of a frame.
func (m *memoryBased) ringPacket(f *frame) ring.Packet {
	a := &m.accesses[f.op]
	return m.Ranks[a.Target].RingPacket(a.initiator, f.h.Size, f.offset+f.h.Size == a.size)
}

// accessed ends what a frame has asked for.
func (m *memoryBased) accessed(number uint32) {
	f := m.frames.list[number]
	s := &m.stations[f.to]
	class := f.class()
	s.accesses--
	m.carryOut(s, f)
	if f.served {
		m.release(s, class, f)
	} else {
		s.intakes[class].busy = false
	}
	m.drop(s, number)
	if s.leaves && s.accesses == 0 {
		s.leaves = false
		m.move(s.move)
	}
	m.retry(s)
}

// carryOut moves the data of a frame, and answers it.
func (m *memoryBased) carryOut(s *station, f *frame) {
	switch f.h.Type {
	case mbc.Moved:
		m.moved(s, f.h.FromNode, f.from)
	case mbc.Read:
		answer := m.frames.list[f.answer]
		memory, err := m.Ranks[f.place.Rank].Memory(f.place, f.h.Size)
		if err != nil {
			m.FailOp(f.op, err)
			memory = make([]byte, f.h.Size)
		}
		answer.data = append(answer.data, memory...)
		m.launch(s, f.answer)
	case mbc.FetchOp, mbc.CompareSwap:
		m.changeWord(s, f)
	case mbc.Ack, mbc.Answer, mbc.Result, mbc.CombinedAck:
		m.settle(s, f)
	default:
		done := m.write(f)
		if f.cast != 0 {
			m.castEnds(s, f, !done)
			return
		}
		m.apply(f)
		if f.h.Flags&mbc.Confirm != 0 {
			m.acknowledge(f)
		}
	}
}

// write puts the data of a frame into the memory of its target, if that has such.
func (m *memoryBased) write(f *frame) (done bool) {
	r := &m.Ranks[f.place.Rank]
	if f.appends {
		h := m.ringPacket(f)
		r.Store(&h, f.placed, f.data)
		return true
	}
	data := f.payload()
	memory, err := r.Memory(f.place, len(data))
	if err != nil {
		if f.cast == 0 || f.h.Flags&mbc.Confirm != 0 {
			m.FailOp(f.op, err)
		}
		return false
	}
	copy(memory, data)
	r.Touched()
	return true
}

// apply enters into the books that a part of an operation has been done. It must be the
// next one: no part is lost, done twice, or done before those that were sent earlier. Only
// the answers of a PULL may come in any order.
func (m *memoryBased) apply(f *frame) {
	a := &m.accesses[f.op]
	if m.OpErr(f.op) != nil {
		return
	}
	if a.Action != host.Pull && (f.offset != a.written || a.parts > 0 && a.written == a.size) {
		m.Fail(fmt.Errorf("device: %v of rank %d at rank %d: bytes from %d on are accessed where those from %d on are next of %d",
			a.Action, a.initiator, a.Target, f.offset, a.written, a.size))
		return
	}
	a.written += a.progress(f)
	a.parts++
	a.missing -= f.offset + 1
}

// settle takes a reply to a request. When it is the last one, the operation is complete.
func (m *memoryBased) settle(s *station, f *frame) {
	a := &m.accesses[f.op]
	switch {
	case f.h.Flags&mbc.Refused != 0:
	case f.h.Type == mbc.Answer:
		a.near.Scatter(a.Local, f.data, f.offset)
		m.apply(f)
	case f.h.Type == mbc.Result && a.Word.Was != nil:
		*a.Word.Was = int64(binary.NativeEndian.Uint64(f.data))
	}
	a.awaited--
	if f.h.Type == mbc.CombinedAck {
		m.unpark(&m.stations[a.station])
	}
	if a.awaited > 0 || !a.left {
		return
	}
	end := m.Clock.Now()
	if f.h.Type == mbc.Answer || f.h.Type == mbc.Result {
		end = m.overBus(s, flagBytes, true)
	}
	m.Clock.Push(engine.Event{At: end + m.Machine.NIC.Complete, Kind: evDone, A: f.op})
}

// done ends an operation, which has been done once as a whole, or refused.
func (m *memoryBased) done(id uint32) {
	a := &m.accesses[id]
	m.castDone(id)
	if a.Action != host.Multicast && m.OpErr(id) == nil && (a.written != a.size || a.parts == 0 || a.missing != 0) {
		m.Fail(fmt.Errorf("device: %v of rank %d at rank %d is complete, but %d of %d bytes are where they belong",
			a.Action, a.initiator, a.Target, a.written, a.size))
	}
	m.ended(a)
	m.CompleteOp(id)
}

// changes reserves the bus for an atomic operation: the interface reads a word, and holds
// the bus until it has written what it makes of it.
func (m *memoryBased) changes(s *station) (end units.Time) {
	_, read := s.bus.Read(m.Clock.Now(), onesided.WordSize, 1)
	_, end = s.bus.Write(read+m.Remote.Compare, onesided.WordSize, 1)
	return max(end, s.sram.move(m.Clock.Now(), 2*onesided.WordSize))
}

// changeWord does an atomic operation, and answers with what was there before.
func (m *memoryBased) changeWord(s *station, f *frame) {
	answer := m.frames.list[f.answer]
	atomic, err := mbc.ParseAtomic(f.h.Type, f.data)
	if err != nil {
		panic(err) // the simulated link delivers what was sent
	}
	r := &m.Ranks[f.place.Rank]
	memory, err := r.Word(f.place)
	if err != nil {
		m.FailOp(f.op, err)
		answer.data = append(answer.data, make([]byte, onesided.WordSize)...)
	} else {
		answer.data = append(answer.data, memory...)
		old := int64(binary.NativeEndian.Uint64(memory))
		binary.NativeEndian.PutUint64(memory, uint64(atomic.Apply(old)))
		r.Touched()
	}
	m.apply(f)
	m.launch(s, f.answer)
}

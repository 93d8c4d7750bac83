package memory

import (
	"encoding/binary"

	"musubi/nic/mbc"
	"musubi/onesided"
	"musubi/sim/engine"
	"musubi/units"
)

// executor does what frames ask for.
type executor struct {
	*station
	accesses int        // that are under way
	steps    []mbc.Step // of the sequence that is being done
	leaves   bool       // when they are done the process leaves, by migration move
	move     uint32
}

// accessed ends what a frame has asked for.
func (m *memoryBased) accessed(number uint32) {
	f := m.frames.list[number]
	s := &m.stations[f.to]
	class := f.class()
	s.executor.accesses--
	s.executor.carryOut(f)
	if f.progress == bySystem {
		s.system.release(class, f)
	} else {
		s.receiver.intakes[class].busy = false
	}
	s.receiver.drop(number)
	if s.executor.leaves && s.executor.accesses == 0 {
		s.executor.leaves = false
		m.migrations.move(s.executor.move)
	}
	s.receiver.retry()
}

// perform begins what a frame asks for. It returns false if that has to wait for room, or
// until the process has left that is about to.
func (s *executor) perform(number uint32) bool {
	f := s.m.frames.list[number]
	if s.leaves {
		return false
	}
	now := s.m.Clock.Now()
	end := now
	switch f.h.Type {
	case mbc.Read:
		if !s.sender.prepareAnswer(f, mbc.Answer, f.h.Size) {
			return false
		}
		end = s.overBus(f.h.Size, false)
	case mbc.FetchOp, mbc.CompareSwap:
		if !s.sender.prepareAnswer(f, mbc.Result, onesided.WordSize) {
			return false
		}
		end = s.changes(1)
	case mbc.Sequence:
		n := int(s.m.operations.accesses.At(f.op).size) / onesided.WordSize
		if !s.sender.prepareAnswer(f, mbc.Results, n*onesided.WordSize) {
			return false
		}
		end = s.changes(n)
	case mbc.Ack, mbc.CombinedAck:
		end = s.overBus(flagBytes, true)
	case mbc.Moved, mbc.Stop:
	default:
		if f.appends() {
			h := s.m.operations.ringPacket(f)
			placed, ok := s.m.Ranks[f.place.Rank].Place(&h)
			if !ok {
				return false
			}
			f.placed = placed
			end = now + s.m.Machine.Ring.Manage
		}
		end = max(end, s.overBus(len(f.payload()), true))
	}
	s.accesses++
	s.m.Clock.Push(engine.Event{At: end, Kind: evAccessed, A: number})
	return true
}

// carryOut moves the data of a frame, and answers it.
func (s *executor) carryOut(f *frame) {
	switch f.h.Type {
	case mbc.Moved:
		s.routing.moved(f.h.FromNode, f.from)
	case mbc.Stop:
		s.system.takeStop(f)
	case mbc.Read:
		answer := s.m.frames.list[f.answer]
		memory, err := s.m.Ranks[f.place.Rank].Memory(f.place, f.h.Size)
		if err != nil {
			s.m.FailOp(f.op, err)
			memory = make([]byte, f.h.Size)
		}
		answer.data = append(answer.data, memory...)
		s.sender.launch(f.answer)
	case mbc.FetchOp, mbc.CompareSwap:
		s.changeWord(f)
	case mbc.Sequence:
		s.changeWords(f)
	case mbc.Ack, mbc.Answer, mbc.Result, mbc.Results, mbc.CombinedAck:
		s.takeReply(f)
	default:
		done := s.m.operations.write(f)
		if f.cast != 0 {
			s.castEnds(f, !done)
			return
		}
		s.m.operations.apply(f)
		if f.h.Flags&mbc.Confirm != 0 {
			s.m.acknowledge(f)
		}
	}
}

// takeReply takes a reply to a request. When it is the last one, the operation is complete.
func (s *executor) takeReply(f *frame) {
	a := s.m.operations.accesses.At(f.op)
	switch {
	case f.h.Flags&mbc.Refused != 0:
	case f.h.Type == mbc.Answer:
		a.near.Scatter(a.Local, f.data, f.offset)
		s.m.operations.apply(f)
	case f.h.Type == mbc.Results:
		a.takeResults(f.data)
	case f.h.Type == mbc.Result && a.Word().Was != nil:
		*a.Word().Was = int64(binary.NativeEndian.Uint64(f.data))
	}
	a.awaited--
	if f.h.Type == mbc.CombinedAck {
		s.m.stations[a.station].sender.unpark()
	}
	if a.awaited > 0 || !a.left {
		return
	}
	end := s.m.Clock.Now()
	switch f.h.Type {
	case mbc.Answer, mbc.Result, mbc.Results:
		end = s.overBus(flagBytes, true)
	}
	s.m.Clock.Push(engine.Event{At: end + s.m.Machine.NIC.Complete, Kind: evDone, A: f.op})
}

// changes reserves the bus for atomic operations, one after the other: for each the interface reads
// a word, and holds the bus until it has written what it makes of it.
func (s *executor) changes(n int) (end units.Time) {
	end = s.m.Clock.Now()
	for range n {
		_, read := s.bus.Read(end, onesided.WordSize, 1)
		_, end = s.bus.Write(read+s.m.Remote.Compare, onesided.WordSize, 1)
	}
	return max(end, s.sram.move(s.m.Clock.Now(), 2*onesided.WordSize*n))
}

// changeWord does an atomic operation, and answers with what was there before.
func (s *executor) changeWord(f *frame) {
	answer := s.m.frames.list[f.answer]
	atomic, err := mbc.ParseAtomic(f.h.Type, f.data)
	if err != nil {
		panic(err) // the simulated link delivers what was sent
	}
	r := &s.m.Ranks[f.place.Rank]
	memory, err := r.Word(f.place)
	if err != nil {
		s.m.FailOp(f.op, err)
		answer.data = append(answer.data, make([]byte, onesided.WordSize)...)
	} else {
		answer.data = append(answer.data, memory...)
		old := int64(binary.NativeEndian.Uint64(memory))
		binary.NativeEndian.PutUint64(memory, uint64(atomic.Apply(old)))
		r.Touched()
	}
	s.m.operations.apply(f)
	s.sender.launch(f.answer)
}

// chainBelow makes a copy the chain through those that it is to go on to, if there are any.
func (s *executor) chainBelow(f *frame) {
	chain, ok, err := mbc.ChainForm(s.m.converted[:0], &f.h, f.data, uint16(s.end))
	if err != nil {
		panic(err) // the simulated link delivers what was sent
	}
	s.m.converted = chain
	if !ok {
		return
	}
	f.data = append(f.data[:0], chain...)
	f.becomeBranchChain()
	s.m.use.Chained++
}

// castEnds notes that a part of a multicast has been written to a target or refused there,
// and sees to it that its source learns of it.
func (s *executor) castEnds(f *frame, refused bool) {
	s.m.casts.countCast(f)
	if f.h.Type == mbc.Multicast {
		s.chainBelow(f)
	}
	switch {
	case f.h.Type == mbc.Chain:
		s.pass(f, refused)
	case f.h.Flags&mbc.Confirm == 0:
	case f.h.Type == mbc.Multicast:
		s.m.copier.answerCopy(f, mbc.TallyOf(f.h.ToNode, refused))
	default: // sent on by the station that has got the copy
		s.m.acknowledge(f)
	}
}

// pass sends a chain on from one of its members to the next, or its acknowledgement from the
// last one to the source.
func (s *executor) pass(f *frame, refused bool) {
	number, p := s.m.frames.take()
	route := p.h.Route
	p.h = f.h
	p.h.Route = route
	p.data = append(p.data, f.data...)
	by, returns := mbc.ChainReturn(&p.h, p.data)
	rest, more, err := mbc.PassChain(&p.h, p.data, refused)
	if err != nil {
		panic(err) // the simulated link delivers what was sent
	}
	if !more {
		s.m.frames.drop(number)
		return
	}
	p.data = append(p.data[:0], rest...)
	p.from, p.to, p.origin, p.op, p.cast, p.offset = int32(s.end), f.origin, f.origin, f.op, f.cast, f.offset
	p.becomeNext(f)
	if p.isReply() {
		if p.cast = 0; returns {
			p.to = int32(by)
		}
		p.h.Route = s.m.paths.stepsBack(p.h.Route, p.from, p.to)
		s.m.frames.measure(p)
		s.m.Clock.Push(engine.Event{At: s.m.Clock.Now() + s.m.Machine.NIC.Reply, Kind: evReply, A: number})
		return
	}
	c := &s.m.casts.list[p.cast]
	if p.member++; f.part == branchChain {
		p.member = int(c.targets[f.member].next)
	}
	p.place = c.targets[p.member].place(p.offset)
	s.sender.sendOn(number)
}

// overBus reserves bus and SRAM for data, and returns when it is across.
func (s *executor) overBus(bytes int, toMemory bool) (end units.Time) {
	if bytes == 0 {
		return s.m.Clock.Now()
	}
	if toMemory {
		_, end = s.bus.Write(s.m.Clock.Now(), bytes, 1)
	} else {
		_, end = s.bus.Read(s.m.Clock.Now(), bytes, 1)
	}
	return max(end, s.sram.move(s.m.Clock.Now(), bytes))
}

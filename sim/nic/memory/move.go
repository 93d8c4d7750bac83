package memory

import (
	"fmt"

	"musubi/nic/mbc"
	"musubi/sim/engine"
	"musubi/units"
)

// planMoves has the ranks move that the conditions name.
func (m *memoryBased) planMoves() error {
	moves, err := m.Conditions.moves()
	if err != nil {
		return err
	}
	for i, move := range moves {
		switch {
		case move.rank >= len(m.Ranks):
			return fmt.Errorf("conditions.migrations names rank %d; there are ranks 0 to %d", move.rank, len(m.Ranks)-1)
		case move.host >= len(m.stations):
			return fmt.Errorf("conditions.migrations names host %d; there are hosts 0 to %d", move.host, len(m.stations)-1)
		}
		m.Clock.Push(engine.Event{At: move.at, Kind: evMove, A: uint32(i)})
	}
	m.moves, m.confirmsAll = moves, len(moves) > 0
	return nil
}

// move lets a process go to another station, as soon as nothing is under way any more that
// could be overtaken on the way there, and what its interface has begun is done.
func (m *memoryBased) move(number uint32) {
	to := m.moves[number]
	p, s := &m.processes[to.rank], &m.stations[to.host]
	switch {
	case m.Ranks[to.rank].Done || int(p.at) == to.host:
		return
	case p.astray > 0 || p.old > 0 || p.frozen > m.Clock.Now():
		m.Clock.Push(engine.Event{At: m.Clock.Now() + m.OS.Migrate + units.Microsecond, Kind: evMove, A: number})
		return
	case s.rank >= 0:
		m.Fail(fmt.Errorf("conditions.migrations: rank %d cannot move to host %d, where rank %d runs", to.rank, to.host, s.rank))
		return
	}
	if from := &m.stations[p.at]; from.accesses > 0 {
		from.leaves, from.move = true, number
		return
	}
	m.use.Migrations++
	from := &m.stations[p.at]
	m.leave(p, to)
	p.at = int32(to.host)
	m.arrives(int32(to.rank))
	m.retry(from)
}

// leave stops a process and takes it away from its station, with its memory. Its
// operations that are under way go on there.
func (m *memoryBased) leave(p *resident, to migration) {
	from := &m.stations[p.at]
	now := m.Clock.Now()
	stopped := m.occupy(from, m.OS.Migrate)
	memory := units.Bytes(m.Ranks[to.rank].Exposed)
	p.frozen = stopped + m.Machine.Bus.Rate.Transfer(memory) + m.Machine.Bus.Setup*units.Time(from.bus.Bursts(int(memory), 1))
	m.Processors[to.rank].Lose(now, max(p.frozen, m.stations[to.host].system.free))
	p.astray = p.underway
	p.old, p.moves = p.open, p.moves+1
	from.rank = none
	if err := from.gate.Leave(p.id.Process, uint16(to.rank)); err != nil {
		panic(err) // it lives there
	}
	from.scheduled = false
}

// forward sends an access on that the operating system has found to be for a process which
// has left, and tells its source.
func (m *memoryBased) forward(s *station, list int, number uint32) {
	f := m.frames.list[number]
	m.use.Forwarded++
	if !f.isReply() {
		m.tellMoved(f)
	}
	copied, c := m.frames.take()
	route := c.h.Route
	c.h = f.h
	c.h.Route = route
	c.h.Flags |= mbc.Forwarded
	c.from, c.to, c.origin = int32(s.end), m.processes[f.h.ToNode].at, f.origin
	c.op, c.place, c.appends, c.offset, c.cast, c.member = f.op, f.place, f.appends, f.offset, f.cast, f.member
	c.data = append(c.data, f.data...)
	c.below, c.branch, c.answer = f.below, f.branch, f.answer
	if c.h.Type == mbc.Multicast {
		m.forwardCopy(s, c)
	}
	s.gate.Served(&f.h)
	m.drop(s, number)
	m.dismiss(s, list)
	if c.isReply() {
		c.h.Route = m.stepsBack(c.h.Route, c.from, c.to)
		m.measure(c)
		m.reply(copied)
		return
	}
	m.sendOnTo(s, copied, c.to)
}

// forwardCopy makes a copy that is sent on a write, or a chain if its target was to send it on
// to others. It is answered from here.
func (m *memoryBased) forwardCopy(s *station, f *frame) {
	if m.chainBelow(s, f); f.below {
		return
	}
	write, data := f.asWrite()
	f.h, f.data, f.origin = write, append(f.data[:0], data...), f.from
}

// tellMoved tells the interface that has sent a request that its route is stale.
func (m *memoryBased) tellMoved(f *frame) {
	number, moved := m.back(f, mbc.Moved, 0)
	if moved.branch = 0; f.h.Type == mbc.Chain && f.from != moved.from {
		moved.to = f.from
		moved.h.Route = m.stepsBack(moved.h.Route[:0], moved.from, moved.to)
		m.measure(moved)
	}
	m.reply(number)
}

// sendForwarded sends requests on, as there is room in the send ring.
func (m *memoryBased) sendForwarded(s *station) {
	for s.sender.forwarded.Len() > 0 {
		number := *s.sender.forwarded.Front()
		f := m.frames.list[number]
		if !s.sender.ring.admits(requests, m.ringBytes(f), m.SRAM.Send, m.SRAM.Reserve) {
			return
		}
		s.sender.forwarded.Pop()
		s.sender.ring[requests] += m.ringBytes(f)
		m.launch(s, number)
	}
}

// goesOut and comesIn count what is under way to a process, and how much of it to where it
// does not live.
func (m *memoryBased) goesOut(f *frame) { m.goesTo(f.h.ToNode, f.to) }

func (m *memoryBased) goesTo(node uint16, end int32) {
	p := &m.processes[node]
	p.underway++
	if end != p.at {
		p.astray++
	}
}

func (m *memoryBased) comesIn(f *frame) { m.comesTo(f.h.ToNode, f.to) }

func (m *memoryBased) comesTo(node uint16, end int32) {
	p := &m.processes[node]
	p.underway--
	if end != p.at {
		p.astray--
	}
}

// ended counts an operation that is complete. When it was the last one that its process
// has started at another station, those go on that have waited for that.
func (m *memoryBased) ended(a *access) {
	p := &m.processes[a.initiator]
	p.open--
	if a.moves == p.moves {
		return
	}
	if p.old--; p.old > 0 {
		return
	}
	s := &m.stations[p.at]
	for p.held.Len() > 0 {
		s.sender.queue.Push(p.held.Pop())
	}
	m.feed(s)
}

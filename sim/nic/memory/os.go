package memory

import (
	"fmt"

	"musubi/nic/mbc"
	"musubi/sim/engine"
	"musubi/sim/host"
	"musubi/units"
)

// system is the operating system of a station, as far as its interface calls it. It has a
// list of duties of each kind, and does one after the other of each.
type system struct {
	free   units.Time // the processor has done what it was called for
	duties [dutyLists]dutyList
}

// Lists of duties: accesses that have arrived, requests apart from replies, and what the
// interface needs for itself.
const (
	ownDuties = frameClasses + iota
	dutyLists
)

type dutyList struct {
	waiting host.FIFO[duty]
	busy    bool
	stuck   bool // the access that it is at waits for room
}

// duty is what an interface has interrupted the processor for.
type duty struct {
	kind  dutyKind
	frame uint32
	paged bool // its page has been brought in
	node  uint16
}

type dutyKind uint8

const (
	doAccess dutyKind = iota
	findRoute
	tellIntrusion
	keepRequest
)

// call interrupts the processor of a station.
func (m *memoryBased) call(s *station, list int, d duty) {
	m.use.Interrupts++
	s.system.duties[list].waiting.Push(d)
	m.attend(s, list)
}

// attend begins the next duty of a list.
func (m *memoryBased) attend(s *station, list int) {
	l := &s.system.duties[list]
	if l.busy || l.waiting.Len() == 0 {
		return
	}
	l.busy = true
	os := &m.OS
	cost := [...]units.Time{doAccess: os.Access, findRoute: os.Route, tellIntrusion: os.Report, keepRequest: os.Access}[l.waiting.Front().kind]
	end := m.occupy(s, os.Interrupt+cost)
	m.Clock.Push(engine.Event{At: end, Kind: evServed, A: uint32(s.end), B: uint32(list)})
}

// occupy takes time of the processor for the operating system, and returns when it is over.
func (m *memoryBased) occupy(s *station, d units.Time) units.Time {
	from := max(m.Clock.Now(), s.system.free)
	s.system.free = from + d
	m.use.Stolen += d
	if s.rank >= 0 {
		m.Processors[s.rank].Lose(m.Clock.Now(), s.system.free)
	}
	return s.system.free
}

// attended does what the duty at the head of a list is for.
func (m *memoryBased) attended(s *station, list int) {
	l := &s.system.duties[list]
	switch d := l.waiting.Front(); d.kind {
	case doAccess:
		m.resolve(s, list)
		return
	case findRoute:
		node := d.node
		m.dismiss(s, list)
		m.fill(s, node)
	case tellIntrusion:
		p := &m.processes[d.node]
		p.offences = s.gate.Violations(p.offences, p.id.Process, d.node)
		m.Ranks[d.node].Touched()
		m.dismiss(s, list)
	default:
		m.dismiss(s, list)
	}
}

// dismiss ends the duty at the head of a list.
func (m *memoryBased) dismiss(s *station, list int) {
	l := &s.system.duties[list]
	l.waiting.Pop()
	l.busy, l.stuck = false, false
	m.attend(s, list)
}

// put puts an access before the operating system.
func (m *memoryBased) put(s *station, class int, number uint32, verdict mbc.CheckResult) {
	switch verdict {
	case mbc.NotScheduled:
		m.use.NotScheduled++
	case mbc.Absent:
		m.use.Absent++
	default:
		m.use.Behind++
	}
	m.call(s, class, duty{kind: doAccess, frame: number})
}

// resolve does the access at the head of a list, makes its page present first, or finds
// that it cannot be done here.
func (m *memoryBased) resolve(s *station, list int) {
	l := &s.system.duties[list]
	d := l.waiting.Front()
	number := d.frame
	f := m.frames.list[number]
	m.schedule(s)
	if d.paged {
		m.processes[f.h.ToNode].space.bring(f.h.At)
	}
	switch verdict := s.gate.Resolve(m.judged(f)); {
	case verdict == mbc.Direct:
		l.stuck = !m.perform(s, number)
	case verdict == mbc.Absent && m.processes[f.h.ToNode].space.isSegment(f.h.At):
		m.use.PageIns++
		d.paged = true
		m.Clock.Push(engine.Event{At: m.Clock.Now() + m.OS.PageIn, Kind: evServed, A: uint32(s.end), B: uint32(list)})
	case verdict == mbc.Elsewhere:
		m.forward(s, list, number)
	default:
		s.gate.Served(&f.h)
		m.dismiss(s, list)
		m.refuse(s, number, verdict)
		m.retry(s)
	}
}

// retryDuty looks again at an access that the operating system could not begin.
func (m *memoryBased) retryDuty(s *station, list int) {
	if l := &s.system.duties[list]; l.stuck {
		l.stuck = false
		m.resolve(s, list)
	}
}

// release ends an access of the operating system.
func (m *memoryBased) release(s *station, list int, f *frame) {
	s.gate.Served(&f.h)
	m.dismiss(s, list)
}

// refuse answers an access that is not done. Its target learns who has tried, if that had
// no right to.
func (m *memoryBased) refuse(s *station, number uint32, verdict mbc.CheckResult) {
	f := m.frames.list[number]
	err := fmt.Errorf("rma: access to %v: %v", f.place, verdict)
	if verdict == mbc.Absent || verdict == mbc.Outside {
		if _, e := m.Ranks[f.place.Rank].Memory(f.place, f.h.Size); e != nil {
			err = e
		}
	}
	if verdict == mbc.Forged {
		m.use.Forged++
		m.call(s, ownDuties, duty{kind: tellIntrusion, node: f.h.ToNode})
	}
	if f.cast == 0 || f.h.Flags&mbc.Confirm != 0 {
		m.FailOp(f.op, err)
	}
	f.h.Flags |= mbc.Refused
	switch {
	case f.cast != 0:
		m.castEnds(s, f, true)
	case f.isAwaited():
		m.acknowledge(f)
	}
	m.drop(s, number)
}

package memory

import (
	"musubi/nic/mbc"
	"musubi/sim/engine"
	"musubi/sim/host"
	"musubi/units"
)

// operatingSystem is the operating system of a station, as far as its interface calls it. It has a
// list of duties of each kind, and does one after the other of each.
type operatingSystem struct {
	*station
	free   units.Time // the processor has done what it was called for
	duties [dutyLists]dutyList
}

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

// forward sends an access on that the operating system has found to be for a process which
// has left, and tells its source.
func (s *operatingSystem) forward(list int, number uint32) {
	f := s.m.frames.list[number]
	copied, c := s.forwarded(f)
	if c.h.Type == mbc.Multicast {
		s.forwardCopy(c)
	}
	s.check.accessGate.Served(&f.h)
	s.receiver.drop(number)
	s.dismiss(list)
	if c.isReply() {
		c.h.Route = s.m.paths.stepsBack(c.h.Route, c.from, c.to)
		s.m.frames.measure(c)
		s.m.reply(copied)
		return
	}
	s.sender.sendOnTo(copied, c.to)
}

// forwarded makes the frame that another one goes on as to where its process lives now. The source
// of a request is told of that.
func (s *operatingSystem) forwarded(f *frame) (uint32, *frame) {
	s.m.use.Forwarded++
	if !f.isReply() {
		s.m.migrations.tellMoved(f)
	}
	number, c := s.m.frames.take()
	route := c.h.Route
	c.h = f.h
	c.h.Route = route
	c.h.Flags |= mbc.Forwarded
	c.from, c.to, c.origin = int32(s.end), s.m.residents.processes[f.h.ToNode].at, f.origin
	c.op, c.place, c.offset, c.cast = f.op, f.place, f.offset, f.cast
	c.becomeNext(f)
	c.data = append(c.data, f.data...)
	return number, c
}

// forwardCopy makes a copy that is sent on a write, or a chain if its target was to send it on
// to others. It is answered from here.
func (s *operatingSystem) forwardCopy(f *frame) {
	if s.executor.chainBelow(f); f.part == branchChain {
		return
	}
	write, data := f.asWrite()
	f.h, f.data, f.origin = write, append(f.data[:0], data...), f.from
}

// Lists of duties: accesses that have arrived, requests apart from replies, and what the
// interface needs for itself.
const (
	ownDuties = frameClasses + iota
	dutyLists
)

type dutyKind uint8

const (
	doAccess dutyKind = iota
	findRoute
	tellViolation
	keepRequest
	stopProcess
)

// call interrupts the processor of a station.
func (s *operatingSystem) call(list int, d duty) {
	s.m.use.Interrupts++
	s.system.duties[list].waiting.Push(d)
	s.attend(list)
}

// attend begins the next duty of a list.
func (s *operatingSystem) attend(list int) {
	l := &s.system.duties[list]
	if l.busy || l.waiting.Len() == 0 {
		return
	}
	l.busy = true
	os := &s.m.OS
	cost := [...]units.Time{doAccess: os.Access, findRoute: os.Route, tellViolation: os.Report, keepRequest: os.Access, stopProcess: os.Stop}[l.waiting.Front().kind]
	end := s.occupy(os.Interrupt + cost)
	s.m.Clock.Push(engine.Event{At: end, Kind: evServed, A: uint32(s.end), Args: engine.Args{B: uint32(list)}})
}

// occupy takes time of the processor for the operating system, and returns when it is over.
func (s *operatingSystem) occupy(d units.Time) units.Time {
	from := max(s.m.Clock.Now(), s.system.free)
	s.system.free = from + d
	s.m.use.Stolen += d
	for _, r := range s.ranks {
		s.m.Processors[r].Lose(s.m.Clock.Now(), s.system.free)
	}
	return s.system.free
}

// attended does what the duty at the head of a list is for.
func (s *operatingSystem) attended(list int) {
	l := &s.system.duties[list]
	switch d := l.waiting.Front(); d.kind {
	case doAccess:
		s.resolve(list)
		return
	case findRoute:
		node := d.node
		s.dismiss(list)
		s.routing.fill(node)
	case tellViolation:
		p := &s.m.residents.processes[d.node]
		p.violations = s.check.accessGate.Violations(p.violations, p.id.Process, d.node)
		s.m.Ranks[d.node].Touched()
		s.dismiss(list)
	case stopProcess:
		node, ack := d.node, d.frame
		s.dismiss(list)
		s.stop(node)
		s.m.reply(ack)
	default:
		s.dismiss(list)
	}
}

// dismiss ends the duty at the head of a list.
func (s *operatingSystem) dismiss(list int) {
	l := &s.system.duties[list]
	l.waiting.Pop()
	l.busy, l.stuck = false, false
	s.attend(list)
}

// put puts an access before the operating system.
func (s *operatingSystem) put(class int, number uint32, result mbc.CheckResult) {
	switch result {
	case mbc.NotScheduled:
		s.m.use.NotScheduled++
	case mbc.Absent:
		s.m.use.Absent++
	default:
		s.m.use.Behind++
	}
	s.call(class, duty{kind: doAccess, frame: number})
}

// resolve does the access at the head of a list, makes its page present first, or finds
// that it cannot be done here.
func (s *operatingSystem) resolve(list int) {
	l := &s.system.duties[list]
	d := l.waiting.Front()
	number := d.frame
	f := s.m.frames.list[number]
	s.check.schedule()
	if d.paged {
		s.m.residents.processes[f.h.ToNode].space.bring(f.h.At)
	}
	switch result := s.check.accessGate.Resolve(s.check.accessHeader(f)); {
	case result == mbc.Direct:
		l.stuck = !s.executor.perform(number)
	case result == mbc.Absent && s.m.residents.processes[f.h.ToNode].space.isSegment(f.h.At):
		s.m.use.PageIns++
		d.paged = true
		s.m.Clock.Push(engine.Event{At: s.m.Clock.Now() + s.m.OS.PageIn, Kind: evServed, A: uint32(s.end), Args: engine.Args{B: uint32(list)}})
	case result == mbc.Elsewhere:
		s.forward(list, number)
	default:
		s.check.accessGate.Served(&f.h)
		s.dismiss(list)
		s.check.refuse(number, result)
		s.receiver.retry()
	}
}

// retryDuty looks again at an access that the operating system could not begin.
func (s *operatingSystem) retryDuty(list int) {
	if l := &s.system.duties[list]; l.stuck {
		l.stuck = false
		s.resolve(list)
	}
}

// release ends an access of the operating system.
func (s *operatingSystem) release(list int, f *frame) {
	s.check.accessGate.Served(&f.h)
	s.dismiss(list)
}

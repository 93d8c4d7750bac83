package collective

import (
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/multicast"
	"musubi/mpi/internal/schedule"
)

// A communicator has a multicast buffer of each rank. What is in its slots may be written over when
// all ranks have taken it: that they know from a barrier by messages, which comes whenever all
// slots have been used. Persistent operations have a buffer each, as ranks may start them in
// different orders.

// multicastLine is a multicast buffer and the operations that use it: the first one asks where the
// buffers of all ranks are, and the others wait in a line.
type multicastLine struct {
	multicast.Buffer
	stage stage
	line  []*Operation
}

// open gives the buffer its memory.
func (l *multicastLine) open(j *job) { l.Open(&j.multicasts.pool, j.Process) }

// close ends the use of the memory. Nothing is under way there: who frees a communicator, or a
// persistent operation, has completed what it has started.
func (l *multicastLine) close(j *job) { l.Close(&j.multicasts.pool, j.Process) }

// The steps of an operation by multicast.
const (
	multicastEnter = iota // gets in line
	multicastTurn         // adds the steps of the operation, when it is its turn
	multicastSend         // sends from to all others
	multicastTake         // takes into what another rank has sent so
	multicastLeave        // lets the next of the line have its turn
)

// multicastStep takes a step of an operation by multicast.
func (r *Operation) multicastStep(s *schedule.Step) outcome {
	switch s.Do {
	case multicastEnter:
		r.enterMulticast()
	case multicastTurn:
		if !r.takeTurn() {
			return stepWaits
		}
	case multicastSend:
		if !r.sendSlot(s.From) {
			return stepBlocked
		}
	case multicastTake:
		if !r.takeSlot(s.Into) {
			return stepWaits
		}
	default:
		r.leaveMulticast()
	}
	return stepDone
}

// enterMulticast puts the operation in the line. It adds the steps that come then.
func (r *Operation) enterMulticast() {
	l := r.multicasts
	if r.C.Size() == 1 {
		r.byMessages()
		r.Algorithm.Build(&r.Schedule, r.Arguments)
		return
	}
	l.line = append(l.line, r)
	if l.stage == unasked {
		l.stage = asking
		if !l.IsOpen() {
			l.open(r.C.job)
		}
		l.Places = make([]multicast.Place, r.C.Size())
		algorithm.BruckAllGather.Build(&r.Schedule, algorithm.Arguments{In: elements.Memory(l.Own[:]), Out: elements.Memory(l.Places), Element: elements.Size[multicast.Place]()})
	}
	r.Schedule.Call(multicastTurn, nil, nil)
}

// takeTurn adds the steps of the operation when it is its turn, and reports whether it is.
func (r *Operation) takeTurn() bool {
	l := r.multicasts
	if l.line[0] != r {
		return false
	}
	if l.stage == asking {
		l.stage = settled
		l.Agree()
	}
	if r.kind == algorithm.Barrier {
		barrierByMulticast(r)
	} else {
		broadcastByMulticast(r)
	}
	return true
}

// sendNext adds a step that sends to the next slot of all other ranks.
func (r *Operation) sendNext(from []byte) {
	r.Schedule.Call(multicastSend, from, nil)
}

// takeNext adds a step that takes the next slot.
func (r *Operation) takeNext(into []byte) {
	r.Schedule.Call(multicastTake, nil, into)
}

// leaveThen is the last step of an operation by multicast.
func (r *Operation) leaveThen() { r.Schedule.Call(multicastLeave, nil, nil) }

// leaveMulticast lets the next operation of the line have its turn.
func (r *Operation) leaveMulticast() {
	l := r.multicasts
	l.line = slices.Delete(l.line, 0, 1)
	if len(l.line) > 0 {
		r.C.Engine.GoOn(l.line[0])
	}
}

// guard adds a barrier before the first slot of a round, some slots from the next on.
func (r *Operation) guard(ahead int) {
	if r.multicasts.BeginsRound(ahead) {
		algorithm.BarrierDissemination(&r.Schedule, r.Arguments)
	}
}

// sendSlot sends as much data as a slot can hold to the next slot of all other ranks. It returns
// false if there is no room for what is under way.
func (r *Operation) sendSlot(data []byte) bool {
	c, l := r.C, r.multicasts
	room, err := c.Engine.HasRoom()
	if err == nil && !room {
		return false
	}
	if err == nil {
		err = l.Send(&c.Comm, c.job.multicaster, r.Algorithm.Manner, data)
	} else {
		l.Skip()
	}
	if err != nil {
		r.note(c.Fail(fault.Other, r.Call, err))
	}
	return true
}

// takeSlot takes data from the next slot, and returns false if it is not there yet. It adds the
// steps that take the rest of what the other rank sends, also if that is not as long as
// expected: so this rank finds the slots of the next operation.
func (r *Operation) takeSlot(into []byte) bool {
	c, l := r.C, r.multicasts
	if l.Await() {
		c.job.multicasts.await(c.job, l)
	}
	if !l.HasArrived() {
		return false
	}
	arrived := l.Take()
	c.job.multicasts.forget(c.job, l)
	n := arrived.Bytes
	piece, rest := into[:min(n, len(into))], into[min(n, len(into)):]
	if arrived.Left != multicast.Length(into) {
		r.note(c.otherLength(fault.Count, r.Call, int(arrived.Left), r.Root, len(into)))
	} else if n > 0 {
		if err := l.Load(c.Engine.Process, arrived, piece); err != nil {
			r.note(c.Fail(fault.Other, r.Call, err))
		}
	}
	if int(arrived.Left) == n {
		r.leaveThen()
		return true
	}
	r.guard(0)
	r.takeNext(rest)
	return true
}

func (l *multicastLine) hasArrived() bool { return l.HasArrived() }

// multicasts are the operations of a process that wait for a multicast: a source of progress.
type multicasts struct {
	pool   multicast.Pool // of the buffers of the process
	number int            // of the source
	waits  []*multicastLine
}

// await enters a line that an operation waits for.
func (m *multicasts) await(j *job, l *multicastLine) {
	m.waits = append(m.waits, l)
	j.Sources.Set(m.number, true)
}

// forget removes a line that an operation has waited for.
func (m *multicasts) forget(j *job, l *multicastLine) {
	m.waits = slices.DeleteFunc(m.waits, func(other *multicastLine) bool { return other == l })
	j.Sources.Set(m.number, len(m.waits) > 0)
}

// HasNews reports whether a slot has arrived that an operation waits for.
func (m *multicasts) HasNews() bool { return slices.ContainsFunc(m.waits, (*multicastLine).hasArrived) }

// GoOn lets operations go on whose slots have arrived.
func (m *multicasts) GoOn() bool {
	i := slices.IndexFunc(m.waits, (*multicastLine).hasArrived)
	if i < 0 {
		return false
	}
	first := m.waits[i].line[0]
	first.C.Engine.GoOn(first)
	m.GoOn()
	return true
}

// Pending returns the operations that use buffers which are waited for.
func (m *multicasts) Pending() (list []*core.Request) {
	for _, l := range m.waits {
		for _, r := range l.line {
			list = append(list, r.messages.Whole)
		}
	}
	return list
}

// Free does nothing: communicators close their buffers themselves.
func (m *multicasts) Free(*core.Comm) error { return nil }

package mpi

import (
	"errors"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/schedule"
)

// running is a collective operation of this rank, planned or under way. Several can
// be under way in a communicator at once.
type running struct {
	c         *Comm
	call      string // function of this package
	kind      algorithm.Operation
	algorithm *algorithm.Algorithm
	landing   *landing // that its multicasts use
	algorithm.Arguments
	schedule.Schedule

	whole  *Request   // of the program
	tag    int32      // of its messages
	next   int        // step to be taken
	open   []*Request // messages that have been started and not been waited for
	left   int        // of these, not complete
	halted bool       // at a step that waits for them
	failed error      // what the program gets to know
	broken bool       // that is of the machine
	kept   bool       // for further starts, with the tag and the steps that it has
}

// idle returns one that is not started yet.
func (c *Comm) idle(call string, a *algorithm.Arguments) *running {
	var r *running
	if last := len(c.collectives.spare) - 1; last < 0 {
		r = &running{c: c}
	} else {
		r = c.collectives.spare[last]
		c.collectives.spare = c.collectives.spare[:last]
	}
	r.call, r.Arguments, r.landing = call, *a, &c.landing
	return r
}

// rest keeps it until it is needed again.
func (r *running) rest() {
	r.Arguments = algorithm.Arguments{}
	r.Reset(0, 0) // lets go of the program's memory
	r.whole, r.landing, r.next, r.failed, r.broken = nil, nil, 0, nil, false
	spare := &r.c.collectives.spare
	*spare = append(*spare, r)
}

// start starts the operation, as a request. As all ranks start those of a
// communicator in the same order, it is known by its number.
func (r *running) start(whole *Request) {
	collectives := &r.c.collectives
	r.tag = collectives.number
	collectives.number = (collectives.number + 1) % persistentTags
	r.build()
	r.startAs(whole)
}

// build makes the steps.
func (r *running) build() {
	r.Reset(r.c.rank, r.c.Size())
	r.algorithm.Build(&r.Schedule, r.Arguments)
}

// startAs starts an operation that has a tag and steps.
func (r *running) startAs(whole *Request) {
	*whole = Request{c: r.c, call: r.call, does: r}
	r.whole = whole
	r.c.e.goOn(r)
}

// goOn takes steps until one has to wait, or all are taken. It returns false if there
// is only no room for another message.
//
// It goes on after messages of a wrong length, as others wait for what comes later.
func (r *running) goOn() bool {
	for r.next < len(r.Steps) && !r.broken {
		s := &r.Steps[r.next]
		switch s.Action {
		case schedule.Send:
			if !r.send(s) {
				return false
			}
		case schedule.Receive:
			r.receive(s)
		case schedule.Wait:
			if r.halted = r.left > 0; r.halted {
				return true
			}
			r.collect()
		case schedule.Call:
			if outcome := r.carryOutCall(s); outcome != stepDone {
				return outcome == stepWaits
			}
		default:
			s.Compute(r.Op)
		}
		r.next++
	}
	r.end()
	return true
}

// send starts to send. It returns false if there is no room.
func (r *running) send(s *schedule.Step) bool {
	room, err := r.c.e.hasRoom()
	if err != nil {
		r.note(r.c.fail(fault.Other, r.call, err))
		return true
	}
	if !room {
		return false
	}
	m := r.message()
	m.setSend(r.c, r.call, r.c.collective, s.Peer, int(r.tag), s.From)
	m.part = r
	if err := r.c.e.send(m, false); err != nil {
		r.note(r.c.fail(fault.Other, r.call, err))
	}
	return true
}

func (r *running) receive(s *schedule.Step) {
	m := r.message()
	m.setReceive(r.c, r.call, r.c.collective, s.Peer, int(r.tag), s.Into)
	m.part = r
	if err := r.c.e.receive(m); err != nil {
		r.note(r.c.fail(fault.Other, r.call, err))
	}
}

// message returns a request for one of its messages.
func (r *running) message() *Request {
	m := r.c.e.newRequest()
	r.open = append(r.open, m)
	r.left++
	return m
}

// complete is called when one of its messages is.
func (r *running) complete() {
	r.left--
	if r.left == 0 && r.halted {
		r.c.e.ready = append(r.c.e.ready, r)
	}
}

// collect gives back the messages that have been waited for.
func (r *running) collect() {
	for _, m := range r.open {
		switch bytes := m.status.Bytes; {
		case m.err != nil:
			r.note(m.err)
		case m.receive && bytes != len(m.data):
			r.note(r.otherLength(fault.Count, bytes, m))
		}
		r.c.e.recycle(m)
	}
	clear(r.open)
	r.open = r.open[:0]
}

// otherLength says that a message has another length than this rank has given.
func (r *running) otherLength(class fault.Class, bytes int, m *Request) error {
	return r.c.otherLength(class, r.call, bytes, m.status.From, len(m.data))
}

// otherLength says that what a rank has sent in a collective operation has another length than
// this one has given. If it is nothing, that rank may be in another operation, or at its end.
func (c *Comm) otherLength(class fault.Class, call string, bytes, rank, expected int) error {
	perhaps := ""
	if bytes == 0 {
		perhaps = ", as Barrier, Close and empty slices send"
	}
	return c.failf(class, call, "%d bytes from rank %d%s; expected %d, as this rank has given", bytes, rank, perhaps, expected)
}

// note keeps the first error, and the first of the machine before others: that ends
// the operation.
func (r *running) note(err error) {
	broken := errors.Is(err, fault.Other)
	if r.failed == nil || broken && !r.broken {
		r.failed = err
	}
	r.broken = r.broken || broken
}

// end completes the operation. What it needs is kept for the next one, unless
// messages that the machine has failed to bring still belong to it.
func (r *running) end() {
	whole := r.whole
	whole.err, whole.does = r.failed, nil
	if r.left == 0 && !r.kept {
		r.rest()
	}
	whole.finish(nil)
}

// goOn lets a collective operation go on, as far as it can now.
func (e *engine) goOn(r *running) {
	if !r.goOn() {
		e.ready = append(e.ready, r)
	}
}

// goOnAll lets those go on that wait for nothing any more.
func (e *engine) goOnAll() {
	if len(e.teams) > 0 {
		defer e.goOnTeams()
	}
	if len(e.landings) > 0 {
		defer e.goOnLandings()
	}
	if len(e.exchanges.active) > 0 {
		defer e.goOnExchanges()
	}
	if len(e.ready) == 0 {
		return
	}
	ready := e.ready
	e.ready = e.spareReady[:0]
	for _, r := range ready {
		e.goOn(r)
	}
	clear(ready)
	e.spareReady = ready
}

// outcome is what has come of a step.
type outcome uint8

const (
	stepDone    outcome = iota
	stepWaits           // and is to be tried again when something has come about
	stepBlocked         // and waits for room for another message
)

// carryOutCall takes a step of another way than messages.
func (r *running) carryOutCall(s *schedule.Step) outcome {
	if r.algorithm.Way == algorithm.ByInterfaces {
		return r.offloadStep(s)
	}
	return r.multicastStep(s)
}

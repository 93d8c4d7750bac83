package collective

import (
	"errors"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/schedule"
)

// Operation is a collective operation of this rank, planned or under way. Several can
// be under way in a communicator at once.
type Operation struct {
	C          *Comm
	Call       string // function of this package
	kind       algorithm.Operation
	Algorithm  *algorithm.Algorithm
	multicasts *multicastLine // that it uses
	algorithm.Arguments
	schedule.Schedule

	messages core.Batch
	Tag      int32 // of its messages
	next     int   // step to be taken
	failed   error // what the program gets to know
	broken   bool  // that is of the machine
	kept     bool  // for further starts, with the tag and the steps that it has
}

// Idle returns one that is not started yet.
func (c *Comm) Idle(call string, a *algorithm.Arguments) *Operation {
	var r *Operation
	if last := len(c.collectives.spare) - 1; last < 0 {
		r = &Operation{C: c}
		r.messages.Of = r
	} else {
		r = c.collectives.spare[last]
		c.collectives.spare = c.collectives.spare[:last]
	}
	r.Call, r.Arguments, r.multicasts = call, *a, &c.multicastLine
	return r
}

// Rest keeps it until it is needed again.
func (r *Operation) Rest() {
	r.Arguments = algorithm.Arguments{}
	r.Reset(0, 0) // lets go of the program's memory
	r.messages.Whole, r.multicasts, r.next, r.failed, r.broken = nil, nil, 0, nil, false
	spare := &r.C.collectives.spare
	*spare = append(*spare, r)
}

// start starts the operation, as a request. As all ranks start those of a
// communicator in the same order, it is known by its number.
func (r *Operation) start(whole *core.Request) {
	collectives := &r.C.collectives
	r.Tag = collectives.number
	collectives.number = (collectives.number + 1) % persistentTags
	r.Build()
	r.StartAs(whole)
}

// Build makes the steps.
func (r *Operation) Build() {
	r.Reset(r.C.Rank(), r.C.Size())
	r.Algorithm.Build(&r.Schedule, r.Arguments)
}

// StartAs starts an operation that has a tag and steps.
func (r *Operation) StartAs(whole *core.Request) {
	whole.Begin(&r.C.Comm, r.Call, &r.messages)
	r.messages.Whole = whole
	r.C.Engine.GoOn(r)
}

// GoOn takes steps until one has to wait, or all are taken. It returns false if there
// is only no room for another message.
//
// It goes on after messages of a wrong length, as others wait for what comes later.
func (r *Operation) GoOn() bool {
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
			if r.messages.MustWait() {
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
func (r *Operation) send(s *schedule.Step) bool {
	room, err := r.C.Engine.HasRoom()
	if err != nil {
		r.note(r.C.Fail(fault.Other, r.Call, err))
		return true
	}
	if !room {
		return false
	}
	m := r.messages.Message(r.C.Engine)
	m.SetSend(&r.C.Comm, r.Call, r.C.Collective, s.Peer, int(r.Tag), s.From)
	m.Batch = &r.messages
	if err := r.C.Engine.Send(m, false); err != nil {
		r.note(r.C.Fail(fault.Other, r.Call, err))
	}
	return true
}

func (r *Operation) receive(s *schedule.Step) {
	m := r.messages.Message(r.C.Engine)
	m.SetReceive(&r.C.Comm, r.Call, r.C.Collective, s.Peer, int(r.Tag), s.Into)
	m.Batch = &r.messages
	if err := r.C.Engine.Receive(m); err != nil {
		r.note(r.C.Fail(fault.Other, r.Call, err))
	}
}

// collect gives back the messages that have been waited for.
func (r *Operation) collect() {
	for _, m := range r.messages.Open {
		switch bytes := m.Status.Bytes; {
		case m.Err != nil:
			r.note(m.Err)
		case m.IsReceive && bytes != len(m.Data):
			r.note(r.otherLength(fault.Count, bytes, m))
		}
		r.C.Engine.Recycle(m)
	}
	r.messages.Clear()
}

// Mismatch says that a message is too long.
func (r *Operation) Mismatch(m *core.Request, bytes int) error {
	return r.otherLength(fault.Truncate, bytes, m)
}

// otherLength says that a message has another length than this rank has given.
func (r *Operation) otherLength(class fault.Class, bytes int, m *core.Request) error {
	return r.C.otherLength(class, r.Call, bytes, m.Status.From, len(m.Data))
}

// otherLength says that what a rank has sent in a collective operation has another length than
// this one has given. If it is nothing, that rank may be in another operation, or at its end.
func (c *Comm) otherLength(class fault.Class, call string, bytes, rank, expected int) error {
	perhaps := ""
	if bytes == 0 {
		perhaps = ", as Barrier, Close and empty slices send"
	}
	return c.Failf(class, call, "%d bytes from rank %d%s; expected %d, as this rank has given", bytes, rank, perhaps, expected)
}

// note keeps the first error, and the first of the machine before others: that ends
// the operation.
func (r *Operation) note(err error) {
	broken := errors.Is(err, fault.Other)
	if r.failed == nil || broken && !r.broken {
		r.failed = err
	}
	r.broken = r.broken || broken
}

// end completes the operation. What it needs is kept for the next one, unless
// messages that the machine has failed to bring still belong to it.
func (r *Operation) end() {
	whole := r.messages.Whole
	failed := r.failed
	if r.messages.Left == 0 && !r.kept {
		r.Rest()
	}
	whole.FinishAs(failed, nil)
}

// outcome is what has come of a step.
type outcome uint8

const (
	stepDone    outcome = iota
	stepWaits           // and is to be tried again when something has come about
	stepBlocked         // and waits for room for another message
)

// carryOutCall takes a step of another way than messages.
func (r *Operation) carryOutCall(s *schedule.Step) outcome {
	if r.Algorithm.Way == algorithm.ByInterfaces {
		return r.offloadStep(s)
	}
	return r.multicastStep(s)
}

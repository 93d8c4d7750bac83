package collective

import (
	"errors"
	"unsafe"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/schedule"
	"musubi/rma"
)

// Operation is a collective operation of this rank, planned or under way. Several can
// be under way in a communicator at once.
type Operation struct {
	C    *Comm
	Call string // function of package mpi

	// What each step needs comes first, as large jobs have very many operations, of which none is in the processor's cache.
	Tag      int32 // of its messages
	kind     algorithm.Operation
	begun    begun // of the exchange that is next
	broken   bool  // failed is of the machine, and ends the operation
	tagged   bool  // begun by notes, which have given it its tag
	kept     bool  // persistent: not recycled at its end, with the tag and the steps that it has
	hasRoom  bool  // the parts among its arguments lie in room of the job
	next     int32 // step to be taken
	parts    int   // of that step, taken
	failed   error // the program gets it; what is sent after it is empty, so that others fail as well
	messages core.Batch
	schedule.Schedule

	Algorithm *algorithm.Algorithm
	algorithm.Arguments
	multicasts *multicastQueue // that it uses
	expects    *expects        // of a step that receives from all; nil: there has been none
	spoiled    error           // the error that it has to have, once ranks have compared what they call
	comparison *comparison     // nil: ranks do not compare what they call
}

// NewOperation returns an operation without arguments that is not started yet, recycled if possible.
func (c *Comm) NewOperation(call string) *Operation {
	var r *Operation
	if last := len(c.collectives.spare) - 1; last < 0 {
		r = c.makeOperation()
	} else {
		r = c.collectives.spare[last]
		c.collectives.spare = c.collectives.spare[:last]
	}
	r.Call, r.multicasts = call, &c.multicastQueue
	return r
}

// makeOperation returns an operation with nothing in it. What its steps need is asked for ahead.
func (c *Comm) makeOperation() *Operation {
	r := &Operation{C: c}
	r.messages.Operation = r
	if x, ok := c.Engine.Process.(rma.Ahead); ok {
		x.Needs(unsafe.Pointer(r), unsafe.Offsetof(r.Schedule)+stepsBytes)
	}
	return r
}

// stepsBytes is how many bytes of a schedule carrying it out needs.
const stepsBytes = unsafe.Offsetof(schedule.Schedule{}.Steps) + unsafe.Sizeof(schedule.Schedule{}.Steps) + unsafe.Sizeof(schedule.Step{})

// Recycle takes back an operation that is complete.
func (r *Operation) Recycle() {
	if r.hasRoom {
		r.hasRoom = false
		r.C.job.rooms.giveBack(r.Ins)
		r.C.job.rooms.giveBack(r.Outs)
	}
	r.Arguments = algorithm.Arguments{}
	r.comparison = nil
	if r.expects != nil {
		r.expects.each = schedule.Step{}
	}
	r.Reset(0, 0) // lets go of the program's memory
	r.messages.Whole, r.multicasts, r.next, r.tagged, r.parts, r.begun, r.failed, r.spoiled, r.broken = nil, nil, 0, false, 0, nothing, nil, nil, false
	spare := &r.C.collectives.spare
	*spare = append(*spare, r)
}

// Spoil lets a planned operation fail with an error, but take part, as other ranks wait for it.
func (r *Operation) Spoil(err error) { r.spoiled = err }

// start starts the operation, as a request. All ranks start the operations of a communicator in
// the same order, so they give it the same tag by counting.
func (r *Operation) start(whole *core.Request) {
	if r.tagged {
		r.startWith(whole, r.Tag)
		return
	}
	collectives := &r.C.collectives
	tag := collectives.nextTag
	collectives.nextTag = (collectives.nextTag + 1) % countedTags
	r.startWith(whole, tag)
}

func (r *Operation) startWith(whole *core.Request, tag int32) {
	r.Tag = tag
	r.Build()
	if r.comparison == nil {
		r.failed = r.spoiled
	}
	r.StartAs(whole)
}

// Build makes the steps.
func (r *Operation) Build() {
	r.Reset(r.C.Rank(), r.C.Size())
	if r.comparison != nil {
		r.addComparison()
	}
	r.Algorithm.Build(&r.Schedule, r.Arguments)
}

// StartAs starts an operation that has a tag and steps.
func (r *Operation) StartAs(whole *core.Request) {
	whole.Begin(&r.C.Comm, r.Call, &r.messages)
	r.messages.Whole = whole
	r.messages.BeginStrand(r.C.Engine)
	r.C.Engine.Advance(r)
}

// Advance takes steps until one has to wait, or all are taken. It returns false if the only
// obstacle is that too many messages are in flight.
//
// It continues after a message of a wrong length, as other ranks wait for later messages. These are
// empty then, so that ranks that have given the right lengths do not take wrong results for right ones.
func (r *Operation) Advance() bool {
	for int(r.next) < len(r.Steps) && !r.broken {
		s := &r.Steps[r.next]
		switch s.Action {
		case schedule.Send:
			if !r.sendAll() {
				return false
			}
			continue
		case schedule.Receive:
			r.receive(s.Peer, s.Into)
		case schedule.SendEach, schedule.ReceiveEach:
			if !r.takeEach(s) {
				return false
			}
		case schedule.Exchange:
			if outcome := r.exchange(s); outcome != stepDone {
				return outcome == stepWaits
			}
		case schedule.Disseminate, schedule.Double, schedule.PassOn, schedule.CombineOn:
			if outcome := r.takeRounds(s); outcome != stepDone {
				return outcome == stepWaits
			}
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
			r.Compute(s, r.Op)
		}
		r.next++
	}
	r.end()
	return true
}

// sendAll takes this step, which sends, and those behind it that send, too. It returns false if too many messages are in flight.
func (r *Operation) sendAll() bool {
	r.C.Engine.ShareStages(true)
	defer r.C.Engine.ShareStages(false)
	for int(r.next) < len(r.Steps) && r.Steps[r.next].Action == schedule.Send && !r.broken {
		if !r.send(&r.Steps[r.next]) {
			return false
		}
		r.next++
	}
	return true
}

// takeEach takes a step that has a part for each other rank. It returns false if too many messages are in flight.
func (r *Operation) takeEach(each *schedule.Step) bool {
	if each.Action == schedule.ReceiveEach && r.C.Engine.CanExpect() {
		r.expectEach(each)
		return true
	}
	for ; !r.broken; r.parts++ {
		s, more := r.Part(each, r.parts)
		if !more {
			break
		}
		if s.Action == schedule.Receive {
			r.receive(s.Peer, s.Into)
		} else if !r.send(&s) {
			return false
		}
	}
	r.parts = 0
	return true
}

// send starts to send. It returns false if too many messages are in flight.
func (r *Operation) send(s *schedule.Step) bool {
	room, err := r.C.Engine.HasRoom()
	if err != nil {
		r.noteError(r.C.Fail(fault.Other, r.Call, err))
		return true
	}
	if !room {
		return false
	}
	from, sent := s.From, false
	if r.failed != nil {
		from = nil
	}
	if s.Peer != core.None {
		sent, err = r.C.Engine.SendShort(r.C.Collective, r.C.Process(int(s.Peer)), r.Tag, from)
	}
	if !sent {
		err = r.sendByRequest(int(s.Peer), from)
	}
	if err != nil {
		r.noteError(r.C.Fail(fault.Other, r.Call, err))
	}
	return true
}

func (r *Operation) sendByRequest(peer int, from []byte) error {
	m := r.messages.Message(r.C.Engine)
	m.SetSend(&r.C.Comm, r.Call, r.C.Collective, peer, int(r.Tag), from)
	m.Batch = &r.messages
	err := r.C.Engine.Send(m, false)
	if err == nil && m.Complete && m.Err == nil {
		r.messages.Drop(m) // there may be very many
	}
	return err
}

// begun is which messages of an exchange have been started.
type begun uint8

const (
	nothing begun = iota
	receiving
	both
)

// exchange starts to receive and to send, and waits. It receives first, so that the message that comes back is not
// unexpected.
func (r *Operation) exchange(s *schedule.Step) outcome {
	if r.begun == nothing {
		r.receive(s.Source, s.Into)
		r.begun = receiving
	}
	if r.begun == receiving && !r.broken {
		if !r.send(s) {
			return stepBlocked
		}
		r.begun = both
	}
	if !r.broken {
		if r.messages.MustWait() {
			return stepWaits
		}
		r.collect()
	}
	r.begun = nothing
	return stepDone
}

// takeRounds takes the rounds of a step one after the other.
func (r *Operation) takeRounds(rounds *schedule.Step) outcome {
	for ; !r.broken; r.parts++ {
		s, more := r.Part(rounds, r.parts)
		if !more {
			break
		}
		if s.Action == schedule.Combine {
			r.Compute(&s, r.Op)
			continue
		}
		if outcome := r.exchange(&s); outcome != stepDone {
			return outcome
		}
	}
	r.parts = 0
	return stepDone
}

func (r *Operation) receive(peer int32, into []byte) {
	m := r.messages.Message(r.C.Engine)
	m.SetReceive(&r.C.Comm, r.Call, r.C.Collective, int(peer), int(r.Tag), into)
	m.Batch = &r.messages
	if err := r.C.Engine.Receive(m); err != nil {
		r.noteError(r.C.Fail(fault.Other, r.Call, err))
	}
}

// collect takes the errors of the messages that are complete, and recycles them.
func (r *Operation) collect() {
	r.messages.RecordEnds(r.C.Engine)
	for _, m := range r.messages.Open {
		switch bytes := m.Status.Bytes; {
		case m.Err != nil:
			r.noteError(m.Err)
		case m.IsReceive && bytes != len(m.Data):
			r.noteError(r.otherLength(fault.Count, bytes, m))
		}
		r.C.Engine.Recycle(m)
	}
	r.messages.Clear(r.C.Engine)
}

// Mismatch returns the error that a message is too long.
func (r *Operation) Mismatch(m *core.Request, bytes int) error {
	return r.otherLength(fault.Truncate, bytes, m)
}

// otherLength returns the error that a message has another length than this rank expects.
func (r *Operation) otherLength(class fault.Class, bytes int, m *core.Request) error {
	return r.C.otherLength(class, r.Call, bytes, m.Status.From, len(m.Data))
}

// otherLength returns the error that a rank has sent another length in a collective operation than
// this one expects. A rank that has sent nothing may be in another operation, or at its end.
func (c *Comm) otherLength(class fault.Class, call string, bytes, rank, expected int) error {
	perhaps := ""
	if bytes == 0 {
		perhaps = ", as Barrier, Close, empty slices and operations that have failed send"
	}
	return c.Failf(class, call, "%d bytes from rank %d%s; expected %d, as this rank has given (ranks call different operations, or with different lengths: MUSUBI_CHECK=on tells which)", bytes, rank, perhaps, expected)
}

// noteError keeps the first error. An error of the machine replaces others, and ends the operation.
func (r *Operation) noteError(err error) {
	broken := errors.Is(err, fault.Other)
	if r.failed == nil || broken && !r.broken {
		r.failed = err
	}
	r.broken = r.broken || broken
}

// end completes the operation. It is recycled unless messages still belong to it, which the machine
// has not completed.
func (r *Operation) end() {
	whole := r.messages.Whole
	failed := r.failed
	r.messages.RecordEnds(r.C.Engine)
	if r.Algorithm.Way != algorithm.ByMessages {
		r.messages.RecordRounds(&r.C.Comm, r.Tag, len(r.Out))
	}
	if r.messages.Left == 0 && !r.kept {
		r.Recycle()
	}
	whole.FinishAs(failed, nil)
}

// outcome is the result of a step.
type outcome uint8

const (
	stepDone    outcome = iota
	stepWaits           // to be tried again after an event
	stepBlocked         // too many messages are in flight
)

// carryOutCall takes a step that is not done by messages.
func (r *Operation) carryOutCall(s *schedule.Step) outcome {
	if s.Do >= compareAll {
		r.compareStep(s)
		return stepDone
	}
	switch r.Algorithm.Way {
	case algorithm.ByInterfaces:
		return r.offloadStep(s)
	case algorithm.ByNotes:
		return r.noteStep(s)
	}
	return r.multicastStep(s)
}

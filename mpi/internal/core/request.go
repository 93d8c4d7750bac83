package core

import (
	"errors"
	"unsafe"

	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/match"
	"musubi/rma"
)

// Request is a send, a receive or another operation under way; package mpi documents it.
type Request struct {
	match.Receive // first, see requestOf; of a send, Peer is the receiver

	// The fields that all messages need lie together, as programs may start very many.
	Comm    *Comm
	Data    []byte
	context uint32

	IsReceive, Complete, reported bool

	expected bool // of a batch, which made it when its message came
	pooled   bool // Release may give it to another call
	Exposed  bool // the data of a long send, as a segment

	Status Status
	Err    error
	Call   string

	packed *packed   // where the data belongs, if it lies in a buffer of the engine
	Batch  *Batch    // of the collective operation that the message is part of; nil: none
	Does   explainer // of an operation that is not a message, until it is complete

	limit     *Limit        // of waits for it
	recording rma.Recording // of a message that a recorder knows
	strand    rma.Strand    // of an operation of several steps that it knows

	Segment int
	Pull    rma.Op    // of what is being pulled
	onPull  pullEnder // called when the pull is complete; nil: the sender gets an answer
	sender  int32     // process whose data is being pulled
	answer  uint32    // id of the message at its sender, for the answer
}

// explainer describes what an operation waits for.
type explainer interface {
	ExplainPeer() string // names the first rank that it waits for
}

// pullEnder is an operation of the interface whose completion the engine finds among the pulls.
type pullEnder interface{ PullEnded(err error) }

// requestOf returns the request that a posted receive is part of. The engine posts no others.
func requestOf(r *match.Receive) *Request { return (*Request)(unsafe.Pointer(r)) }

// The receive is where its request begins.
const _ = -unsafe.Offsetof(Request{}.Receive)

// SetSend sets a fresh request to a send.
func (r *Request) SetSend(c *Comm, call string, context uint32, to, tag int, data []byte) {
	r.Comm, r.Call, r.context, r.Tag, r.Data, r.limit = c, call, context, int32(tag), data, c.Engine.limit
	if to == None {
		r.Finish(nil)
		return
	}
	r.Peer = c.Process(to)
}

// SetReceive sets a fresh request to a receive.
func (r *Request) SetReceive(c *Comm, call string, context uint32, from, tag int, into []byte) {
	r.Comm, r.Call, r.IsReceive, r.context, r.Tag, r.Data, r.limit = c, call, true, context, int32(tag), into, c.Engine.limit
	switch from {
	case None:
		r.Status = Nothing
		r.Finish(nil)
	case match.AnySource:
		r.Peer = match.AnySource
	default:
		r.Peer = c.Process(from)
	}
}

// SetOperation sets a fresh request to a one-sided operation, whose completion the engine finds
// among the pulls.
func (r *Request) SetOperation(c *Comm, call string, process int32, data []byte, does explainer, onPull pullEnder) {
	r.Comm, r.Call, r.Peer, r.Data, r.Does, r.onPull, r.limit = c, call, process, data, does, onPull, c.Engine.limit
}

// Fail returns an error of the machine in the call of a request.
func (r *Request) Fail(err error) error { return r.Comm.Fail(fault.Other, r.Call, err) }

// UnpackTo makes a request unpack its data to the bytes that a type names in memory when it is
// complete. The data lies in a buffer of the engine.
func (r *Request) UnpackTo(memory []byte, t *datatype.Type) {
	r.packed = &packed{Type: *t, memory: memory}
}

// Begin sets a request to an operation of several steps.
func (r *Request) Begin(c *Comm, call string, does explainer) {
	*r = Request{pooled: r.pooled}
	r.Comm, r.Call, r.Does, r.limit = c, call, does, c.Engine.limit
}

// FinishAs completes a request that Begin has set, with the error of the operation or that of the
// machine.
func (r *Request) FinishAs(wrong, failed error) {
	r.Err, r.Does = wrong, nil
	r.Finish(failed)
}

// matchedBy sets the error of a receive whose message is longer than its memory.
func (r *Request) matchedBy(msg *match.Message) {
	switch {
	case msg.Bytes <= len(r.Data):
	case r.Batch != nil:
		r.Err = r.Batch.Operation.Mismatch(r, msg.Bytes)
	default:
		r.Err = r.Comm.Failf(fault.Truncate, r.Call, "a message of %d bytes from rank %d with tag %d; there is room for %d",
			msg.Bytes, r.Status.From, msg.Tag, len(r.Data))
	}
}

// Matched completes a synchronous send to this process itself.
func (r *Request) Matched() { r.Finish(nil) }

// Finish completes a request, with the error of the machine. It is short so that it is inlined.
func (r *Request) Finish(err error) {
	if err == nil && r.packed == nil && r.Batch == nil {
		r.Complete = true
		return
	}
	r.end(err)
}

// end completes a request that has an error, a type or a batch.
func (r *Request) end(err error) {
	if err != nil {
		r.Err = r.Comm.Fail(fault.Other, r.Call, err)
	}
	if r.packed != nil {
		r.packed.end(r)
	}
	r.Complete = true
	if r.Batch != nil {
		r.Batch.completed(r)
	}
}

// Enter is Engine.Enter of the engine of the request; without one nobody is told.
func (r *Request) Enter(call string) Call {
	if r == nil || r.Comm == nil {
		return Call{}
	}
	e := r.Comm.Engine
	e.Within(r.limit)
	return e.Enter(call)
}

// Wait waits until the request is complete. It returns the status of a receive.
func (r *Request) Wait() (Status, error) {
	if r == nil {
		return Status{}, noRequest("Wait")
	}
	if r.Comm.Engine.guarded {
		if err := r.Comm.checkOwner("Wait"); err != nil {
			return Status{}, err
		}
	}
	if err := r.wait(); err != nil {
		return Status{}, r.Comm.failWait(r.Call, err)
	}
	r.report()
	return r.Status, r.Err
}

// report notes that the program knows of the end of the request.
func (r *Request) report() {
	r.reported = true
	if r.recording != 0 || r.strand != 0 {
		r.Comm.Engine.RecordEnd(r)
	}
}

// wait makes progress until the request is complete. For a send it also waits until few messages
// are in flight, so that programs that only send do not run ahead without bounds.
func (r *Request) wait() error {
	if !r.IsReceive {
		if err := r.Comm.Engine.MakeRoom(); err != nil {
			return err
		}
	}
	return r.Comm.Engine.Wait(r)
}

// Test makes progress once and reports whether the request is complete. If so, status and error
// are those of the request; else the error is of the machine.
func (r *Request) Test() (Status, bool, error) {
	if r == nil {
		return Status{}, false, noRequest("Test")
	}
	if !r.Complete {
		if err := r.Comm.Engine.Progress(); err != nil {
			return Status{}, false, r.Comm.Fail(fault.Other, r.Call, err)
		}
	}
	if !r.Complete {
		r.Comm.Engine.EndIdlePoll()
		return Status{}, false, nil
	}
	r.report()
	return r.Status, true, r.Err
}

// Cancel takes back a receive if no message has matched it yet; package mpi documents it.
func (r *Request) Cancel() error {
	switch {
	case r == nil:
		return noRequest("Cancel")
	case r.Posted:
		if !r.withdraw() {
			return nil
		}
		r.Status = Status{From: match.AnySource, Tag: match.AnyTag, Cancelled: true}
		r.Finish(nil)
		return nil
	case !r.IsReceive:
		return r.Comm.Failf(fault.Request, "Cancel", "a request of %s; expected one of a receive", r.Call)
	}
	return nil
}

// withdraw takes back a posted receive. It reports false if an interface has matched it meanwhile.
func (r *Request) withdraw() bool {
	e := r.Comm.Engine
	if r.Offered != 0 {
		return e.takeBackOffer(r)
	}
	e.contexts.of(r.context).Unpost(&r.Receive)
	return true
}

func noRequest(call string) error {
	return &fault.Error{Class: fault.Request, Call: call, Rank: -1, Err: errors.New("no request: it is nil")}
}

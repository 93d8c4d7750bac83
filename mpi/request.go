package mpi

import (
	"errors"

	"musubi/mpi/internal/fault"
	"musubi/rma"
)

// Request is a send, a receive or a collective operation under way. It is complete
// when the data that was given may be used again; Wait and Test tell that, as often
// as they are called. A request that nobody waits for takes place too, while the
// process is in a call of this package.
type Request struct {
	// All messages need these; they lie together, as programs may start very many.
	c          *Comm
	data       []byte
	next, prev *Request // of the receives that are posted; next of a change of a word: who wants to know what was there
	number     uint64   // of a posted receive
	context    uint32
	peer       int32 // process to send to, or to receive from; may be AnySource
	tag        int32 // may be AnyTag in a receive

	receive, complete, posted, told bool

	pooled  bool // Release may give it to another call
	kept    bool // the caller knows the request
	late    bool // the processor has written what is put
	exposed bool // the data of a long send, as a segment

	status Status
	err    error
	call   string

	layout *packed  // where the data belongs, if it lies in a buffer of the engine
	part   *running // of which it is a message
	does   whole    // a collective operation, until it is complete
	access *peer    // whose window is accessed; nil in sends and receives

	segment int
	pull    rma.Op // of a receive
	sender  int32  // of what is being pulled
	answer  uint32 // what the sender knows it by
	words   int    // that an access changes
}

// whole is a collective operation of which a request is.
type whole interface {
	explainPeer() string // names the first rank that it waits for
}

// setSend makes a fresh request that of a send.
func (r *Request) setSend(c *Comm, call string, context uint32, to, tag int, data []byte) {
	r.c, r.call, r.context, r.tag, r.data = c, call, context, int32(tag), data
	if to == None {
		r.finish(nil)
		return
	}
	r.peer = c.process(to)
}

// setReceive makes a fresh request that of a receive.
func (r *Request) setReceive(c *Comm, call string, context uint32, from, tag int, into []byte) {
	r.c, r.call, r.receive, r.context, r.tag, r.data = c, call, true, context, int32(tag), into
	switch from {
	case None:
		r.status = nothing
		r.finish(nil)
	case AnySource:
		r.peer = AnySource
	default:
		r.peer = c.process(from)
	}
}

// matched notes what a receive has been matched with.
func (r *Request) matched(msg *message) {
	switch {
	case msg.Bytes <= len(r.data):
	case r.part != nil:
		r.err = r.part.otherLength(fault.Truncate, msg.Bytes, r)
	default:
		r.err = r.c.failf(fault.Truncate, r.call, "a message of %d bytes from rank %d with tag %d; there is room for %d",
			msg.Bytes, r.status.From, msg.Tag, len(r.data))
	}
}

// finish completes a request, with what the machine has to say.
func (r *Request) finish(err error) {
	if err == nil && r.layout == nil && r.part == nil {
		r.complete = true
		return
	}
	r.end(err)
}

// end is finish of any request.
func (r *Request) end(err error) {
	if err != nil {
		r.err = r.c.fail(fault.Other, r.call, err)
	}
	if r.layout != nil {
		r.layout.end(r)
	}
	r.complete = true
	if r.part != nil {
		r.part.complete()
	}
}

// Wait waits until the request is complete. It returns the status of a receive.
func (r *Request) Wait() (Status, error) {
	if r == nil {
		return Status{}, noRequest("Wait")
	}
	if err := r.wait(); err != nil {
		return Status{}, r.c.fail(fault.Other, r.call, err)
	}
	r.told = true
	return r.status, r.err
}

// wait makes progress until the request is complete and, so that programs that only
// start sends do not run ahead without bounds, few messages are on their way.
func (r *Request) wait() error {
	if !r.receive {
		if err := r.c.e.makeRoom(); err != nil {
			return err
		}
	}
	return r.c.e.wait(r)
}

// Test reports whether the request is complete, after it has made what progress is
// possible without waiting. Status and error are those of a complete one, or the
// error is of the machine.
func (r *Request) Test() (Status, bool, error) {
	if r == nil {
		return Status{}, false, noRequest("Test")
	}
	if !r.complete {
		if err := r.c.e.progress(); err != nil {
			return Status{}, false, r.c.fail(fault.Other, r.call, err)
		}
	}
	if !r.complete {
		r.c.e.lookedInVain()
		return Status{}, false, nil
	}
	r.told = true
	return r.status, true, r.err
}

// Cancel takes back a receive if no message has matched it yet. It is then complete,
// and its status says that it was cancelled. Of a receive that has been matched, or
// is complete, Cancel changes nothing. Nothing else can be cancelled.
func (r *Request) Cancel() error {
	switch {
	case r == nil:
		return noRequest("Cancel")
	case r.posted:
		r.withdraw()
		r.status = Status{From: AnySource, Tag: AnyTag, Cancelled: true}
		r.finish(nil)
		return nil
	case !r.receive:
		return r.c.failf(fault.Request, "Cancel", "a request of %s; expected one of a receive", r.call)
	}
	return nil
}

// withdraw takes back a posted receive.
func (r *Request) withdraw() {
	r.c.e.matcher(r.context).unpost(r)
	r.posted = false
}

func noRequest(call string) error {
	return &fault.Error{Class: fault.Request, Call: call, Rank: -1, Err: errors.New("no request: it is nil")}
}

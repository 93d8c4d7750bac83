package mpi

import (
	"errors"

	"musubi/mpi/internal/fault"
)

// What follows is point-to-point messages as bytes, in a context of a communicator:
// what the generic functions and the collective operations are made of. Ranks and
// tags have been checked. Errors name call, an exported function.

var errOnlySelf = errors.New("it would wait for ever for this process itself")

// sendBytes sends and waits until the data may be changed or, if it is synchronous,
// until the message has been matched.
func (c *Comm) sendBytes(call string, context uint32, to, tag int, data []byte, sync bool) error {
	if !sync && to != None {
		// What fails is tried again, where it is said why.
		if sent, _ := c.e.sendNow(context, c.process(to), int32(tag), data); sent {
			return nil
		}
	}
	return c.sendAndWait(call, context, to, tag, data, sync)
}

// sendAndWait is sendBytes by a request.
func (c *Comm) sendAndWait(call string, context uint32, to, tag int, data []byte, sync bool) error {
	e := c.e
	if err := e.makeRoom(); err != nil {
		return c.fail(fault.Other, call, err)
	}
	r := e.newRequest()
	r.setSend(c, call, context, to, tag, data)
	if err := e.send(r, sync); err != nil {
		return c.fail(fault.Other, call, err)
	}
	if !r.complete && r.peer == int32(e.rank) {
		e.takeBack(r)
		return c.fail(fault.Other, call, errOnlySelf)
	}
	_, err := e.end(r)
	return err
}

// receiveAndWait is receive by a request.
func (c *Comm) receiveAndWait(call string, context uint32, from, tag int, into []byte) (Status, error) {
	e := c.e
	r := e.newRequest()
	r.setReceive(c, call, context, from, tag, into)
	if err := e.receive(r); err != nil {
		return Status{}, c.fail(fault.Other, call, err)
	}
	if r.posted && r.peer == int32(e.rank) {
		r.withdraw()
		return Status{}, c.fail(fault.Other, call, errOnlySelf)
	}
	return e.end(r)
}

// isend starts to send.
func (c *Comm) isend(call string, context uint32, to, tag int, data []byte, sync bool) (*Request, error) {
	r := c.e.newRequest()
	r.pooled = true
	r.setSend(c, call, context, to, tag, data)
	if err := c.e.send(r, sync); err != nil {
		return nil, c.fail(fault.Other, call, err)
	}
	return r, nil
}

// sentRequest returns the request of a send that has taken place.
func (c *Comm) sentRequest(call string) *Request {
	r := c.e.newRequest()
	r.c, r.call, r.pooled, r.complete = c, call, true, true
	return r
}

// ireceive starts to receive.
func (c *Comm) ireceive(call string, context uint32, from, tag int, into []byte) (*Request, error) {
	r := c.e.newRequest()
	r.setReceive(c, call, context, from, tag, into)
	r.pooled = true
	if err := c.e.receive(r); err != nil {
		return nil, c.fail(fault.Other, call, err)
	}
	return r, nil
}

// newRequest returns a fresh request, which was used before if there is such a one.
func (e *engine) newRequest() *Request {
	last := len(e.requests) - 1
	if last < 0 {
		return new(Request)
	}
	r := e.requests[last]
	e.requests = e.requests[:last]
	return r
}

// end waits for a request of newRequest and gives it back.
func (e *engine) end(r *Request) (Status, error) {
	if err := e.wait(r); err != nil { // others may still know the request
		return Status{}, r.c.fail(fault.Other, r.call, err)
	}
	status, err := r.status, r.err
	e.recycle(r)
	return status, err
}

// recycle gives back a request of newRequest that is complete and that nobody knows.
func (e *engine) recycle(r *Request) {
	*r = Request{}
	e.requests = append(e.requests, r)
}

// takeBack removes the message of a send to this process itself.
func (e *engine) takeBack(r *Request) {
	m := e.matcher(r.context)
	for msg := m.lane(r.peer).last; msg != nil; msg = msg.links[inLane].prev {
		if msg.sender == r {
			m.remove(msg)
			e.freeMessage(msg)
			return
		}
	}
}

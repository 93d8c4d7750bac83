package core

import (
	"errors"

	"musubi/mpi/internal/fault"
)

// What follows is point-to-point messages as bytes, in a context of a communicator:
// what the generic functions and the collective operations are made of. Ranks and
// tags have been checked. Errors name call, an exported function.

var errOnlySelf = errors.New("it would wait for ever for this process itself")

// Send sends and waits until the data may be changed or, if it is synchronous,
// until the message has been matched.
func (c *Comm) Send(call string, to, tag int, data []byte, sync bool) error {
	if !sync && to != None {
		// What fails is tried again, where it is said why.
		if sent, _ := c.Engine.sendNow(c.Point, c.Process(to), int32(tag), data); sent {
			return nil
		}
	}
	return c.sendAndWait(call, to, tag, data, sync)
}

// sendAndWait is sendBytes by a request.
func (c *Comm) sendAndWait(call string, to, tag int, data []byte, sync bool) error {
	e := c.Engine
	if err := e.MakeRoom(); err != nil {
		return c.Fail(fault.Other, call, err)
	}
	r := e.NewRequest()
	r.SetSend(c, call, c.Point, to, tag, data)
	if err := e.Send(r, sync); err != nil {
		return c.Fail(fault.Other, call, err)
	}
	if !r.Complete && r.Peer == int32(e.Rank) {
		e.takeBack(r)
		return c.Fail(fault.Other, call, errOnlySelf)
	}
	_, err := e.End(r)
	return err
}

// receiveAndWait is receive by a request.
func (c *Comm) receiveAndWait(call string, from, tag int, into []byte) (Status, error) {
	e := c.Engine
	r := e.NewRequest()
	r.SetReceive(c, call, c.Point, from, tag, into)
	if err := e.Receive(r); err != nil {
		return Status{}, c.Fail(fault.Other, call, err)
	}
	if r.Posted && r.Peer == int32(e.Rank) {
		r.withdraw()
		return Status{}, c.Fail(fault.Other, call, errOnlySelf)
	}
	return e.End(r)
}

// ISend starts to send.
func (c *Comm) ISend(call string, to, tag int, data []byte, sync bool) (*Request, error) {
	r := c.Engine.NewRequest()
	r.pooled = true
	r.SetSend(c, call, c.Point, to, tag, data)
	if err := c.Engine.Send(r, sync); err != nil {
		return nil, c.Fail(fault.Other, call, err)
	}
	return r, nil
}

// SendAtOnce sends a message that can go at once and that nobody waits for, and returns its
// request, which is complete. It returns nil if it cannot.
func (c *Comm) SendAtOnce(call string, to, tag int, data []byte) *Request {
	if sent, _ := c.Engine.sendNow(c.Point, c.Process(to), int32(tag), data); !sent {
		return nil
	}
	r := c.Engine.NewRequest()
	r.Comm, r.Call, r.pooled, r.Complete = c, call, true, true
	return r
}

// IReceive starts to receive.
func (c *Comm) IReceive(call string, from, tag int, into []byte) (*Request, error) {
	r := c.Engine.NewRequest()
	r.SetReceive(c, call, c.Point, from, tag, into)
	r.pooled = true
	if err := c.Engine.Receive(r); err != nil {
		return nil, c.Fail(fault.Other, call, err)
	}
	return r, nil
}

// SendReceive sends and receives bytes at once.
func (c *Comm) SendReceive(call string, to, tag int, data []byte, from, fromTag int, into []byte) (Status, error) {
	e := c.Engine
	in, out := e.NewRequest(), e.NewRequest()
	in.SetReceive(c, call, c.Point, from, fromTag, into)
	if err := e.Receive(in); err != nil {
		return Status{}, c.Fail(fault.Other, call, err)
	}
	out.SetSend(c, call, c.Point, to, tag, data)
	if err := e.Send(out, false); err != nil {
		return Status{}, c.Fail(fault.Other, call, err)
	}
	status, err := e.End(in)
	if _, failed := e.End(out); err == nil {
		err = failed
	}
	return status, err
}

// NewRequest returns a fresh request, which was used before if there is such a one.
func (e *Engine) NewRequest() *Request {
	last := len(e.spare.requests) - 1
	if last < 0 {
		return new(Request)
	}
	r := e.spare.requests[last]
	e.spare.requests = e.spare.requests[:last]
	return r
}

// End waits for a request of newRequest and gives it back.
func (e *Engine) End(r *Request) (Status, error) {
	if err := e.Wait(r); err != nil { // others may still know the request
		return Status{}, r.Comm.Fail(fault.Other, r.Call, err)
	}
	status, err := r.Status, r.Err
	e.Recycle(r)
	return status, err
}

// Recycle gives back a request of newRequest that is complete and that nobody knows.
func (e *Engine) Recycle(r *Request) {
	*r = Request{}
	e.spare.requests = append(e.spare.requests, r)
}

// takeBack removes the message of a send to this process itself.
func (e *Engine) takeBack(r *Request) {
	if msg := e.contexts.of(r.context).TakeBack(r.Peer, r); msg != nil {
		e.freeMessage(msg)
	}
}

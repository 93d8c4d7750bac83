package core

import (
	"errors"

	"musubi/mpi/internal/fault"
)

// Point-to-point calls on bytes. The caller has checked ranks and tags. Errors name call, a
// function of package mpi.

var errOnlySelf = errors.New("it would wait for ever for this process itself")

// Send sends and waits until the data may be changed or, if it is synchronous,
// until a receive has matched the message.
func (c *Comm) Send(call string, to, tag int, data []byte, sync bool) error {
	if !sync && to != None {
		// If this fails, sendAndWait tries again and returns the error.
		if sent, _ := c.Engine.sendNow(c.Point, c.Process(to), int32(tag), data); sent {
			return nil
		}
	}
	return c.sendAndWait(call, to, tag, data, sync)
}

// sendAndWait sends by a request, and waits for it.
func (c *Comm) sendAndWait(call string, to, tag int, data []byte, sync bool) error {
	e := c.Engine
	if err := e.MakeRoom(); err != nil { // nothing has been sent
		return c.failWait(call, err)
	}
	e.TakeAnswers()
	r := e.NewRequest()
	r.SetSend(c, call, c.Point, to, tag, data)
	if err := e.Send(r, sync); err != nil {
		return c.Fail(fault.Other, call, err)
	}
	if e.Share == nil && !r.Complete && r.Peer == int32(e.Rank) {
		e.takeBack(r)
		return c.Fail(fault.Other, call, errOnlySelf)
	}
	_, err := e.End(r)
	return err
}

// receiveAndWait receives by a request, and waits for it.
func (c *Comm) receiveAndWait(call string, from, tag int, into []byte) (Status, error) {
	e := c.Engine
	r := e.NewRequest()
	r.SetReceive(c, call, c.Point, from, tag, into)
	return c.endReceive(r)
}

// endReceive starts a receive of NewRequest, waits for it, and recycles it.
func (c *Comm) endReceive(r *Request) (Status, error) {
	e := c.Engine
	if err := e.receiveBlocking(r); err != nil {
		return Status{}, c.Fail(fault.Other, r.Call, err)
	}
	if e.Share == nil && r.Posted && r.Peer == int32(e.Rank) {
		r.withdraw()
		return Status{}, c.Fail(fault.Other, r.Call, errOnlySelf)
	}
	if e.limit == nil {
		return e.End(r)
	}
	return e.endWithin(r)
}

// endWithin is End of a receive within the limit. When that is over it takes the receive back, unless a
// message has matched it, which has come and is received to its end.
func (e *Engine) endWithin(r *Request) (Status, error) {
	if err := e.Wait(r); err != nil {
		if !isInterruption(err) || r.Posted && r.withdraw() {
			return Status{}, r.Comm.failWait(r.Call, err)
		}
		e.Within(nil)
	}
	return e.End(r)
}

// ISend starts to send.
func (c *Comm) ISend(call string, to, tag int, data []byte, sync bool) (*Request, error) {
	c.Engine.TakeAnswers()
	r := c.Engine.NewPooledRequest()
	r.SetSend(c, call, c.Point, to, tag, data)
	if err := c.Engine.Send(r, sync); err != nil {
		return nil, c.Fail(fault.Other, call, err)
	}
	return r, nil
}

// SendAtOnce sends a short message and returns its request, which is complete. It returns nil if
// the machine cannot take the message at once.
func (c *Comm) SendAtOnce(call string, to, tag int, data []byte) *Request {
	if sent, _ := c.Engine.sendNow(c.Point, c.Process(to), int32(tag), data); !sent {
		return nil
	}
	r := c.Engine.NewPooledRequest()
	r.Comm, r.Call, r.Complete = c, call, true
	return r
}

// IReceive starts to receive.
func (c *Comm) IReceive(call string, from, tag int, into []byte) (*Request, error) {
	r := c.Engine.NewPooledRequest()
	r.SetReceive(c, call, c.Point, from, tag, into)
	if err := c.Engine.Receive(r); err != nil {
		return nil, c.Fail(fault.Other, call, err)
	}
	return r, nil
}

// SendReceive sends and receives at the same time, and waits for both.
func (c *Comm) SendReceive(call string, to, tag int, data []byte, from, fromTag int, into []byte) (Status, error) {
	e := c.Engine
	in, out := e.NewRequest(), e.NewRequest()
	e.TakeAnswers()
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

// NewRequest returns a request, recycled if possible.
func (e *Engine) NewRequest() *Request {
	last := len(e.spare.requests) - 1
	if last < 0 {
		return new(Request)
	}
	r := e.spare.requests[last]
	e.spare.requests = e.spare.requests[:last]
	return r
}

// NewPooledRequest is NewRequest of one that ReleaseAll recycles.
func (e *Engine) NewPooledRequest() *Request {
	r := e.NewRequest()
	r.pooled = true
	return r
}

// End waits for a request of NewRequest and recycles it.
func (e *Engine) End(r *Request) (Status, error) {
	if err := e.Wait(r); err != nil { // the queues may still hold the request
		return Status{}, r.Comm.Fail(fault.Other, r.Call, err)
	}
	e.RecordEnd(r)
	status, err := r.Status, r.Err
	e.Recycle(r)
	return status, err
}

// Recycle takes back a request of NewRequest that is complete. Nobody may use it any more.
func (e *Engine) Recycle(r *Request) {
	*r = Request{}
	e.spare.requests = append(e.spare.requests, r)
}

// takeBack removes the message of a send to this process itself from the unexpected queue. It reports false if a
// receive has matched it.
func (e *Engine) takeBack(r *Request) bool {
	msg := e.contexts.of(r.context).TakeBack(r.Peer, r)
	if msg == nil {
		return false
	}
	e.freeMessage(msg)
	return true
}

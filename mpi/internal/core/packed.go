package core

import (
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/fault"
)

// packed is the type of a request whose data lies in a buffer of the engine, contiguous.
type packed struct {
	datatype.Type
	memory []byte // that the type is of; nil in a send
}

// end unpacks what a request has received, and gives its buffer back.
func (s *packed) end(r *Request) {
	if s.memory != nil {
		s.Unpack(s.memory, r.Data[:r.Status.Bytes])
	}
	r.Comm.Engine.Buffers.Put(r.Data)
	r.Data = nil
}

// SendType sends the bytes that a type names in memory, and waits as Send does.
func (c *Comm) SendType(call string, to, tag int, memory []byte, t *datatype.Type) error {
	if to != None {
		if layout := c.Engine.layoutToPull(c.Process(to), memory, t); layout != nil {
			return c.sendToPull(call, to, tag, memory, layout, t.Size)
		}
	}
	buffer := c.Engine.Buffers.Like(memory, t.Size)
	t.Pack(buffer, memory)
	err := c.Send(call, to, tag, buffer, false)
	if err == nil { // else it may still be on its way
		c.Engine.Buffers.Put(buffer)
	}
	return err
}

// StartSendType starts a SendType. The memory may be changed when it is complete.
func (c *Comm) StartSendType(call string, to, tag int, memory []byte, t *datatype.Type) (*Request, error) {
	if to != None {
		if layout := c.Engine.layoutToPull(c.Process(to), memory, t); layout != nil {
			return c.startToPull(c.Engine.NewPooledRequest(), call, to, tag, memory, layout, t.Size)
		}
	}
	buffer := c.Engine.Buffers.Like(memory, t.Size)
	t.Pack(buffer, memory)
	if to != None {
		if r := c.SendAtOnce(call, to, tag, buffer); r != nil {
			c.Engine.Buffers.Put(buffer)
			return r, nil
		}
	}
	return c.startPacked(c.Engine.NewPooledRequest(), call, to, tag, buffer, t)
}

// ReceiveType receives to the bytes that a type names in memory, and waits for them.
func (c *Comm) ReceiveType(call string, from, tag int, memory []byte, t *datatype.Type) (Status, error) {
	buffer := c.Engine.Buffers.Like(memory, t.Size)
	if c.Engine.pullsLayouts() && t.Size > c.Engine.Limits.Default {
		r := c.Engine.NewRequest()
		r.setReceiveType(c, call, from, tag, buffer, memory, t)
		return c.endReceive(r)
	}
	status, err := c.Receive(call, from, tag, buffer)
	t.Unpack(memory, buffer[:status.Bytes]) // also the beginning of a message that is too long
	if err == nil {
		c.Engine.Buffers.Put(buffer)
	}
	return status, err
}

// SendPacked starts to send the bytes that a type names in memory.
func (c *Comm) SendPacked(call string, to, tag int, memory []byte, t datatype.Type) (*Request, error) {
	buffer := c.Engine.Buffers.Like(memory, t.Size)
	t.Pack(buffer, memory)
	return c.startPacked(new(Request), call, to, tag, buffer, &t)
}

// startPacked starts to send a buffer with what a type names, by a fresh request.
func (c *Comm) startPacked(r *Request, call string, to, tag int, buffer []byte, t *datatype.Type) (*Request, error) {
	c.Engine.TakeAnswers()
	r.SetSend(c, call, c.Point, to, tag, buffer)
	r.packed = &packed{Type: *t}
	if err := c.Engine.Send(r, false); err != nil {
		return nil, c.Fail(fault.Other, call, err)
	}
	return r, nil
}

// ReceivePacked starts to receive to the bytes that a type names in memory.
func (c *Comm) ReceivePacked(call string, from, tag int, memory []byte, t datatype.Type) (*Request, error) {
	return c.startReceiveType(new(Request), call, from, tag, memory, &t)
}

// StartReceiveType is ReceivePacked with a request that is recycled.
func (c *Comm) StartReceiveType(call string, from, tag int, memory []byte, t *datatype.Type) (*Request, error) {
	return c.startReceiveType(c.Engine.NewPooledRequest(), call, from, tag, memory, t)
}

func (c *Comm) startReceiveType(r *Request, call string, from, tag int, memory []byte, t *datatype.Type) (*Request, error) {
	r.setReceiveType(c, call, from, tag, c.Engine.Buffers.Like(memory, t.Size), memory, t)
	if err := c.Engine.Receive(r); err != nil {
		return nil, c.Fail(fault.Other, call, err)
	}
	return r, nil
}

// setReceiveType sets a fresh request to a receive into a buffer, from which it is unpacked.
func (r *Request) setReceiveType(c *Comm, call string, from, tag int, buffer, memory []byte, t *datatype.Type) {
	r.SetReceive(c, call, c.Point, from, tag, buffer)
	r.packed = &packed{Type: *t, memory: memory}
}

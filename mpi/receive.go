package mpi

import (
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// Receive receives a message from a rank, or AnySource, with a tag, or AnyTag. It
// waits until the message is there. Shorter ones leave the rest of the elements as
// it is.
//
// It fails with ErrTruncate if the message is longer; its beginning has been
// received then. Other errors are as for Send.
func Receive[T any](c *Comm, from, tag int, into []T) (Status, error) {
	if c.reaches(from, tag) && isUsual[T]() {
		return c.receive("Receive", c.point, from, tag, elements.Memory(into))
	}
	b, err := receiving(c, "Receive", from, tag, into)
	if err != nil {
		return Status{}, err
	}
	return c.receive("Receive", c.point, from, tag, b)
}

// IReceive starts a Receive. The elements may not be used until the request is
// complete.
func IReceive[T any](c *Comm, from, tag int, into []T) (*Request, error) {
	if c.reaches(from, tag) && isUsual[T]() {
		return c.ireceive("IReceive", c.point, from, tag, elements.Memory(into))
	}
	b, err := receiving(c, "IReceive", from, tag, into)
	if err != nil {
		return nil, err
	}
	return c.ireceive("IReceive", c.point, from, tag, b)
}

// SendReceive sends to one rank and receives from another, or the same, at once. It
// returns when both are done. The two slices may not overlap.
func SendReceive[T, U any](c *Comm, to, tag int, data []T, from, fromTag int, into []U) (Status, error) {
	const call = "SendReceive"
	out, err := sending(c, call, to, tag, data)
	if err != nil {
		return Status{}, err
	}
	in, err := receiving(c, call, from, fromTag, into)
	if err != nil {
		return Status{}, err
	}
	return c.sendReceive(call, c.point, to, tag, out, from, fromTag, in)
}

// sendReceive sends and receives bytes at once.
func (c *Comm) sendReceive(call string, context uint32, to, tag int, data []byte, from, fromTag int, into []byte) (Status, error) {
	e := c.e
	in, out := e.newRequest(), e.newRequest()
	in.setReceive(c, call, context, from, fromTag, into)
	if err := e.receive(in); err != nil {
		return Status{}, c.fail(fault.Other, call, err)
	}
	out.setSend(c, call, context, to, tag, data)
	if err := e.send(out, false); err != nil {
		return Status{}, c.fail(fault.Other, call, err)
	}
	status, err := e.end(in)
	if _, failed := e.end(out); err == nil {
		err = failed
	}
	return status, err
}

// receiving checks the arguments of a receive and returns where it goes as bytes.
func receiving[T any](c *Comm, call string, from, tag int, into []T) ([]byte, error) {
	if c.reaches(from, tag) && isUsual[T]() {
		return elements.Memory(into), nil
	}
	if err := c.checkFrom(call, from, tag); err != nil {
		return nil, err
	}
	b, err := bytesOf(into)
	if err != nil {
		return nil, c.fail(fault.Type, call, err)
	}
	return b, nil
}

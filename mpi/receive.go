package mpi

import (
	"musubi/mpi/internal/core"
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
		return received(c.comm.Receive("Receive", from, tag, elements.Memory(into)))
	}
	return receiveChecked(c, from, tag, into)
}

// receiveChecked is a Receive that takes the long way: that of receives that have something to check, or to tell.
func receiveChecked[T any](c *Comm, from, tag int, into []T) (Status, error) {
	b, err := receiving(c, "Receive", from, tag, into)
	if err != nil {
		return Status{}, err
	}
	defer c.enter("Receive").Leave()
	return received(c.comm.Receive("Receive", from, tag, b))
}

// IReceive starts a Receive. The elements may not be used until the request is
// complete.
func IReceive[T any](c *Comm, from, tag int, into []T) (*Request, error) {
	if c.reaches(from, tag) && isUsual[T]() {
		return requestOr(c.comm.IReceive("IReceive", from, tag, elements.Memory(into)))
	}
	return iReceiveChecked(c, from, tag, into)
}

// iReceiveChecked is receiveChecked of an IReceive.
func iReceiveChecked[T any](c *Comm, from, tag int, into []T) (*Request, error) {
	b, err := receiving(c, "IReceive", from, tag, into)
	if err != nil {
		return nil, err
	}
	defer c.enter("IReceive").Leave()
	return requestOr(c.comm.IReceive("IReceive", from, tag, b))
}

// SendReceive sends to one rank and receives from another, or the same, at once. It
// returns when both are done. The two slices may not overlap.
func SendReceive[T, U any](c *Comm, to, tag int, data []T, from, fromTag int, into []U) (Status, error) {
	const call = "SendReceive"
	defer c.enter(call).Leave()
	out, err := sending(c, call, to, tag, data)
	if err != nil {
		return Status{}, err
	}
	in, err := receiving(c, call, from, fromTag, into)
	if err != nil {
		return Status{}, err
	}
	return received(c.comm.SendReceive(call, to, tag, out, from, fromTag, in))
}

// receiving checks the arguments of a receive and returns where it goes as bytes.
func receiving[T any](c *Comm, call string, from, tag int, into []T) ([]byte, error) {
	if c.reaches(from, tag) && isUsual[T]() {
		return elements.Memory(into), nil
	}
	if err := c.inner().CheckFrom(call, from, tag); err != nil {
		return nil, err
	}
	b, err := bytesOf(into)
	if err != nil {
		return nil, c.inner().Fail(fault.Type, call, err)
	}
	return b, nil
}

func received(status core.Status, err error) (Status, error) { return Status(status), err }

package mpi

import (
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// Send sends elements to a rank of a communicator. It returns when they may be
// changed: at once for short messages, and otherwise when the receiver has them.
//
// It fails with ErrRank, ErrTag, ErrComm or ErrType if an argument is wrong, and with
// ErrOther if the machine does.
func Send[T any](c *Comm, to, tag int, data []T) error {
	if c.reaches(to, tag) && isUsual[T]() {
		return c.comm.Send("Send", to, tag, elements.Memory(data), false)
	}
	return sendChecked(c, "Send", to, tag, data, false)
}

// SendSync is Send that returns when a receive has matched the message.
func SendSync[T any](c *Comm, to, tag int, data []T) error {
	return sendChecked(c, "SendSync", to, tag, data, true)
}

// ISend starts a Send. The elements may not be changed until the request is
// complete.
func ISend[T any](c *Comm, to, tag int, data []T) (*Request, error) {
	if c.reaches(to, tag) && isUsual[T]() {
		if r := c.comm.SendAtOnce("ISend", to, tag, elements.Memory(data)); r != nil {
			return requestFor(r), nil
		}
	}
	return iSendChecked(c, "ISend", to, tag, data, false)
}

// ISendSync starts a SendSync. The request is complete when a receive has matched
// the message.
func ISendSync[T any](c *Comm, to, tag int, data []T) (*Request, error) {
	return iSendChecked(c, "ISendSync", to, tag, data, true)
}

// sendChecked is a Send that takes the long way: that of sends that have something to check, or to tell.
func sendChecked[T any](c *Comm, call string, to, tag int, data []T, sync bool) error {
	b, err := sending(c, call, to, tag, data)
	if err != nil {
		return err
	}
	return c.enter(call).Returns(c.comm.Send(call, to, tag, b, sync))
}

// iSendChecked is sendChecked of an ISend.
func iSendChecked[T any](c *Comm, call string, to, tag int, data []T, sync bool) (*Request, error) {
	b, err := sending(c, call, to, tag, data)
	if err != nil {
		return nil, err
	}
	defer c.enter(call).Leave()
	return requestOr(c.comm.ISend(call, to, tag, b, sync))
}

// sending checks the arguments of a send and returns its data as bytes.
func sending[T any](c *Comm, call string, to, tag int, data []T) ([]byte, error) {
	if err := c.inner().CheckTo(call, to, tag); err != nil {
		return nil, err
	}
	b, err := bytesOf(data)
	if err != nil {
		return nil, c.inner().Fail(fault.Type, call, err)
	}
	return b, nil
}

// reaches is the short check that nearly all calls pass; see core.Comm.Reaches.
func (c *Comm) reaches(rank, tag int) bool {
	return c != nil && c.limit == nil && c.comm.Reaches(rank, tag)
}

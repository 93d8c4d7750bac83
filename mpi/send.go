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
		return c.sendBytes("Send", c.point, to, tag, elements.Memory(data), false)
	}
	b, err := sending(c, "Send", to, tag, data)
	if err != nil {
		return err
	}
	return c.sendBytes("Send", c.point, to, tag, b, false)
}

// SendSync is Send that returns when a receive has matched the message.
func SendSync[T any](c *Comm, to, tag int, data []T) error {
	b, err := sending(c, "SendSync", to, tag, data)
	if err != nil {
		return err
	}
	return c.sendBytes("SendSync", c.point, to, tag, b, true)
}

// ISend starts a Send. The elements may not be changed until the request is
// complete.
func ISend[T any](c *Comm, to, tag int, data []T) (*Request, error) {
	if c.reaches(to, tag) && isUsual[T]() {
		if sent, _ := c.e.sendNow(c.point, c.process(to), int32(tag), elements.Memory(data)); sent {
			return c.sentRequest("ISend"), nil
		}
	}
	b, err := sending(c, "ISend", to, tag, data)
	if err != nil {
		return nil, err
	}
	return c.isend("ISend", c.point, to, tag, b, false)
}

// ISendSync starts a SendSync. The request is complete when a receive has matched
// the message.
func ISendSync[T any](c *Comm, to, tag int, data []T) (*Request, error) {
	b, err := sending(c, "ISendSync", to, tag, data)
	if err != nil {
		return nil, err
	}
	return c.isend("ISendSync", c.point, to, tag, b, true)
}

// sending checks the arguments of a send and returns its data as bytes.
func sending[T any](c *Comm, call string, to, tag int, data []T) ([]byte, error) {
	if err := c.checkTo(call, to, tag); err != nil {
		return nil, err
	}
	b, err := bytesOf(data)
	if err != nil {
		return nil, c.fail(fault.Type, call, err)
	}
	return b, nil
}

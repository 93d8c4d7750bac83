package mpi

import (
	"unsafe"

	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
)

// Probe waits until a message from a rank, or AnySource, with a tag, or AnyTag, can
// be received, and returns what Receive would then.
func Probe(c *Comm, from, tag int) (Status, error) {
	defer c.enter("Probe").Leave()
	return received(c.inner().Probe("Probe", from, tag))
}

// IProbe is Probe that does not wait; it reports whether there is such a message.
func IProbe(c *Comm, from, tag int) (Status, bool, error) {
	defer c.enter("IProbe").Leave()
	status, ok, err := c.inner().IProbe("IProbe", from, tag)
	return Status(status), ok, err
}

// Message is a message that Match has taken out of the order of messages: only
// ReceiveMatched can receive it.
type Message struct{ message core.Message }

func messageOf(m *core.Message, err error) (*Message, error) {
	return (*Message)(unsafe.Pointer(m)), err
}

// Status returns what Receive of the message would.
func (m *Message) Status() Status { return Status(m.message.Status) }

// Match is Probe that takes the message, so that no other receive finds it.
func Match(c *Comm, from, tag int) (*Message, error) {
	defer c.enter("Match").Leave()
	return messageOf(c.inner().Claim("Match", from, tag))
}

// IMatch is Match that does not wait. It returns nil if there is no such message.
func IMatch(c *Comm, from, tag int) (*Message, error) {
	defer c.enter("IMatch").Leave()
	return messageOf(c.inner().IClaim("IMatch", from, tag))
}

// ReceiveMatched receives a message that has been matched, once. Errors are as for
// Receive; it fails with ErrRequest if the message has been received. Until then neither Free
// of the communicator nor Close succeeds.
func ReceiveMatched[T any](m *Message, into []T) (Status, error) {
	const call = "ReceiveMatched"
	inner := (*core.Message)(unsafe.Pointer(m))
	if err := inner.Check(call); err != nil {
		return Status{}, err
	}
	b, err := bytesOf(into)
	if err != nil {
		return Status{}, inner.Fail(fault.Type, call, err)
	}
	defer inner.Enter(call).Leave()
	return received(inner.Receive(call, b))
}

package mpi

import "musubi/mpi/internal/fault"

// Probe waits until a message from a rank, or AnySource, with a tag, or AnyTag, can
// be received, and returns what Receive would then.
func Probe(c *Comm, from, tag int) (Status, error) {
	msg, err := c.await("Probe", from, tag)
	if err != nil || msg == nil {
		return nothing, err
	}
	return c.describe(msg), nil
}

// IProbe is Probe that does not wait; it reports whether there is such a message.
func IProbe(c *Comm, from, tag int) (Status, bool, error) {
	msg, ok, err := c.look("IProbe", from, tag)
	if msg == nil {
		return nothing, ok, err
	}
	return c.describe(msg), ok, err
}

// Message is a message that Match has taken out of the order of messages: only
// ReceiveMatched can receive it.
type Message struct {
	c       *Comm
	message *message // nil: from None, or received
	status  Status
	used    bool
}

// Status returns what Receive of the message would.
func (m *Message) Status() Status { return m.status }

// Match is Probe that takes the message, so that no other receive finds it.
func Match(c *Comm, from, tag int) (*Message, error) {
	msg, err := c.await("Match", from, tag)
	if err != nil {
		return nil, err
	}
	return c.match(msg), nil
}

// IMatch is Match that does not wait. It returns nil if there is no such message.
func IMatch(c *Comm, from, tag int) (*Message, error) {
	msg, ok, err := c.look("IMatch", from, tag)
	if !ok || err != nil {
		return nil, err
	}
	return c.match(msg), nil
}

// ReceiveMatched receives a message that has been matched, once. Errors are as for
// Receive; it fails with ErrRequest if the message has been received. Until then neither Free
// of the communicator nor Close succeeds.
func ReceiveMatched[T any](m *Message, into []T) (Status, error) {
	const call = "ReceiveMatched"
	switch {
	case m == nil:
		return Status{}, noRequest(call)
	case m.used:
		return Status{}, m.c.failf(fault.Request, call, "the message of %d bytes from rank %d has been received", m.status.Bytes, m.status.From)
	}
	if err := m.c.check(call); err != nil {
		return Status{}, err
	}
	b, err := bytesOf(into)
	if err != nil {
		return Status{}, m.c.fail(fault.Type, call, err)
	}
	m.used = true
	if m.message == nil {
		return m.status, nil
	}
	e := m.c.e
	e.matcher(m.c.point).matched.remove(m.message)
	r := e.newRequest()
	r.setReceive(m.c, call, m.c.point, m.status.From, m.status.Tag, b)
	if err := e.receiveMessage(r, m.message); err != nil {
		return Status{}, m.c.fail(fault.Other, call, err)
	}
	m.message = nil
	return e.end(r)
}

// await waits for a message that has been asked for. It returns nil from None.
func (c *Comm) await(call string, from, tag int) (*message, error) {
	if err := c.checkFrom(call, from, tag); err != nil || from == None {
		return nil, err
	}
	m, source := c.e.matcher(c.point), c.source(from)
	for {
		if msg := m.find(source, int32(tag)); msg != nil {
			return msg, nil
		}
		if source == int32(c.e.rank) {
			return nil, c.fail(fault.Other, call, errOnlySelf)
		}
		if err := c.blockForMessage(call, from, tag); err != nil {
			return nil, c.fail(fault.Other, call, err)
		}
	}
}

// look makes progress and looks whether there is a message. From None there always
// is one, nil.
func (c *Comm) look(call string, from, tag int) (*message, bool, error) {
	if err := c.checkFrom(call, from, tag); err != nil || from == None {
		return nil, err == nil, err
	}
	if err := c.e.progress(); err != nil {
		return nil, false, c.fail(fault.Other, call, err)
	}
	msg := c.e.matcher(c.point).find(c.source(from), int32(tag))
	if msg == nil {
		c.e.lookedInVain()
		return nil, false, nil
	}
	return msg, true, nil
}

// source returns the process of a rank, or AnySource.
func (c *Comm) source(from int) int32 {
	if from == AnySource {
		return AnySource
	}
	return c.process(from)
}

func (c *Comm) describe(msg *message) Status {
	return Status{From: c.rankOf(msg.from), Tag: int(msg.Tag), Bytes: msg.Bytes}
}

// match takes a message out of the order; nil is one from None.
func (c *Comm) match(msg *message) *Message {
	if msg == nil {
		return &Message{c: c, status: nothing}
	}
	m := c.e.matcher(c.point)
	m.remove(msg)
	m.matched.push(msg)
	return &Message{c: c, message: msg, status: c.describe(msg)}
}

package core

import (
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/match"
)

// Message is a message that a matched probe has claimed: only the receive that names it can
// receive it.
type Message struct {
	c       *Comm
	message *match.Message // nil: from None, or received
	Status  Status
	used    bool
}

// Receive receives a message that has been claimed, once.
func (m *Message) Receive(call string, into []byte) (Status, error) {
	m.used = true
	if m.message == nil {
		return m.Status, nil
	}
	e := m.c.Engine
	e.contexts.of(m.c.Point).RemoveClaimed(m.message)
	r := e.NewRequest()
	r.SetReceive(m.c, call, m.c.Point, m.Status.From, m.Status.Tag, into)
	if e.Records() {
		e.recordReceive(r)
	}
	if err := e.receiveMessage(r, m.message); err != nil {
		return Status{}, m.c.Fail(fault.Other, call, err)
	}
	m.message = nil
	return e.End(r)
}

// Check fails if the message cannot be received.
func (m *Message) Check(call string) error {
	switch {
	case m == nil:
		return noRequest(call)
	case m.used:
		return m.c.Failf(fault.Request, call, "the message of %d bytes from rank %d has been received", m.Status.Bytes, m.Status.From)
	}
	return m.c.Check(call)
}

// Enter is Engine.Enter of the engine of the message. What has been claimed has come, so no limit is for it.
func (m *Message) Enter(call string) Call {
	m.c.Engine.Within(nil)
	return m.c.Engine.Enter(call)
}

// Fail returns an error of a call about the message.
func (m *Message) Fail(class fault.Class, call string, err error) error {
	return m.c.Fail(class, call, err)
}

// Probe waits until a message can be received, and returns the status that a receive would return.
func (c *Comm) Probe(call string, from, tag int) (Status, error) {
	msg, err := c.awaitMessage(call, from, tag)
	if err != nil || msg == nil {
		return Nothing, err
	}
	return c.describe(msg), nil
}

// IProbe makes progress once, and reports whether there is a message that Probe would return.
func (c *Comm) IProbe(call string, from, tag int) (Status, bool, error) {
	msg, ok, err := c.pollMessage(call, from, tag)
	if msg == nil {
		return Nothing, ok, err
	}
	return c.describe(msg), ok, err
}

// Claim waits for a message like Probe and takes it, so that no other receive finds it.
func (c *Comm) Claim(call string, from, tag int) (*Message, error) {
	msg, err := c.awaitMessage(call, from, tag)
	if err != nil {
		return nil, err
	}
	return c.match(msg), nil
}

// IClaim makes progress once and claims a message. It returns nil if there is none.
func (c *Comm) IClaim(call string, from, tag int) (*Message, error) {
	msg, ok, err := c.pollMessage(call, from, tag)
	if !ok || err != nil {
		return nil, err
	}
	return c.match(msg), nil
}

// awaitMessage waits for an unexpected message that matches. It returns nil from None.
func (c *Comm) awaitMessage(call string, from, tag int) (*match.Message, error) {
	if err := c.CheckFrom(call, from, tag); err != nil || from == None {
		return nil, err
	}
	q, source := c.Engine.contexts.of(c.Point), c.source(from)
	for {
		if msg := q.Find(source, int32(tag)); msg != nil {
			return msg, nil
		}
		if c.Engine.Share == nil && source == int32(c.Engine.Rank) {
			return nil, c.Fail(fault.Other, call, errOnlySelf)
		}
		if err := c.blockForMessage(call, from, tag); err != nil {
			return nil, c.failWait(call, err)
		}
	}
}

// pollMessage makes progress once, and reports whether there is an unexpected message that matches.
// From None there always is one, nil.
func (c *Comm) pollMessage(call string, from, tag int) (*match.Message, bool, error) {
	if err := c.CheckFrom(call, from, tag); err != nil || from == None {
		return nil, err == nil, err
	}
	if err := c.Engine.Progress(); err != nil {
		return nil, false, c.Fail(fault.Other, call, err)
	}
	msg := c.Engine.contexts.of(c.Point).Find(c.source(from), int32(tag))
	if msg == nil {
		c.Engine.EndIdlePoll()
		return nil, false, nil
	}
	return msg, true, nil
}

// source returns the process of a rank, or match.AnySource.
func (c *Comm) source(from int) int32 {
	if from == match.AnySource {
		return match.AnySource
	}
	return c.Process(from)
}

func (c *Comm) describe(msg *match.Message) Status {
	return Status{From: c.RankOf(msg.From), Tag: int(msg.Tag), Bytes: msg.Bytes}
}

// match takes a message out of the unexpected queue; nil is one from None.
func (c *Comm) match(msg *match.Message) *Message {
	if msg == nil {
		return &Message{c: c, Status: Nothing}
	}
	c.Engine.contexts.of(c.Point).Claim(msg)
	return &Message{c: c, message: msg, Status: c.describe(msg)}
}

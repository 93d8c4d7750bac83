package core

import (
	"musubi/mpi/internal/envelope"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/match"
)

// A send can be taken back: the sender asks for it, behind the message. If the message is still unexpected the receiver
// drops it and says so; else it answers as always.
//
// The receiver knows a message whose sender waits for an answer by its number. One that has been sent eagerly has
// none. But receives match the messages of one sender with one context and tag in their order, so those that are
// unexpected are the last ones, and both sides can count from the last.

// Revoke takes a send that is not complete back, unless a receive matches it first. It is complete in both cases, and
// its status says which.
func (r *Request) Revoke() error {
	e := r.Comm.Engine
	if r.Complete || r.IsReceive {
		return nil
	}
	if r.Peer == int32(e.Rank) {
		if e.takeBack(r) { // a synchronous send
			r.Status.Cancelled = true
			r.Finish(nil)
		}
		return nil
	}
	id, ok := e.unanswered.find(r)
	if !ok {
		return nil
	}
	return e.sendEnvelope(r.Peer, &envelope.Fields{Kind: envelope.Revoke, Context: r.context, Tag: r.Tag, ID: id}, nil)
}

// RevokeEager takes back a message that has been sent eagerly, unless a receive has matched it. So many later ones with
// its tag have been sent to the same rank, those that have been taken back not counted. The request is
// complete when the receiver has answered, and its status says whether the message is taken back.
func (c *Comm) RevokeEager(call string, to, tag, later int) (*Request, error) {
	e := c.Engine
	r := e.NewRequest()
	r.pooled = true
	r.SetSend(c, call, c.Point, to, tag, nil)
	if r.Peer == int32(e.Rank) {
		_, r.Status.Cancelled = e.dropBefore(r.Peer, r.context, r.Tag, later)
		r.Finish(nil)
		return r, nil
	}
	v := envelope.Fields{Kind: envelope.RevokeEager, Context: r.context, Tag: r.Tag, ID: e.unanswered.Add(r), Segment: uint32(later)}
	if err := e.sendEnvelope(r.Peer, &v, nil); err != nil {
		e.unanswered.Remove(v.ID)
		return nil, c.Fail(fault.Other, call, err)
	}
	return r, nil
}

// giveBack drops a message that its sender takes back, if it is unexpected.
func (e *Engine) giveBack(from int32, v *envelope.Fields) error {
	q := e.contexts.known(v.Context)
	if q == nil {
		return nil
	}
	msg := q.FindSent(from, v.ID)
	if msg == nil {
		return nil // a receive has matched it
	}
	e.dropUnexpected(q, msg)
	return e.sendEnvelope(from, &envelope.Fields{Kind: envelope.Revoked, ID: v.ID}, nil)
}

// giveBackEager is giveBack of a message whose sender does not wait for an answer. If it is staged, the stage does.
func (e *Engine) giveBackEager(from int32, v *envelope.Fields) error {
	answer := envelope.Fields{Kind: envelope.Done, ID: v.ID}
	if dropped, ok := e.dropBefore(from, v.Context, v.Tag, int(v.Segment)); ok {
		answer.Kind = envelope.Revoked
		if dropped.Kind == envelope.Request {
			if err := e.sendEnvelope(from, &envelope.Fields{Kind: envelope.Revoked, ID: dropped.ID}, nil); err != nil {
				return err
			}
		}
	}
	return e.sendEnvelope(from, &answer, nil)
}

// dropBefore drops the unexpected message that so many later ones follow, and returns its envelope. It reports false if there is none.
func (e *Engine) dropBefore(from int32, context uint32, tag int32, later int) (dropped envelope.Fields, ok bool) {
	q := e.contexts.known(context)
	if q == nil {
		return dropped, false
	}
	msg := q.FindBefore(from, tag, later)
	if msg == nil {
		return dropped, false
	}
	dropped = msg.Fields
	e.dropUnexpected(q, msg)
	return dropped, true
}

// dropUnexpected forgets an unexpected message.
func (e *Engine) dropUnexpected(q *match.Queues, msg *match.Message) {
	q.Remove(msg)
	e.Buffers.Put(msg.Buffer)
	e.freeMessage(msg)
}

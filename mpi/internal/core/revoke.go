package core

import "musubi/mpi/internal/envelope"

// A send that waits for its receiver can be taken back: the sender asks for it, behind the message. If the message
// is still unexpected the receiver drops it and says so; else it answers as always. One that is
// sent eagerly is complete already.

// Revoke takes a send back, unless it is complete or a receive matches it first. It is complete in all cases, and its
// status says which.
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
	q.Remove(msg)
	e.Buffers.Put(msg.Buffer)
	e.freeMessage(msg)
	return e.sendEnvelope(from, &envelope.Fields{Kind: envelope.Revoked, ID: v.ID}, nil)
}

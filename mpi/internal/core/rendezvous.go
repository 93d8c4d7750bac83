package core

import (
	"fmt"

	"musubi/mpi/internal/envelope"
	"musubi/mpi/internal/match"
)

// Rendezvous: the sender of a long message exposes the data and sends a request. When a receive
// matches the request, the receiver pulls the data to where it belongs and answers. Then the sender
// withdraws the data.

// sendLong sends a long message, synchronous or not.
func (e *Engine) sendLong(r *Request, sync bool) error {
	if !sync {
		if x := e.staging.take(r.Peer, r.Data); x != nil {
			return e.sendStaged(r, x)
		}
	}
	return e.requestRendezvous(r, nil, len(r.Data))
}

// requestRendezvous exposes the data of a send and asks its receiver to pull it, so many bytes: those that an encoded layout
// names, or all.
func (e *Engine) requestRendezvous(r *Request, layout []byte, bytes int) error {
	r.Segment, r.Exposed = e.Process.Expose(r.Data), true
	if err := e.askToPull(r, r.Segment, layout, bytes, r); err != nil {
		return e.Withdraw(r, err)
	}
	return nil
}

// askToPull asks the receiver of a message to pull its data, so many bytes, from a segment, by an encoded layout. The answer is
// for a request that waits for it.
func (e *Engine) askToPull(r *Request, segment int, layout []byte, bytes int, waits *Request) error {
	v := envelope.Fields{
		Kind: envelope.Request, Context: r.context, Tag: r.Tag, ID: e.unanswered.Add(waits),
		Segment: uint32(segment), Bytes: bytes,
	}
	err := e.sendEnvelope(r.Peer, &v, layout)
	if err != nil {
		e.unanswered.Remove(v.ID)
	}
	return err
}

// Withdraw ends the exposure of the data of a request, if it is exposed. It returns err, or the
// error of the machine if err is nil.
func (e *Engine) Withdraw(r *Request, err error) error {
	if !r.Exposed {
		return err
	}
	r.Exposed = false
	if failed := e.Process.Withdraw(r.Segment); err == nil {
		err = failed
	}
	return err
}

// answered completes the send that an answer is for.
func (e *Engine) answered(from int32, v *envelope.Fields) error {
	r := e.unanswered.Get(v.ID)
	x := e.staging.of(r)
	if r == nil || x == nil && r.Peer != from || x != nil && !x.release(from) {
		return fmt.Errorf("an answer to message %d, which was not sent to it", v.ID)
	}
	e.unanswered.Remove(v.ID)
	if x != nil {
		return e.answerStaged(from, v)
	}
	err := e.Withdraw(r, nil)
	switch v.Kind {
	case envelope.Failed:
		err = e.notRead(from)
	case envelope.Revoked:
		r.Status.Cancelled = true
	}
	r.Finish(err)
	return nil
}

// notRead is why a message has failed that its receiver could not read.
func (e *Engine) notRead(by int32) error {
	return fmt.Errorf("process %d could not read the message", by)
}

// pull starts to read the data of a message into the memory of a receive.
func (e *Engine) pull(r *Request, msg *match.Message) error {
	r.sender, r.answer = msg.From, msg.ID
	if r.Status.Bytes == 0 {
		e.Buffers.Put(msg.Buffer)
		return e.endPull(r, nil)
	}
	op, err := e.startPull(r, msg)
	if err != nil {
		return e.endPull(r, err)
	}
	r.Pull = op
	e.Pulls = append(e.Pulls, r)
	return nil
}

// endPulls completes receives whose data has been read, and accesses that are done. It tests the
// first few, and those after them only while all are complete: so each costs about one test, however
// many there are.
func (e *Engine) endPulls() error {
	left := e.Pulls[:0]
	var first error
	for i, r := range e.Pulls {
		if i >= mostAwaited && len(left) > 0 || first != nil {
			left = append(left, r)
			continue
		}
		read, err := e.Process.Test(r.Pull)
		if !read && err == nil {
			left = append(left, r)
			continue
		}
		first = e.endPull(r, err)
	}
	clear(e.Pulls[len(left):])
	e.Pulls = left
	return first
}

// endPull completes a receive whose data has been read, or could not be, and tells
// the sender.
func (e *Engine) endPull(r *Request, err error) error {
	if r.onPull != nil {
		r.onPull.PullEnded(err)
		return nil
	}
	answer := envelope.Fields{Kind: envelope.Done, ID: r.answer}
	if err != nil {
		answer.Kind = envelope.Failed
	}
	to := r.sender
	r.Finish(err)
	return e.sendEnvelope(to, &answer, nil)
}

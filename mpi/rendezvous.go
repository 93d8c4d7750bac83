package mpi

import (
	"fmt"

	"musubi/mpi/internal/envelope"
	"musubi/rma"
)

// A long message goes by rendezvous: its sender exposes the data and sends a
// request; the receiver, when it has matched that, pulls the data to where it
// belongs and sends an answer; then the sender withdraws the data.

// table numbers sends that wait for an answer.
type table struct {
	sends []*Request
	free  []uint32
}

func (t *table) add(r *Request) uint32 {
	if last := len(t.free) - 1; last >= 0 {
		id := t.free[last]
		t.free = t.free[:last]
		t.sends[id] = r
		return id
	}
	t.sends = append(t.sends, r)
	return uint32(len(t.sends) - 1)
}

// get returns the send with a number, nil if there is none.
func (t *table) get(id uint32) *Request {
	if int(id) >= len(t.sends) {
		return nil
	}
	return t.sends[id]
}

func (t *table) remove(id uint32) {
	t.sends[id] = nil
	t.free = append(t.free, id)
}

// ask exposes the data of a send and asks its receiver to pull it.
func (e *engine) ask(r *Request) error {
	r.segment, r.exposed = e.p.Expose(r.data), true
	v := envelope.Fields{
		Kind: envelope.Request, Context: r.context, Tag: r.tag, ID: e.asked.add(r),
		Segment: uint32(r.segment), Bytes: len(r.data),
	}
	if err := e.sendEnvelope(r.peer, &v, nil); err != nil {
		e.asked.remove(v.ID)
		return e.withdraw(r, err)
	}
	return nil
}

// withdraw ends the exposure of what a send has asked its receiver to pull. It
// returns err, or else what goes wrong.
func (e *engine) withdraw(r *Request, err error) error {
	if !r.exposed {
		return err
	}
	r.exposed = false
	if failed := e.p.Withdraw(r.segment); err == nil {
		err = failed
	}
	return err
}

// answered completes the send that an answer is for.
func (e *engine) answered(from int32, v *envelope.Fields) error {
	r := e.asked.get(v.ID)
	if r == nil || r.peer != from {
		return fmt.Errorf("an answer to message %d, which was not sent to it", v.ID)
	}
	e.asked.remove(v.ID)
	err := e.withdraw(r, nil)
	if v.Kind == envelope.Failed {
		err = fmt.Errorf("process %d could not read the message", from)
	}
	r.finish(err)
	return nil
}

// pull starts to read the data of a message to where a receive wants it.
func (e *engine) pull(r *Request, msg *message) error {
	r.sender, r.answer = msg.from, msg.ID
	e.buffers.Put(msg.buffer)
	if r.status.Bytes == 0 {
		return e.endPull(r, nil)
	}
	op, err := e.p.Pull(rma.Address{Rank: int(msg.from), Segment: int(msg.Segment)}, r.data[:r.status.Bytes])
	if err != nil {
		return e.endPull(r, err)
	}
	r.pull = op
	e.pulls = append(e.pulls, r)
	return nil
}

// endPulls completes receives whose data has been read, and accesses that are done. It looks at
// the first few, and on as long as all are: so each costs one look, however many there are.
func (e *engine) endPulls() error {
	left := e.pulls[:0]
	var first error
	for i, r := range e.pulls {
		if i >= watched && len(left) > 0 || first != nil {
			left = append(left, r)
			continue
		}
		read, err := e.p.Test(r.pull)
		if !read && err == nil {
			left = append(left, r)
			continue
		}
		first = e.endPull(r, err)
	}
	clear(e.pulls[len(left):])
	e.pulls = left
	return first
}

// endPull completes a receive whose data has been read, or could not be, and tells
// the sender.
func (e *engine) endPull(r *Request, err error) error {
	if r.access != nil {
		e.endAccess(r, err)
		return nil
	}
	answer := envelope.Fields{Kind: envelope.Done, ID: r.answer}
	if err != nil {
		answer.Kind = envelope.Failed
	}
	to := r.sender
	r.finish(err)
	return e.sendEnvelope(to, &answer, nil)
}

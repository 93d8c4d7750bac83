package mpi

import "musubi/mpi/internal/envelope"

// send starts a send, synchronous or not, of r.data to r.peer. Short messages go
// with their data, and are complete when that is copied, unless they are
// synchronous; for long ones the receiver is asked to pull it.
func (e *engine) send(r *Request, sync bool) error {
	switch {
	case r.complete: // to None
		return nil
	case r.peer == int32(e.rank):
		return e.sendSelf(r, sync)
	case len(r.data) > e.limits.of(r.peer):
		return e.ask(r)
	case !sync:
		return e.sendEager(r)
	}
	v := envelope.Fields{Kind: envelope.EagerSync, Context: r.context, Tag: r.tag, ID: e.asked.add(r), Bytes: len(r.data)}
	err := e.sendEnvelope(r.peer, &v, r.data)
	if err != nil {
		e.asked.remove(v.ID)
	}
	return err
}

// sendEager sends a message that nobody answers.
func (e *engine) sendEager(r *Request) error {
	sent, err := e.sendNow(r.context, r.peer, r.tag, r.data)
	if !sent && err == nil {
		b, by := e.out.Buffer(envelope.ShortBytes + len(r.data))
		envelope.ShortOf(r.context, r.tag).Encode(b)
		copy(b[envelope.ShortBytes:], r.data)
		err = e.out.Send(r.peer, b, by)
	}
	if err != nil {
		return err
	}
	r.finish(nil)
	return nil
}

// sendNow is send of a message that can go at once and that nobody waits for. It
// reports whether it can.
func (e *engine) sendNow(context uint32, to, tag int32, data []byte) (bool, error) {
	if uint(to) >= uint(len(e.atOnce)) || len(data) > e.atOnce[to] {
		return false, nil
	}
	return e.messenger.IPushWord(int(to), uint64(envelope.ShortOf(context, tag)), data)
}

// sendEnvelope sends an envelope with some data to a process.
func (e *engine) sendEnvelope(to int32, v *envelope.Fields, data []byte) error {
	if e.messenger != nil {
		v.Encode(e.head[:])
		if sent, err := e.messenger.IPushCopy(int(to), e.head[:], data); sent || err != nil {
			return err
		}
	}
	return e.sendBuffered(to, v, data)
}

// sendBuffered is sendEnvelope by way of a buffer.
func (e *engine) sendBuffered(to int32, v *envelope.Fields, data []byte) error {
	b, by := e.out.Buffer(envelope.Bytes + len(data))
	v.Encode(b)
	copy(b[envelope.Bytes:], data)
	return e.out.Send(to, b, by)
}

// sendSelf sends to this process itself: nothing leaves it. A message that is not
// synchronous is complete at once, whatever its length.
func (e *engine) sendSelf(r *Request, sync bool) error {
	msg := message{
		Fields: envelope.Fields{Kind: envelope.Eager, Context: r.context, Tag: r.tag, Bytes: len(r.data)},
		from:   r.peer, data: r.data,
	}
	m := e.matcher(r.context)
	if receive := m.take(msg.from, msg.Tag); receive != nil {
		err := e.deliver(receive, &msg)
		r.finish(nil)
		return err
	}
	if sync {
		msg.sender = r
	} else {
		msg.buffer = e.buffers.Get(len(r.data))
		copy(msg.buffer, r.data)
		msg.data = msg.buffer
		r.finish(nil)
	}
	kept := e.newMessage()
	*kept = msg
	m.add(kept)
	return nil
}

// receive starts a receive into r.data.
func (e *engine) receive(r *Request) error {
	if r.complete { // from None
		return nil
	}
	m := e.matcher(r.context)
	if m.all.first != nil {
		if msg := m.find(r.peer, r.tag); msg != nil {
			m.remove(msg)
			return e.receiveMessage(r, msg)
		}
	}
	m.post(r)
	r.posted = true
	return nil
}

// receiveMessage lets a request receive a message that was kept.
func (e *engine) receiveMessage(r *Request, msg *message) error {
	err := e.deliver(r, msg)
	e.freeMessage(msg)
	return err
}

// receiveEager gives an eager message to the receive that waits for it. It reports false,
// and has done nothing, if none does, if the message does not fit, or if it is another one.
func (e *engine) receiveEager(from int32, b []byte) bool {
	v := envelope.ReadShort(b)
	context, tag := v.Context(), v.Tag()
	if v == 0 || int(context) >= len(e.contexts) || e.contexts[context] == nil {
		return false
	}
	m, data := e.contexts[context], b[envelope.ShortBytes:]
	r, list := m.first(from, tag)
	if r == nil || len(data) > len(r.data) {
		return false
	}
	m.drop(list, r)
	r.posted = false
	r.status = Status{From: r.c.rankOf(from), Tag: int(tag), Bytes: copyShort(r.data, data)}
	r.finish(nil)
	return true
}

// deliver brings a message to the request that has matched it.
func (e *engine) deliver(r *Request, msg *message) error {
	r.posted = false
	n := min(msg.Bytes, len(r.data))
	r.status = Status{From: r.c.rankOf(msg.from), Tag: int(msg.Tag), Bytes: n}
	r.matched(msg)
	if msg.Kind == envelope.Request {
		return e.pull(r, msg)
	}
	copy(r.data, msg.data)
	e.buffers.Put(msg.buffer)
	if msg.sender != nil {
		msg.sender.finish(nil)
	}
	r.finish(nil)
	if msg.Kind == envelope.EagerSync {
		return e.sendEnvelope(msg.from, &envelope.Fields{Kind: envelope.Done, ID: msg.ID}, nil)
	}
	return nil
}

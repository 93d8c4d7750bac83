package core

import (
	"musubi/mpi/internal/envelope"
	"musubi/mpi/internal/match"
)

// Send starts a send, synchronous or not, of r.data to r.Peer. Short messages go
// with their data, and are complete when that is copied, unless they are
// synchronous; for long ones the receiver is asked to pull it.
func (e *Engine) Send(r *Request, sync bool) error {
	switch {
	case r.Complete: // to noRank
		return nil
	case r.Peer == int32(e.Rank):
		return e.sendSelf(r, sync)
	case len(r.Data) > e.Limits.of(r.Peer):
		return e.ask(r)
	case !sync:
		return e.sendEager(r)
	}
	v := envelope.Fields{Kind: envelope.EagerSync, Context: r.context, Tag: r.Tag, ID: e.asked.Add(r), Bytes: len(r.Data)}
	err := e.sendEnvelope(r.Peer, &v, r.Data)
	if err != nil {
		e.asked.Remove(v.ID)
	}
	return err
}

// sendEager sends a message that nobody answers.
func (e *Engine) sendEager(r *Request) error {
	sent, err := e.sendNow(r.context, r.Peer, r.Tag, r.Data)
	if !sent && err == nil {
		b, by := e.Out.Buffer(envelope.ShortBytes + len(r.Data))
		envelope.ShortOf(r.context, r.Tag).Encode(b)
		copy(b[envelope.ShortBytes:], r.Data)
		err = e.Out.Send(r.Peer, b, by)
	}
	if err != nil {
		return err
	}
	r.Finish(nil)
	return nil
}

// sendNow is send of a message that can go at once and that nobody waits for. It
// reports whether it can.
func (e *Engine) sendNow(context uint32, to, tag int32, data []byte) (bool, error) {
	if uint(to) >= uint(len(e.atOnce)) || len(data) > e.atOnce[to] {
		return false, nil
	}
	return e.Messenger.IPushWord(int(to), uint64(envelope.ShortOf(context, tag)), data)
}

// sendEnvelope sends an envelope with some data to a process.
func (e *Engine) sendEnvelope(to int32, v *envelope.Fields, data []byte) error {
	if e.Messenger != nil {
		v.Encode(e.head[:])
		if sent, err := e.Messenger.IPushCopy(int(to), e.head[:], data); sent || err != nil {
			return err
		}
	}
	return e.sendBuffered(to, v, data)
}

// sendBuffered is sendEnvelope by way of a buffer.
func (e *Engine) sendBuffered(to int32, v *envelope.Fields, data []byte) error {
	b, by := e.Out.Buffer(envelope.Bytes + len(data))
	v.Encode(b)
	copy(b[envelope.Bytes:], data)
	return e.Out.Send(to, b, by)
}

// sendSelf sends to this process itself: nothing leaves it. A message that is not
// synchronous is complete at once, whatever its length.
func (e *Engine) sendSelf(r *Request, sync bool) error {
	msg := match.Message{
		Fields: envelope.Fields{Kind: envelope.Eager, Context: r.context, Tag: r.Tag, Bytes: len(r.Data)},
		From:   r.Peer, Data: r.Data,
	}
	q := e.contexts.of(r.context)
	if receive := q.Take(msg.From, msg.Tag); receive != nil {
		err := e.deliver(requestOf(receive), &msg)
		r.Finish(nil)
		return err
	}
	if sync {
		msg.Sender = r
	} else {
		msg.Buffer = e.Buffers.Get(len(r.Data))
		copy(msg.Buffer, r.Data)
		msg.Data = msg.Buffer
		r.Finish(nil)
	}
	q.Add(e.keep(&msg))
	return nil
}

// Receive starts a receive into r.data.
func (e *Engine) Receive(r *Request) error {
	if r.Complete { // from noRank
		return nil
	}
	q := e.contexts.of(r.context)
	if q.HasUnexpected() {
		if msg := q.Find(r.Peer, r.Tag); msg != nil {
			q.Remove(msg)
			return e.receiveMessage(r, msg)
		}
	}
	q.Post(&r.Receive)
	return nil
}

// receiveMessage lets a request receive a message that was kept.
func (e *Engine) receiveMessage(r *Request, msg *match.Message) error {
	err := e.deliver(r, msg)
	e.freeMessage(msg)
	return err
}

// receiveEager gives an eager message to the receive that waits for it. It reports false,
// and has done nothing, if none does, if the message does not fit, or if it is another one.
func (e *Engine) receiveEager(from int32, b []byte) bool {
	v := envelope.ReadShort(b)
	context, tag := v.Context(), v.Tag()
	q := e.contexts.known(context)
	if v == 0 || q == nil {
		return false
	}
	data := b[envelope.ShortBytes:]
	posted, list := q.First(from, tag)
	if posted == nil {
		return false
	}
	r := requestOf(posted)
	if len(data) > len(r.Data) {
		return false
	}
	q.Drop(list, posted)
	r.Status = Status{From: r.Comm.RankOf(from), Tag: int(tag), Bytes: copyShort(r.Data, data)}
	r.Finish(nil)
	return true
}

// deliver brings a message to the request that has matched it.
func (e *Engine) deliver(r *Request, msg *match.Message) error {
	r.Posted = false
	n := min(msg.Bytes, len(r.Data))
	r.Status = Status{From: r.Comm.RankOf(msg.From), Tag: int(msg.Tag), Bytes: n}
	r.matchedBy(msg)
	if msg.Kind == envelope.Request {
		return e.pull(r, msg)
	}
	copy(r.Data, msg.Data)
	e.Buffers.Put(msg.Buffer)
	if msg.Sender != nil {
		msg.Sender.Matched()
	}
	r.Finish(nil)
	if msg.Kind == envelope.EagerSync {
		return e.sendEnvelope(msg.From, &envelope.Fields{Kind: envelope.Done, ID: msg.ID}, nil)
	}
	return nil
}

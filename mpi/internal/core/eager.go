package core

import (
	"musubi/internal/phantom"
	"musubi/mpi/internal/envelope"
	"musubi/mpi/internal/match"
	"musubi/rma"
)

// Send starts a send, synchronous or not, of r.Data to r.Peer. Short messages are sent eagerly and
// are complete when their data is copied, unless they are synchronous. Long ones go by rendezvous.
func (e *Engine) Send(r *Request, sync bool) error {
	if e.Records() && !r.Complete {
		e.recordSend(r)
	}
	switch {
	case r.Complete: // to None
		return nil
	case r.Peer == int32(e.Rank):
		return e.sendSelf(r, sync)
	case len(r.Data) > e.Limits.of(r.Peer):
		return e.sendLong(r, sync)
	case !sync:
		return e.sendEager(r)
	}
	v := envelope.Fields{Kind: envelope.EagerSync, Context: r.context, Tag: r.Tag, ID: e.unanswered.Add(r), Bytes: len(r.Data)}
	err := e.sendEnvelope(r.Peer, &v, r.Data)
	if err != nil {
		e.unanswered.Remove(v.ID)
	}
	return err
}

// sendEager sends a message with its data, and completes the request.
func (e *Engine) sendEager(r *Request) error {
	if err := e.sendShort(r.context, r.Peer, r.Tag, r.Data); err != nil {
		return err
	}
	r.Finish(nil)
	return nil
}

// sendShort sends a message with its data.
func (e *Engine) sendShort(context uint32, to, tag int32, data []byte) error {
	if sent, err := e.sendNow(context, to, tag, data); sent || err != nil {
		return err
	}
	head := e.head[:envelope.ShortBytes]
	envelope.ShortOf(context, tag).Encode(head)
	b, by := e.joined(head, data)
	return e.Out.SendMatched(to, b, rma.Matching{By: rma.Straight}, by)
}

// leastReferred is how many bytes of data are worth not to be copied.
const leastReferred = 512

// joined returns a message of a head and data, and how to send it. Data that nobody changes stays where it is.
func (e *Engine) joined(head, data []byte) ([]byte, rma.Mechanism) {
	if e.sharer != nil && len(data) >= leastReferred {
		if model := e.sharer.Reference(data); model != nil {
			return e.Out.Referring(model, head, data)
		}
	}
	return e.Out.Joined(head, data)
}

// SendShort sends a message that is complete when its data is copied, without a request. It reports false, and has
// done nothing, if the message needs one: if it is long, to this process itself, or recorded.
func (e *Engine) SendShort(context uint32, to, tag int32, data []byte) (bool, error) {
	if e.Records() || to == int32(e.Rank) || len(data) > e.Limits.of(to) {
		return false, nil
	}
	return true, e.sendShort(context, to, tag, data)
}

// sendNow sends a short message without a request, and reports whether the machine could take it
// at once.
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

// sendBuffered copies an envelope and data to a buffer, and sends that.
func (e *Engine) sendBuffered(to int32, v *envelope.Fields, data []byte) error {
	if e.offers.matcher != nil && v.IsMatched() {
		return e.sendCompared(to, v, data)
	}
	v.Encode(e.head[:])
	b, by := e.Out.Joined(e.head[:], data)
	return e.Out.Send(to, b, by)
}

// sendSelf sends to this process itself, without the machine. A message that is not synchronous is
// complete at once, whatever its length.
func (e *Engine) sendSelf(r *Request, sync bool) error {
	msg := match.Message{
		Fields: envelope.Fields{Kind: envelope.Eager, Context: r.context, Tag: r.Tag, Bytes: len(r.Data)},
		From:   r.Peer, Data: r.Data,
	}
	q := e.contexts.of(r.context)
	receive := e.takeOffered(&msg)
	if receive == nil {
		receive = q.Take(msg.From, msg.Tag)
	}
	if receive != nil {
		err := e.deliver(requestOf(receive), &msg)
		r.Finish(nil)
		return err
	}
	if sync {
		msg.Sender = r
	} else {
		msg.Buffer = e.Buffers.Like(r.Data, len(r.Data))
		phantom.Copy(msg.Buffer, r.Data)
		msg.Data = msg.Buffer
		r.Finish(nil)
	}
	q.Add(e.keep(&msg))
	return nil
}

// Receive starts a receive into r.Data.
func (e *Engine) Receive(r *Request) error {
	if e.Records() && !r.Complete {
		e.recordReceive(r)
	}
	q := e.contexts.of(r.context)
	if r.Complete || q.HasUnexpected() {
		if found, err := e.receiveUnexpected(q, r); found {
			return err
		}
	}
	if e.offers.matcher == nil || !e.offer(q, r) {
		q.Post(&r.Receive)
	}
	return nil
}

// receiveBlocking starts a receive that the process then waits for. Where an interface matches, it
// gets the receive only when the process has nothing else to take; see offerKept.
func (e *Engine) receiveBlocking(r *Request) error {
	if e.Records() && !r.Complete {
		e.recordReceive(r)
	}
	q := e.contexts.of(r.context)
	if found, err := e.receiveUnexpected(q, r); found {
		return err
	}
	q.Post(&r.Receive)
	return nil
}

// receiveUnexpected gives a receive the first unexpected message that it matches. It reports false
// if there is none, and the receive is to be posted.
func (e *Engine) receiveUnexpected(q *match.Queues, r *Request) (bool, error) {
	if r.Complete { // from None
		return true, nil
	}
	if !q.HasUnexpected() {
		return false, nil
	}
	msg := q.Find(r.Peer, r.Tag)
	if msg == nil {
		return false, nil
	}
	q.Remove(msg)
	return true, e.receiveMessage(r, msg)
}

// receiveMessage delivers a message that was unexpected, and recycles it.
func (e *Engine) receiveMessage(r *Request, msg *match.Message) error {
	err := e.deliver(r, msg)
	e.freeMessage(msg)
	return err
}

// receiveEager is the fast path of arrive: it copies an eager message with a short envelope to the
// posted receive that it matches. It reports false, and has done nothing, if there is no such
// receive, if the message does not fit, or if it has another envelope.
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
	e.recordMatch(r, from, tag)
	r.Finish(nil)
	return true
}

// deliver copies, or starts to pull, the data of a message to the receive that matches it, and
// answers a sender that waits.
func (e *Engine) deliver(r *Request, msg *match.Message) error {
	r.Posted = false
	n := min(msg.Bytes, len(r.Data))
	r.Status = Status{From: r.Comm.RankOf(msg.From), Tag: int(msg.Tag), Bytes: n}
	r.matchedBy(msg)
	e.recordMatch(r, msg.From, msg.Tag)
	if msg.Kind == envelope.Request {
		return e.pull(r, msg)
	}
	if data := phantom.Data(msg.Buffer); data != nil {
		copy(r.Data, data)
	} else {
		phantom.Copy(r.Data, msg.Data)
	}
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

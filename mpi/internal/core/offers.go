package core

import (
	"slices"

	"musubi/mpi/internal/envelope"
	"musubi/mpi/internal/match"
	"musubi/rma"
)

// offers are receives at an interface that matches (rma.Matcher). Those of a context are all older
// than the ones in its queues; see package nic/match for why that, and the order of calls here,
// gives what the queues alone would give.
type offers struct {
	matcher rma.Matcher // nil: the interface does not match
	list    []*Request  // the first offered first
	full    bool        // the interface had no room, and no receive has left it since
}

// find returns where a receive is in the list.
func (o *offers) find(number uint32) (int, bool) {
	return slices.BinarySearchFunc(o.list, number, func(r *Request, number uint32) int {
		return int(int64(r.Offered) - int64(number))
	})
}

// remove takes a receive off the list, nil if it is not there.
func (o *offers) remove(number uint32) *Request {
	i, found := o.find(number)
	if !found {
		return nil
	}
	r := o.list[i]
	o.full = false
	o.list = slices.Delete(o.list, i, i+1)
	return r
}

// post posts a receive to the interface, which may have no room.
func (o *offers) post(r *Request) (number uint32, posted bool) {
	if r.Peer == int32(r.Comm.Engine.Rank) { // such messages do not leave the process
		return 0, false
	}
	number, posted = o.matcher.PostReceive(rma.PostedReceive{From: int(r.Peer), Tag: r.Tag, Context: r.context, Into: r.Data})
	if o.full = !posted; posted {
		o.list = append(o.list, r)
	}
	return number, posted
}

// offer posts a receive to the interface instead of the queues of its context, if it can.
func (e *Engine) offer(q *match.Queues, r *Request) bool {
	if e.offers.matcher == nil || q.IsKept() {
		return false
	}
	number, posted := e.offers.post(r)
	if posted {
		q.Offer(&r.Receive, number)
	}
	return posted
}

// offerKept posts receives of the queues to the interface, when the process has to wait anyway. It
// looks for arrivals first: with one that it has not taken, the posts would be refused.
func (e *Engine) offerKept() error {
	if e.offers.matcher == nil || e.offers.full || e.contexts.counts.Posted == 0 {
		return nil
	}
	if arrived, err := e.Process.Poll(); err != nil || arrived {
		return err
	}
	for _, q := range e.contexts.queues {
		for q != nil && q.IsKept() {
			r := q.Oldest()
			number, posted := e.offers.post(requestOf(r))
			if !posted {
				break
			}
			q.OfferPosted(r, number)
		}
	}
	return nil
}

// takeBackOffer takes a receive back from the interface. It reports false if it has been matched;
// then nothing else can match it.
func (e *Engine) takeBackOffer(r *Request) bool {
	if !e.offers.matcher.WithdrawReceive(r.Offered) {
		r.Posted = false
		return false
	}
	e.offers.remove(r.Offered)
	r.Offered, r.Posted = 0, false
	return true
}

// takeOffered takes back the first receive at the interface that matches a message of this process
// to itself, nil if there is none.
func (e *Engine) takeOffered(msg *match.Message) *match.Receive {
	for i := 0; i < len(e.offers.list); i++ {
		r := e.offers.list[i]
		if r.Posted && r.context == msg.Context && r.Peer == match.AnySource && (r.Tag == match.AnyTag || r.Tag == msg.Tag) && e.takeBackOffer(r) {
			return &r.Receive
		}
	}
	return nil
}

// matchOf returns what an interface has done with the message of an arrival. The receives that it
// has refused go back to the queues.
func (e *Engine) matchOf(a rma.Arrival) rma.Match {
	if e.offers.matcher == nil || !a.Last {
		return rma.Match{}
	}
	m := e.offers.matcher.MatchOf(a)
	for _, number := range slices.Backward(m.Refused) {
		if r := e.offers.remove(number); r != nil {
			e.contexts.of(r.context).PostBack(&r.Receive)
		}
	}
	return m
}

// compared deals with a message that an interface has compared with posted receives.
func (e *Engine) compared(a rma.Arrival, m *rma.Match, b []byte) error {
	e.endBegun(int32(a.From))
	if m.Receive == 0 {
		return e.handleCompared(int32(a.From), nil, m, b)
	}
	r := e.offers.remove(m.Receive)
	r.Offered, r.Posted = 0, false
	return e.handleCompared(int32(a.From), r, m, b)
}

// handleCompared brings a message to the receive that it has matched, or to the queues if there is
// none.
func (e *Engine) handleCompared(from int32, r *Request, m *rma.Match, b []byte) error {
	if r != nil && m.Word != 0 && len(b) == 0 { // its data is where it belongs
		e.Buffers.Put(b)
		v := envelope.Fields{Kind: envelope.Eager, Tag: m.Word.Tag(), Bytes: m.Bytes}
		r.match(&match.Message{Fields: v, From: from})
		r.Finish(nil)
		return nil
	}
	v, data, err := envelope.DecodeCompared(b)
	if err != nil {
		return err
	}
	msg := match.Message{Fields: v, From: from, Data: data, Buffer: b}
	switch {
	case r == nil:
		return e.arrive(&msg)
	case m.Pull == 0:
		return e.deliver(r, &msg)
	}
	r.match(&msg)
	r.sender, r.answer, r.Pull = from, msg.ID, m.Pull
	e.Buffers.Put(b)
	e.Pulls = append(e.Pulls, r)
	return nil
}

// match enters what a receive has been matched with.
func (r *Request) match(msg *match.Message) {
	r.Status = Status{From: r.Comm.RankOf(msg.From), Tag: int(msg.Tag), Bytes: min(msg.Bytes, len(r.Data))}
	r.Comm.Engine.recordMatch(r, msg.From, msg.Tag)
	r.matchedBy(msg)
}

// sendCompared sends an envelope of a message that is matched, behind the word that is compared.
// The data of a long one is offered; who waits for an answer gets it from the process.
func (e *Engine) sendCompared(to int32, v *envelope.Fields, data []byte) error {
	var head [envelope.ShortBytes + envelope.Bytes]byte
	v.Word().Encode(head[:])
	v.Encode(head[envelope.ShortBytes:])
	b, by := e.Out.Joined(head[:], data)
	how := rma.Matching{By: rma.ToRing}
	if v.Kind == envelope.Request {
		how = rma.Matching{By: rma.Offered, Segment: int(v.Segment), Bytes: v.Bytes}
	}
	return e.Out.SendMatched(to, b, how, by)
}

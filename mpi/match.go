package mpi

import "musubi/mpi/internal/sparse"

// matcher is the receives and messages of one context that have not found each
// other. It knows ranks of the job, not of communicators.
//
// Messages that nobody has asked for yet are in two lists, both in order of
// arrival: that of all, and the lane of their sender. A receive that names its
// source looks at one lane only. Where senders share a ring there is one lane for
// all of them, as in the ring.
//
// Receives are in the list of their source, or in that of receives from any. An
// arriving message takes the first that matches in either, the one posted earlier.
type matcher struct {
	shared bool
	counts *counts

	lanes sparse.Values[messageList] // by sender
	all   messageList

	posted  sparse.Values[requestList] // by source
	anyone  requestList
	count   int    // of receives that are posted
	numbers uint64 // of receives, in the order in which they were posted

	matched messageList // that Match has taken, and nothing has received yet
}

// counts is what the matchers of a process count together.
type counts struct {
	looked uint64 // messages that receives and probes have looked at
	posted int    // receives that are posted
}

// newMatcher returns a matcher for messages of a number of ranks.
func newMatcher(ranks int, shared bool, counts *counts) *matcher {
	return &matcher{
		shared: shared, counts: counts, all: messageList{which: inAll},
		lanes: sparse.New[messageList](ranks), posted: sparse.New[requestList](ranks),
	}
}

// lane returns the lane of messages from a rank.
func (m *matcher) lane(from int32) *messageList {
	if m.shared {
		from = 0
	}
	return m.lanes.At(from)
}

// find returns the first message that has come from a source with a tag, nil if
// there is none. Both may be wildcards.
func (m *matcher) find(source, tag int32) *message {
	list := &m.all
	if source != AnySource {
		list = m.lane(source)
	}
	for msg := list.first; msg != nil; msg = msg.links[list.which].next {
		m.counts.looked++
		if matches(source, tag, msg.from, msg.Tag) {
			return msg
		}
	}
	return nil
}

// matches reports whether what a receive asks for is what has come.
func matches(source, tag, from, with int32) bool {
	return (source == AnySource || source == from) && (tag == AnyTag || tag == with)
}

// add keeps a message for which there is no receive.
func (m *matcher) add(msg *message) {
	m.lane(msg.from).push(msg)
	m.all.push(msg)
}

// remove takes a message that find has returned.
func (m *matcher) remove(msg *message) {
	m.lane(msg.from).remove(msg)
	m.all.remove(msg)
}

// post keeps a receive for which there is no message.
func (m *matcher) post(r *Request) {
	m.numbers++
	m.count++
	m.counts.posted++
	r.number = m.numbers
	m.receives(r.peer).push(r)
}

// receives returns the list of the receives from a source.
func (m *matcher) receives(source int32) *requestList {
	if source == AnySource {
		return &m.anyone
	}
	return m.posted.At(source)
}

// unpost takes back a receive.
func (m *matcher) unpost(r *Request) { m.drop(m.receives(r.peer), r) }

// drop takes a receive out of its list.
func (m *matcher) drop(list *requestList, r *Request) {
	m.count--
	m.counts.posted--
	list.remove(r)
}

// first returns the receive for a message that has come, and the list that it is in; nil
// if there is none.
func (m *matcher) first(from, tag int32) (*Request, *requestList) {
	list := m.posted.At(from)
	r := list.first
	if r == nil || r.tag != tag {
		r = list.find(tag)
	}
	if m.anyone.first == nil {
		return r, list
	}
	if other := m.anyone.find(tag); r == nil || other != nil && other.number < r.number {
		return other, &m.anyone
	}
	return r, list
}

// take is first of a receive that is then no longer posted.
func (m *matcher) take(from, tag int32) *Request {
	r, list := m.first(from, tag)
	if r != nil {
		m.drop(list, r)
	}
	return r
}

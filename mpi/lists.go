package mpi

import "musubi/mpi/internal/envelope"

// message is one that has come and not been received.
type message struct {
	envelope.Fields
	from   int32    // rank in the job
	data   []byte   // of an eager one
	buffer []byte   // of the engine, that data lies in
	sender *Request // of a synchronous one to oneself
	links  [2]links
}

type links struct{ next, prev *message }

// The lists that a message is in.
const (
	inLane = iota
	inAll
)

// messageList is messages in order of arrival.
type messageList struct {
	which       int // links of the messages to use
	first, last *message
}

func (l *messageList) push(m *message) {
	m.links[l.which] = links{prev: l.last}
	if l.last == nil {
		l.first = m
	} else {
		l.last.links[l.which].next = m
	}
	l.last = m
}

func (l *messageList) remove(m *message) {
	at := m.links[l.which]
	if at.prev == nil {
		l.first = at.next
	} else {
		at.prev.links[l.which].next = at.next
	}
	if at.next == nil {
		l.last = at.prev
	} else {
		at.next.links[l.which].prev = at.prev
	}
}

// requestList is posted receives in the order of their calls.
type requestList struct{ first, last *Request }

func (l *requestList) push(r *Request) {
	r.next, r.prev = nil, l.last
	if l.last == nil {
		l.first = r
	} else {
		l.last.next = r
	}
	l.last = r
}

func (l *requestList) remove(r *Request) {
	next, prev := r.next, r.prev
	if prev == nil {
		l.first = next
	} else {
		prev.next, r.prev = next, nil
	}
	if next == nil {
		l.last = prev
	} else {
		next.prev, r.next = prev, nil
	}
}

// all returns them in their order.
func (l *requestList) all() (list []*Request) {
	for r := l.first; r != nil; r = r.next {
		list = append(list, r)
	}
	return list
}

// find returns the first that takes a tag, nil if none does.
func (l *requestList) find(tag int32) *Request {
	for r := l.first; r != nil; r = r.next {
		if r.tag == AnyTag || r.tag == tag {
			return r
		}
	}
	return nil
}

package match

import "musubi/mpi/internal/envelope"

// Receive is the arguments of a receive, and its place in a list when it is posted.
type Receive struct {
	next, prev *Receive // in the list that it is in
	order      uint64   // in the order of posting
	Peer       int32    // rank in the job; may be AnySource
	Tag        int32    // may be AnyTag
	Posted     bool
	Offered    uint32 // its number at an interface that matches; 0: it is in the queues
}

// Message is an unexpected or claimed message.
type Message struct {
	envelope.Fields
	From   int32  // rank in the job
	Data   []byte // of an eager one
	Buffer []byte // that the data lies in, to be given back
	Sender sender // waits for a match; nil: nobody does in this process
	links  [2]links
}

// Sender is a send of this process to itself that is complete when its message is matched.
type sender interface{ Matched() }

type links struct{ next, prev *Message }

// The lists that a message is in.
const (
	inSenderList = iota
	inUnexpected
)

// messageList is messages in order of arrival.
type messageList struct {
	which       int // links of the messages to use
	first, last *Message
}

func (l *messageList) push(m *Message) {
	m.links[l.which] = links{prev: l.last}
	if l.last == nil {
		l.first = m
	} else {
		l.last.links[l.which].next = m
	}
	l.last = m
}

func (l *messageList) remove(m *Message) {
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

// all returns the messages in order.
func (l *messageList) all() (list []*Message) {
	for m := l.first; m != nil; m = m.links[l.which].next {
		list = append(list, m)
	}
	return list
}

// receiveList is posted receives in the order of their calls.
type receiveList struct{ first, last *Receive }

func (l *receiveList) push(r *Receive) {
	r.next, r.prev = nil, l.last
	if l.last == nil {
		l.first = r
	} else {
		l.last.next = r
	}
	l.last = r
}

func (l *receiveList) remove(r *Receive) {
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

// all returns the receives in order.
func (l *receiveList) all() (list []*Receive) {
	for r := l.first; r != nil; r = r.next {
		list = append(list, r)
	}
	return list
}

// find returns the first receive that matches a tag, nil if there is none.
func (l *receiveList) find(tag int32) *Receive {
	for r := l.first; r != nil; r = r.next {
		if r.Tag == AnyTag || r.Tag == tag {
			return r
		}
	}
	return nil
}

// Package match matches messages and receives of one context: it keeps the posted receives and the
// unexpected messages.
package match

import (
	"musubi/internal/sparse"
	"musubi/mpi/internal/envelope"
)

// Wildcards of receives.
const (
	AnySource = -1
	AnyTag    = -1
)

// Queues are the posted receives and the unexpected messages of one context. They know ranks
// of the job, not of communicators.
//
// Unexpected messages are in two lists, both in order of arrival: one of all, and one of their
// sender. A receive that names its source searches one list of a sender only. Where senders share a
// ring they share a list, too.
//
// Posted receives are in the list of their source, or in that of receives from any source. An
// arriving message takes the first that matches in either, the one posted earlier; if there is none, one that is
// expected.
type Queues struct {
	shared bool
	many   bool // ranks, of which few have a list at a time
	counts *Counts

	senders    sparse.Values[messageList] // of unexpected messages, by sender
	unexpected messageList

	posted    sparse.Few[receiveList] // by source
	anySource receiveList
	expected  []*Expected
	count     int    // of posted receives and those that are expected
	orders    uint64 // of receives, in the order in which they were posted

	claimed messageList // unexpected once, and not received since they were claimed
}

// Counts are totals of all queues of a process.
type Counts struct {
	Searched uint64 // unexpected messages that receives and probes have looked at
	Posted   int    // receives, with those that are expected
}

// fewRanks is of how many ranks at most each keeps its lists when they are empty.
const fewRanks = 64

// New returns queues for messages of a number of ranks, who share a ring or do not.
func New(ranks int, shared bool, counts *Counts) *Queues {
	q := new(Queues)
	q.Init(ranks, shared, counts)
	return q
}

// Init prepares queues for messages of a number of ranks, who share a ring or do not.
func (q *Queues) Init(ranks int, shared bool, counts *Counts) {
	*q = Queues{
		shared: shared, many: ranks > fewRanks, counts: counts, unexpected: messageList{which: inUnexpected}, claimed: messageList{which: inUnexpected},
		senders: sparse.New[messageList](ranks), posted: sparse.NewFew[receiveList](ranks),
	}
}

// IsEmpty reports whether there is neither a posted receive nor an unexpected message.
func (q *Queues) IsEmpty() bool { return q.count == 0 && q.unexpected.first == nil }

// HasUnexpected reports whether there is an unexpected message.
func (q *Queues) HasUnexpected() bool { return q.unexpected.first != nil }

// sender returns the rank whose list has the messages from a rank.
func (q *Queues) sender(from int32) int32 {
	if q.shared {
		return 0
	}
	return from
}

// from returns the list of messages from a rank.
func (q *Queues) from(from int32) *messageList { return q.senders.At(q.sender(from)) }

// Find returns the first unexpected message from a source with a tag, nil if there is none.
// Both may be wildcards.
func (q *Queues) Find(source, tag int32) *Message {
	list := &q.unexpected
	if source != AnySource {
		if list = q.senders.Known(q.sender(source)); list == nil {
			return nil
		}
	}
	for m := list.first; m != nil; m = m.links[list.which].next {
		q.counts.Searched++
		if (source == AnySource || source == m.From) && (tag == AnyTag || tag == m.Tag) {
			return m
		}
	}
	return nil
}

// Add keeps a message for which there is no receive.
func (q *Queues) Add(m *Message) {
	q.from(m.From).push(m)
	q.unexpected.push(m)
}

// Remove takes a message that Find has returned.
func (q *Queues) Remove(m *Message) {
	list := q.from(m.From)
	list.remove(m)
	if q.many && list.first == nil {
		q.senders.Forget(q.sender(m.From))
	}
	q.unexpected.remove(m)
}

// Claim takes a message that Find has returned, for a receive that names it.
func (q *Queues) Claim(m *Message) {
	q.Remove(m)
	q.claimed.push(m)
}

// RemoveClaimed takes a message that has been claimed.
func (q *Queues) RemoveClaimed(m *Message) { q.claimed.remove(m) }

// TakeBack removes the last message whose sender waits for it to be matched, and returns it;
// nil if there is none.
func (q *Queues) TakeBack(from int32, sender sender) *Message {
	for m := q.from(from).last; m != nil; m = m.links[inSenderList].prev {
		if m.Sender == sender {
			q.Remove(m)
			return m
		}
	}
	return nil
}

// FindSent returns the unexpected message that its sender knows by a number, since it waits for an answer; nil if
// there is none.
func (q *Queues) FindSent(from int32, id uint32) *Message {
	for m := q.from(from).first; m != nil; m = m.links[inSenderList].next {
		if m.From == from && m.ID == id && m.Kind != envelope.Eager {
			return m
		}
	}
	return nil
}

// FindBefore returns the unexpected message from a sender with a tag that so many later ones of that kind follow; nil
// if there are no more of them.
func (q *Queues) FindBefore(from, tag int32, later int) *Message {
	for m := q.from(from).last; m != nil; m = m.links[inSenderList].prev {
		if m.From != from || m.Tag != tag {
			continue
		}
		if later == 0 {
			return m
		}
		later--
	}
	return nil
}

// Post keeps a receive for which there is no message.
func (q *Queues) Post(r *Receive) {
	q.orders++
	q.count++
	q.counts.Posted++
	r.order = q.orders
	r.Posted = true
	q.receives(r.Peer).push(r)
}

// receives returns the list of the receives from a source.
func (q *Queues) receives(source int32) *receiveList {
	if source == AnySource {
		return &q.anySource
	}
	return q.posted.At(source)
}

// Unpost takes back a posted receive.
func (q *Queues) Unpost(r *Receive) { q.Drop(q.receives(r.Peer), r) }

// Drop takes a receive that First has returned.
func (q *Queues) Drop(list *receiveList, r *Receive) {
	q.count--
	q.counts.Posted--
	r.Posted = false
	list.remove(r)
	if q.many && list.first == nil && list != &q.anySource {
		q.posted.Forget(r.Peer)
	}
}

// First returns the receive for a message that has come, and the list that it is in; nil
// if there is none.
func (q *Queues) First(from, tag int32) (*Receive, *receiveList) {
	r, list := q.firstPosted(from, tag)
	if r == nil && len(q.expected) > 0 {
		return q.makeExpected(from, tag)
	}
	return r, list
}

// firstPosted is First of the receives that are posted.
func (q *Queues) firstPosted(from, tag int32) (*Receive, *receiveList) {
	list := q.posted.Known(from)
	var r *Receive
	if list != nil {
		if r = list.first; r == nil || r.Tag != tag {
			r = list.find(tag)
		}
	}
	if q.anySource.first == nil {
		return r, list
	}
	if other := q.anySource.find(tag); r == nil || other != nil && other.order < r.order {
		return other, &q.anySource
	}
	return r, list
}

// Take returns the receive for a message that has come and removes it; nil if there is none.
func (q *Queues) Take(from, tag int32) *Receive {
	r, list := q.First(from, tag)
	if r != nil {
		q.Drop(list, r)
	}
	return r
}

// Receives returns the posted receives, by source.
func (q *Queues) Receives() []*Receive {
	list := q.anySource.all()
	for _, posted := range q.posted.All() {
		list = append(list, posted.all()...)
	}
	return list
}

// Messages returns the messages that have not been received: unexpected ones, then claimed ones.
func (q *Queues) Messages() []*Message {
	return append(q.unexpected.all(), q.claimed.all()...)
}

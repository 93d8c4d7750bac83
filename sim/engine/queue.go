package engine

import (
	"fmt"
	"math/bits"

	"musubi/units"
)

// Event is something that happens at a point in simulated time. What Kind, A, B
// and C mean is up to whoever pushed it.
type Event struct {
	At   units.Time
	Kind uint32
	A    uint32
	B    uint32
	C    uint32
}

// Queue yields events in the order of time and, at equal times, in the order in
// which they were pushed. The zero value is an empty queue at time 0.
//
// It is a monotone radix heap: an event lies in the bucket of the highest bit
// in which its time differs from the time of the last event popped. Every event
// moves to lower buckets at most 63 times, in practice two or three, and equal
// times always share a bucket, which keeps them in order.
type Queue struct {
	now     units.Time
	size    int
	head    int // first event of buckets[0] not yet popped
	filled  uint64
	buckets [64][]Event
	handled int64
}

// Now returns the time of the event popped last.
func (q *Queue) Now() units.Time { return q.now }

// Len returns the number of events waiting.
func (q *Queue) Len() int { return q.size }

// Handled returns the number of events popped so far.
func (q *Queue) Handled() int64 { return q.handled }

// Push adds an event. It panics if the event lies in the past.
func (q *Queue) Push(e Event) {
	if e.At < q.now {
		panic(fmt.Sprintf("engine: event of kind %d pushed for %v at %v", e.Kind, e.At, q.now))
	}
	b := bits.Len64(uint64(e.At ^ q.now))
	q.buckets[b] = append(q.buckets[b], e)
	q.filled |= 1 << b
	q.size++
}

// Pop removes the next event and advances the time to it. It returns false if
// the queue is empty.
func (q *Queue) Pop() (Event, bool) { return q.PopUntil(units.Never) }

// PopUntil is Pop, but leaves an event that lies later than limit where it is,
// and the time too.
func (q *Queue) PopUntil(limit units.Time) (Event, bool) {
	if q.head == len(q.buckets[0]) && !q.refill(limit) || q.now > limit {
		return Event{}, false
	}
	e := q.buckets[0][q.head]
	q.head++
	q.size--
	q.handled++
	return e, true
}

// NextTime returns the time of the next event without advancing to it, and
// units.Never if there is none.
func (q *Queue) NextTime() units.Time {
	if q.head < len(q.buckets[0]) {
		return q.now
	}
	filled := q.filled &^ 1
	if filled == 0 {
		return units.Never
	}
	return earliest(q.buckets[bits.TrailingZeros64(filled)])
}

// refill moves the lowest filled bucket down so that bucket 0 holds the events
// of the next time, unless that lies beyond limit.
func (q *Queue) refill(limit units.Time) bool {
	filled := q.filled &^ 1
	if filled == 0 {
		return false
	}
	from := bits.TrailingZeros64(filled)
	events := q.buckets[from]
	next := earliest(events)
	if next > limit {
		return false
	}
	q.now = next
	q.buckets[0] = q.buckets[0][:0]
	q.head = 0
	q.filled = filled &^ (1 << from)
	q.buckets[from] = events[:0]
	if len(events) == 1 {
		q.buckets[0] = append(q.buckets[0], events[0])
		return true
	}
	for _, e := range events {
		b := bits.Len64(uint64(e.At ^ next))
		q.buckets[b] = append(q.buckets[b], e)
		q.filled |= 1 << b
	}
	return true
}

func earliest(events []Event) units.Time {
	t := events[0].At
	for _, e := range events[1:] {
		t = min(t, e.At)
	}
	return t
}

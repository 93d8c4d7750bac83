package engine

import (
	"math/bits"

	"musubi/units"
)

// radixHeap yields events in the order of time and, at equal times, in the order
// in which they were pushed. No event may be earlier than the last one popped.
//
// An event lies in the bucket of the highest bit in which its time differs from
// the time of the last event popped. Every event moves to lower buckets at most
// 63 times, in practice a few, and equal times always share a bucket, which
// keeps them in order.
type radixHeap struct {
	now     units.Time
	head    int // first event of buckets[0] not yet popped
	filled  uint64
	buckets [64][]Event
}

func (h *radixHeap) push(e Event) {
	b := bits.Len64(uint64(e.At ^ h.now))
	h.buckets[b] = append(h.buckets[b], e)
	h.filled |= 1 << b
}

// next returns the time of the first event, and units.Never if there is none. It
// does not move the time on.
func (h *radixHeap) next() units.Time {
	if h.filled == 0 {
		return units.Never
	}
	b := bits.TrailingZeros64(h.filled)
	if b == 0 {
		return h.now
	}
	return earliest(h.buckets[b])
}

// pop removes the first event; there must be one. It is valid until the next
// push.
func (h *radixHeap) pop() *Event {
	if h.filled&1 == 0 {
		h.refill()
	}
	e := &h.buckets[0][h.head]
	if h.head++; h.head == len(h.buckets[0]) {
		h.buckets[0] = h.buckets[0][:0]
		h.head = 0
		h.filled &^= 1
	}
	return e
}

// refill distributes the lowest filled bucket, which puts the events of the next
// time into bucket 0: all of them, where they have one time, as those of ranks in step.
func (h *radixHeap) refill() {
	from := bits.TrailingZeros64(h.filled)
	events := h.buckets[from]
	first, last := span(events)
	h.now = first
	h.filled &^= 1 << from
	if first == last {
		h.buckets[0], h.buckets[from] = events, h.buckets[0]
		h.filled |= 1
		return
	}
	h.buckets[from] = events[:0]
	for _, e := range events {
		h.push(e)
	}
}

// span returns the times of the earliest and of the latest event.
func span(events []Event) (first, last units.Time) {
	first, last = events[0].At, events[0].At
	for _, e := range events[1:] {
		first, last = min(first, e.At), max(last, e.At)
	}
	return first, last
}

func earliest(events []Event) units.Time {
	first, _ := span(events)
	return first
}

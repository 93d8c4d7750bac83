package engine

import "musubi/units"

// key stands for an event of a slot while its turn is: keys are in order as the events are, by time and, at equal times, by
// when they were pushed. From the highest bits on it has the time within the slot, how many nodes of the slot were filled before
// the event's, and where the event is.
type key uint64

const (
	placeBits  = (64 - slotBits + nodeBits) / 2 // as many nodes as there can be have a place in the rest
	mostEvents = 1 << placeBits
)

func keyOf(at units.Time, nodes uint64, id uint32) key {
	return key(at)<<(64-slotBits) | key(nodes)<<placeBits | key(id)
}

// event returns the event of a key.
func (q *Queue) event(k key) *Event { return &q.events[k%mostEvents] }

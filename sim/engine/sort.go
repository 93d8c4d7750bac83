package engine

// The front is divided into parts of 2^partBits picoseconds before it is sorted, if it is longer than shortFront.
const (
	partBits   = 5
	parts      = 1 << (slotBits - partBits)
	shortFront = 24
)

// sortFront sorts the events of a slot by time. Those of equal times keep their order.
func (q *Queue) sortFront() {
	if len(q.front) > shortFront {
		q.divideFront()
	}
	events := q.front
	for i := 1; i < len(events); i++ {
		e := events[i]
		j := i
		for ; j > 0 && events[j-1].At > e.At; j-- {
			events[j] = events[j-1]
		}
		if j < i {
			events[j] = e
		}
	}
}

// divideFront sorts the events of a slot by the part of the slot that they are in.
func (q *Queue) divideFront() {
	var next [parts + 1]uint32 // by part: where its next event goes
	for i := range q.front {
		next[partOf(&q.front[i])+1]++
	}
	for i := range parts {
		next[i+1] += next[i]
	}
	mixed := q.front
	q.front = append(q.mixed[:0], mixed...) // as long; all of them are overwritten
	for i := range mixed {
		part := partOf(&mixed[i])
		q.front[next[part]] = mixed[i]
		next[part]++
	}
	q.mixed = mixed
}

// partOf returns the part of its slot that an event is in.
func partOf(e *Event) uint { return uint(e.At>>partBits) % parts }

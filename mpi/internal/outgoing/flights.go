package outgoing

import "musubi/rma"

// Flight is a message on its way.
type Flight struct {
	Op     rma.Op
	Buffer []byte
	By     rma.Mechanism
}

// flights is the messages of a process on their way, in the order of their sending:
// a queue in a ring, whose size is a power of two.
type flights struct {
	ring  []Flight
	first int
	Count int
}

// Add puts a message behind all others.
func (q *flights) Add(f Flight) {
	if q.Count == len(q.ring) {
		q.grow()
	}
	q.ring[(q.first+q.Count)&(len(q.ring)-1)] = f
	q.Count++
}

// Head returns the first message. There must be one.
func (q *flights) Head() *Flight { return &q.ring[q.first] }

// drop removes the first message.
func (q *flights) drop() {
	q.ring[q.first] = Flight{}
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.Count--
}

// grow doubles the ring.
func (q *flights) grow() {
	ring := make([]Flight, max(16, 2*len(q.ring)))
	n := copy(ring, q.ring[q.first:])
	copy(ring[n:], q.ring[:q.first])
	q.ring, q.first = ring, 0
}

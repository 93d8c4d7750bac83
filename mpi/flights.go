package mpi

import "musubi/rma"

// flight is a message on its way.
type flight struct {
	op     rma.Op
	buffer []byte
	by     rma.Mechanism
}

// flights is the messages of a process on their way, in the order of their sending:
// a queue in a ring, whose size is a power of two.
type flights struct {
	ring  []flight
	first int
	count int
}

// add puts a message behind all others.
func (q *flights) add(f flight) {
	if q.count == len(q.ring) {
		q.grow()
	}
	q.ring[(q.first+q.count)&(len(q.ring)-1)] = f
	q.count++
}

// head returns the first message. There must be one.
func (q *flights) head() *flight { return &q.ring[q.first] }

// drop removes the first message.
func (q *flights) drop() {
	q.ring[q.first] = flight{}
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.count--
}

// grow doubles the ring.
func (q *flights) grow() {
	ring := make([]flight, max(16, 2*len(q.ring)))
	n := copy(ring, q.ring[q.first:])
	copy(ring[n:], q.ring[:q.first])
	q.ring, q.first = ring, 0
}

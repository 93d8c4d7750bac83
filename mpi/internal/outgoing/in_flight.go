package outgoing

import "musubi/rma"

// InFlight is a message in flight.
type InFlight struct {
	Op     rma.Op
	Buffer []byte
	By     rma.Mechanism
}

// inFlightQueue is the messages of a process in flight, in the order in which they were sent: a
// ring, whose size is a power of two.
type inFlightQueue struct {
	ring  []InFlight
	first int
	Count int
	few   [4]InFlight // the first ring
}

// Add appends a message.
func (q *inFlightQueue) Add(f InFlight) {
	if q.Count == len(q.ring) {
		q.grow()
	}
	q.ring[(q.first+q.Count)&(len(q.ring)-1)] = f
	q.Count++
}

// Head returns the first message. There must be one.
func (q *inFlightQueue) Head() *InFlight { return &q.ring[q.first] }

// drop removes the first message.
func (q *inFlightQueue) drop() {
	q.ring[q.first] = InFlight{}
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.Count--
}

// grow doubles the ring.
func (q *inFlightQueue) grow() {
	if q.ring == nil {
		q.ring = q.few[:]
		return
	}
	ring := make([]InFlight, 2*len(q.ring))
	n := copy(ring, q.ring[q.first:])
	copy(ring[n:], q.ring[:q.first])
	q.ring, q.first = ring, 0
}

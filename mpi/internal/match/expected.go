package match

import "slices"

// Expected is receives from many ranks that differ in their sources, and in where the data goes, only. None of them is
// made before a message for it comes: there may be very many.
type Expected struct {
	Tag  int32
	Left int // of the receives, that are not made yet
	From Expecter
}

// Expecter makes the receives of an Expected.
type Expecter interface {
	// Receive returns the receive from a rank of the job; nil if there is none, or it has been made.
	Receive(from int32) *Receive
}

// Expect keeps receives for which there are no messages.
func (q *Queues) Expect(x *Expected) {
	q.expected = append(q.expected, x)
	q.count += x.Left
	q.counts.Posted += x.Left
}

// AllExpected returns the receives that are expected and not made.
func (q *Queues) AllExpected() []*Expected { return q.expected }

// makeExpected posts the receive for a message that has come, if it is expected. It returns what First does.
func (q *Queues) makeExpected(from, tag int32) (*Receive, *receiveList) {
	for i, x := range q.expected {
		if x.Tag != tag {
			continue
		}
		if r := x.From.Receive(from); r != nil {
			x.Left--
			q.count--
			q.counts.Posted--
			if x.Left == 0 {
				q.expected = slices.Delete(q.expected, i, i+1)
			}
			q.Post(r)
			return r, q.receives(r.Peer)
		}
	}
	return nil, nil
}

package rank

import "musubi/live/wire"

// transferQueue holds transfers in the order in which they came.
type transferQueue struct {
	items []wire.Transfer
	begin int
}

func (q *transferQueue) isEmpty() bool { return q.begin == len(q.items) }

func (q *transferQueue) all() []wire.Transfer { return q.items[q.begin:] }

func (q *transferQueue) first() *wire.Transfer { return &q.items[q.begin] }

// add appends a transfer. Room in front is used again once it is half of all.
func (q *transferQueue) add(t *wire.Transfer) {
	if q.begin > len(q.items)/2 {
		n := copy(q.items, q.items[q.begin:])
		clear(q.items[n:])
		q.items, q.begin = q.items[:n], 0
	}
	q.items = append(q.items, *t)
}

// lastOperation returns the slot of the last operation of this rank, if there is one.
func (q *transferQueue) lastOperation() (slot uint32, ok bool) {
	for i := len(q.items) - 1; i >= q.begin; i-- {
		if t := &q.items[i]; !t.Answers() {
			return t.Slot, true
		}
	}
	return 0, false
}

// drop removes the first.
func (q *transferQueue) drop() {
	q.items[q.begin] = wire.Transfer{}
	if q.begin++; q.isEmpty() {
		q.items, q.begin = q.items[:0], 0
	}
}

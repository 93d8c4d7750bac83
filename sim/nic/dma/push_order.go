package dma

import (
	"musubi/sim/engine"
	"musubi/units"
)

// pushOrder keeps pushes from one rank to another in order: each is fetched, and then handed
// to the fabric, after the one before.
type pushOrder struct {
	transfers *transfers
	ways      map[connection]pushQueue
}

// connection is the way of pushes from one rank to another.
type connection struct{ initiator, target int32 }

// pushQueue is the pushes of a connection.
type pushQueue struct {
	last   uint32     // of those that are not fetched whole, 0 if all are
	handed units.Time // when the last packet of the others is handed to the fabric
}

// enqueue puts a push behind those to the same target.
func (o *pushOrder) enqueue(id uint32, t *transfer) {
	way := connection{t.initiator, t.Target}
	l := o.ways[way]
	if l.last != 0 {
		o.transfers.At(l.last).follower = id
		t.behind = true
	}
	t.notBefore = l.handed
	o.ways[way] = pushQueue{last: id}
}

// dequeue lets the push go on that is behind one whose last packet is handed to
// the fabric at a time.
func (o *pushOrder) dequeue(t *transfer, at units.Time) {
	if t.follower == 0 {
		o.ways[connection{t.initiator, t.Target}] = pushQueue{handed: at}
		return
	}
	next := o.transfers.At(t.follower)
	next.behind, next.notBefore = false, at
	if next.held {
		clock := &o.transfers.Clock
		clock.Push(engine.Event{At: clock.Now(), Kind: evFetch, A: t.follower})
	}
}

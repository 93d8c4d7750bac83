package dma

import (
	"musubi/internal/sparse"
	"musubi/sim/engine"
	"musubi/units"
)

// pushOrder keeps pushes from one rank to another in order: each is fetched, and then handed
// to the fabric, after the one before. It knows the ways that pushes are on only: a rank that pushes to all
// others, one after the other, is with few at a time.
type pushOrder struct {
	transfers *transfers
	ways      []sparse.Few[pushQueue] // by initiator and target
}

func newPushOrder(t *transfers, ranks int) pushOrder {
	o := pushOrder{t, make([]sparse.Few[pushQueue], ranks)}
	for i := range o.ways {
		o.ways[i] = sparse.NewFew[pushQueue](ranks)
	}
	return o
}

// pushQueue is the pushes from one rank to another.
type pushQueue struct {
	last   uint32     // of those that are not fetched whole, 0 if all are
	handed units.Time // when the last packet of the others is handed to the fabric
}

// enqueue puts a push behind those to the same target.
func (o *pushOrder) enqueue(id uint32, t *transfer) {
	l := o.ways[t.initiator].At(t.Target)
	if l.last != 0 {
		o.transfers.At(l.last).follower = id
		t.behind = true
	}
	t.notBefore = l.handed
	*l = pushQueue{last: id}
}

// dequeue lets the push go on that is behind one whose last packet is handed to
// the fabric at a time.
func (o *pushOrder) dequeue(t *transfer, at units.Time) {
	if t.follower == 0 {
		o.leave(t, at)
		return
	}
	next := o.transfers.At(t.follower)
	next.behind, next.notBefore = false, at
	if next.held {
		clock := o.transfers.Clock
		clock.Push(engine.Event{At: clock.Now(), Kind: evFetch, A: t.follower})
	}
}

// leave notes that no push is behind one whose last packet is handed to the fabric at a time. If that is
// now, whatever comes is later.
func (o *pushOrder) leave(t *transfer, at units.Time) {
	way := &o.ways[t.initiator]
	*way.At(t.Target) = pushQueue{handed: at}
	if at <= o.transfers.Clock.Now() {
		way.Forget(t.Target)
	}
}

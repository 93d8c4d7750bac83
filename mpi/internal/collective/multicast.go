package collective

import (
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/multicast"
)

// broadcastByMulticast adds the steps that send the data in pieces that fit a slot.
func broadcastByMulticast(r *Operation) {
	if r.Rank != r.Root {
		r.awaitRound(0)
		r.takeNext(r.Out)
		return
	}
	each := r.multicasts.SlotData()
	for number := 0; number == 0 || number*each < len(r.Out); number++ {
		r.awaitRound(number)
		r.sendNext(r.Out[number*each:])
	}
	r.dequeueLast()
}

// barrierByMulticast gathers along a binomial tree, and rank 0 then releases all ranks by one
// multicast. By then all have taken what arrived before, so that it needs no awaitRound, and one
// slot suffices.
func barrierByMulticast(r *Operation) {
	p := algorithm.TreeFrom(&r.Schedule, 0)
	p.NearChildren(func(_, child int) { r.Schedule.Receive(child, nil) })
	r.Wait()
	if p.Number == 0 {
		r.sendNext(nil)
		r.dequeueLast()
		return
	}
	r.Schedule.Send(p.Parent(), nil)
	r.Wait()
	r.takeNext(nil)
}

// multicasts returns the multicast algorithm that is best for an operation, by measurements if there
// are any; nil if messages are better. All ranks find the same.
func (c *Comm) multicasts(kind algorithm.Operation, a *algorithm.Arguments) *algorithm.Algorithm {
	o := &algorithm.Operations[kind]
	if c.job.multicaster == nil || c.Size() == 1 || o.ChooseMulticast == nil {
		return nil
	}
	if tuned := c.tuned(kind, a); tuned.decides {
		return tuned.multicast
	}
	return o.ChooseMulticast(c.job.multicaster, a, c.Size())
}

// multicastsNow returns nil for the first operation that multicast would suit, and then what
// multicasts returns: to exchange the places of all buffers costs more than one operation gains.
func (c *Comm) multicastsNow(kind algorithm.Operation, a *algorithm.Arguments) *algorithm.Algorithm {
	chosen := c.multicasts(kind, a)
	if chosen != nil && !c.collectives.multicastSeen {
		c.collectives.multicastSeen = true
		return nil
	}
	return chosen
}

// ownMulticast gives a persistent operation a multicast buffer of its own, if multicast is the
// default or has been forced, and reports whether it does.
func (r *Operation) ownMulticast() bool {
	c := r.C
	if cast := c.multicasts(r.kind, &r.Arguments); cast != nil && c.collectives.forced[r.kind] == nil {
		r.Algorithm = cast
	}
	switch {
	case r.Algorithm.Way != algorithm.ByMulticast || c.Size() == 1:
		return false
	case r.kind == algorithm.Barrier:
		r.multicasts = &multicastQueue{Buffer: multicast.BufferFor(1, 0)}
	default:
		r.multicasts = &multicastQueue{Buffer: multicast.BufferFor(multicast.DefaultSlots, len(r.Out))}
	}
	r.multicasts.open(c.job)
	c.ownQueues = append(c.ownQueues, r.multicasts)
	return true
}

// endOwnMulticast frees the buffer of ownMulticast.
func (r *Operation) endOwnMulticast() {
	if r.multicasts != &r.C.multicastQueue {
		r.multicasts.close(r.C.job)
		r.C.ownQueues = slices.DeleteFunc(r.C.ownQueues, func(l *multicastQueue) bool { return l == r.multicasts })
	}
}

package collective

import (
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/multicast"
)

// broadcastByMulticast sends each piece of the data that a slot can hold.
func broadcastByMulticast(r *Operation) {
	if r.Rank != r.Root {
		r.guard(0)
		r.takeNext(r.Out)
		return
	}
	each := r.multicasts.SlotData()
	for number := 0; number == 0 || number*each < len(r.Out); number++ {
		r.guard(number)
		r.sendNext(r.Out[number*each:])
	}
	r.leaveThen()
}

// barrierByMulticast gathers along a binomial tree, and rank 0 tells all when it has heard of all.
// Then all have taken what has arrived before, so that it needs no guard, and one slot does.
func barrierByMulticast(r *Operation) {
	p := algorithm.TreeFrom(&r.Schedule, 0)
	p.NearChildren(func(_, child int) { r.Schedule.Receive(child, nil) })
	r.Wait()
	if p.Number == 0 {
		r.sendNext(nil)
		r.leaveThen()
		return
	}
	r.Schedule.Send(p.Parent(), nil)
	r.Wait()
	r.takeNext(nil)
}

// multicasts returns how an operation is done best by multicast, nil if it is not. All ranks
// find the same.
func (c *Comm) multicasts(kind algorithm.Operation, a *algorithm.Arguments) *algorithm.Algorithm {
	o := &algorithm.Operations[kind]
	if c.job.multicaster == nil || c.Size() == 1 || o.ChooseMulticast == nil {
		return nil
	}
	return o.ChooseMulticast(c.job.multicaster, a, c.Size())
}

// multicastsNow is multicasts for an operation that may be the only one: to know where all
// buffers are costs more than one gains.
func (c *Comm) multicastsNow(kind algorithm.Operation, a *algorithm.Arguments) *algorithm.Algorithm {
	chosen := c.multicasts(kind, a)
	if chosen != nil && !c.collectives.multicastSeen {
		c.collectives.multicastSeen = true
		return nil
	}
	return chosen
}

// ownMulticast lets a persistent operation multicast if that is the usual choice, or has been
// chosen, and reports whether it is. It gets a buffer of its own.
func (r *Operation) ownMulticast() bool {
	c := r.C
	if cast := c.multicasts(r.kind, &r.Arguments); cast != nil && c.collectives.forced[r.kind] == nil {
		r.Algorithm = cast
	}
	switch {
	case r.Algorithm.Way != algorithm.ByMulticast || c.Size() == 1:
		return false
	case r.kind == algorithm.Barrier:
		r.multicasts = &multicastLine{Buffer: multicast.BufferFor(1, 0)}
	default:
		r.multicasts = &multicastLine{Buffer: multicast.BufferFor(multicast.UsualSlots, len(r.Out))}
	}
	r.multicasts.open(c.job)
	c.ownLines = append(c.ownLines, r.multicasts)
	return true
}

// endOwnMulticast gives back what ownMulticast has taken.
func (r *Operation) endOwnMulticast() {
	if r.multicasts != &r.C.multicastLine {
		r.multicasts.close(r.C.job)
		r.C.ownLines = slices.DeleteFunc(r.C.ownLines, func(l *multicastLine) bool { return l == r.multicasts })
	}
}

package collective

import (
	"slices"

	"musubi/mpi/internal/algorithm"
)

// landBroadcast sends each piece of the data that a slot can hold.
func landBroadcast(r *Operation) {
	if r.Rank != r.Root {
		r.guard(0)
		r.takeNext(r.Out)
		return
	}
	each := r.landing.slotData()
	for number := 0; number == 0 || number*each < len(r.Out); number++ {
		r.guard(number)
		r.castNext(r.Out[number*each:])
	}
	r.leaveThen()
}

// landBarrier gathers along a binomial tree, and rank 0 tells all when it has heard of all.
// Then all have taken what has landed before, so that it needs no guard, and one slot does.
func landBarrier(r *Operation) {
	p := algorithm.TreeFrom(&r.Schedule, 0)
	p.NearChildren(func(_, child int) { r.Schedule.Receive(child, nil) })
	r.Wait()
	if p.Number == 0 {
		r.castNext(nil)
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
// landings are costs more than one gains.
func (c *Comm) multicastsNow(kind algorithm.Operation, a *algorithm.Arguments) *algorithm.Algorithm {
	chosen := c.multicasts(kind, a)
	if chosen != nil && !c.collectives.casts {
		c.collectives.casts = true
		return nil
	}
	return chosen
}

// castAgain lets a persistent operation multicast if that is the usual choice, or has been
// chosen, and reports whether it is. It gets a landing of its own.
func (r *Operation) castAgain() bool {
	c := r.C
	if cast := c.multicasts(r.kind, &r.Arguments); cast != nil && c.collectives.forced[r.kind] == nil {
		r.Algorithm = cast
	}
	switch {
	case r.Algorithm.Way != algorithm.ByMulticast || c.Size() == 1:
		return false
	case r.kind == algorithm.Barrier:
		r.landing = landingFor(1, 0)
	default:
		r.landing = landingFor(usualSlots, len(r.Out))
	}
	r.landing.open(c.job)
	c.moored = append(c.moored, r.landing)
	return true
}

// castNoMore gives back what castAgain has taken.
func (r *Operation) castNoMore() {
	if r.landing != &r.C.landing {
		r.landing.close(r.C.job)
		r.C.moored = slices.DeleteFunc(r.C.moored, func(l *landing) bool { return l == r.landing })
	}
}

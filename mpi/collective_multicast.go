package mpi

import (
	"slices"

	"musubi/rma"
)

// Algorithms of Barrier and Broadcast by multicast: what is for all ranks leaves once. They
// are on machines whose processes are an rma.Multicaster, and are the usual choice there from
// the second such operation of a communicator on, and for persistent ones. Those of a
// communicator of one rank are done by messages.
const (
	// Chain: each interface stores the data and sends it on to the next rank.
	Chain = "chain"
	// Hierarchical: switches copy it.
	Hierarchical = "hierarchical"
)

var (
	chainBarrier          = &algorithm{name: Chain, build: enterLanding, land: landBarrier, manner: rma.Chain, otherwise: always(dissemination)}
	hierarchicalBarrier   = &algorithm{name: Hierarchical, build: enterLanding, land: landBarrier, manner: rma.Hierarchical, otherwise: always(dissemination)}
	chainBroadcast        = &algorithm{name: Chain, build: enterLanding, land: landBroadcast, manner: rma.Chain, otherwise: chooseBroadcast}
	hierarchicalBroadcast = &algorithm{name: Hierarchical, build: enterLanding, land: landBroadcast, manner: rma.Hierarchical, otherwise: chooseBroadcast}
)

func enterLanding(s *schedule, _ arguments) {
	s.steps = append(s.steps, step{action: enterLandingStep})
}

// landBroadcast sends each piece of the data that a slot can hold.
func landBroadcast(r *running) {
	if r.rank != r.root {
		r.guard(0)
		r.takeNext(r.out)
		return
	}
	each := r.landing.slotData()
	for number := 0; number == 0 || number*each < len(r.out); number++ {
		r.guard(number)
		r.castNext(r.out[number*each:])
	}
	r.leaveThen()
}

// landBarrier gathers along a binomial tree, and rank 0 tells all when it has heard of all.
// Then all have taken what has landed before, so that it needs no guard, and one slot does.
func landBarrier(r *running) {
	p := r.treeFrom(0)
	p.nearChildren(func(_, child int) { r.schedule.receive(child, nil) })
	r.wait()
	if p.number == 0 {
		r.castNext(nil)
		r.leaveThen()
		return
	}
	r.schedule.send(p.parent(), nil)
	r.wait()
	r.takeNext(nil)
}

// multicasts returns how an operation is done best by multicast, nil if it is not. All ranks
// find the same.
func (c *Comm) multicasts(kind operation, a *arguments) *algorithm {
	o := &operations[kind]
	if c.e.multicaster == nil || c.Size() == 1 || o.multicast == nil {
		return nil
	}
	return o.multicast(c.e.multicaster, a, c.Size())
}

// multicastsNow is multicasts for an operation that may be the only one: to know where all
// landings are costs more than one gains.
func (c *Comm) multicastsNow(kind operation, a *arguments) *algorithm {
	chosen := c.multicasts(kind, a)
	if chosen != nil && !c.collectives.casts {
		c.collectives.casts = true
		return nil
	}
	return chosen
}

// castAgain lets a persistent operation multicast if that is the usual choice, or has been
// chosen, and reports whether it is. It gets a landing of its own.
func (r *running) castAgain() bool {
	c := r.c
	if cast := c.multicasts(r.kind, &r.arguments); cast != nil && c.collectives.forced[r.kind] == nil {
		r.algorithm = cast
	}
	switch {
	case r.algorithm.land == nil || c.Size() == 1:
		return false
	case r.kind == barrier:
		r.landing = landingFor(1, 0)
	default:
		r.landing = landingFor(usualSlots, len(r.out))
	}
	r.landing.open(c.e)
	c.moored = append(c.moored, r.landing)
	return true
}

// castNoMore gives back what castAgain has taken.
func (r *running) castNoMore() {
	if r.landing != &r.c.landing {
		r.landing.close(r.c.e)
		r.c.moored = slices.DeleteFunc(r.c.moored, func(l *landing) bool { return l == r.landing })
	}
}

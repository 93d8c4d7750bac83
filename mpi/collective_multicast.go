package mpi

import "musubi/rma"

// Algorithms of Barrier and Broadcast by multicast: what is for all ranks leaves once. They
// are on machines whose processes are an rma.Multicaster, and are the usual choice there from
// the second such operation of a communicator on. Persistent operations, and those of a
// communicator of one rank, are done by messages.
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
	rest := r.out
	for number := 0; number == 0 || len(rest) > 0; number++ {
		r.guard(number)
		piece := rest[:min(slotData, len(rest))]
		rest = rest[len(piece):]
		if r.rank == r.root {
			r.steps = append(r.steps, step{action: castStep, from: piece})
		} else {
			r.steps = append(r.steps, step{action: takeSlotStep, into: piece})
		}
	}
}

// landBarrier gathers along a binomial tree, and rank 0 tells all when it has heard of all.
// Then all have taken what has landed before, so that it needs no guard.
func landBarrier(r *running) {
	p := r.treeFrom(0)
	p.nearChildren(func(_, child int) { r.schedule.receive(child, nil) })
	r.wait()
	if p.number == 0 {
		r.steps = append(r.steps, step{action: castStep})
		return
	}
	r.schedule.send(p.parent(), nil)
	r.wait()
	r.steps = append(r.steps, step{action: takeSlotStep})
}

// multicasts reports how the usual choice for an operation is done by multicast, nil if it is
// not. All ranks find the same.
func (c *Comm) multicasts(kind operation, a *arguments) *algorithm {
	o := &operations[kind]
	if c.e.multicaster == nil || c.Size() == 1 || o.multicast == nil {
		return nil
	}
	chosen := o.multicast(c.e.multicaster, a, c.Size())
	if chosen != nil && !c.landing.wanted { // to know all segments costs more than one operation gains
		c.landing.wanted = true
		return nil
	}
	return chosen
}

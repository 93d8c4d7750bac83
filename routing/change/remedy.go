package change

import "musubi/routing/acyclic"

// Remedy makes a transition safe whose switches cannot change in any order.
type Remedy struct {
	// Move gives destinations a service level of their own: sources use it before the switches
	// change. By destination.
	Move map[int]int
	// Drain are destinations to which the switches first discard all packets, until all others
	// have changed.
	Drain []int
}

// FindRemedy finds destinations that have to be kept apart, so that the switches may change in any
// order for all others. With more virtual lanes than packets use, packets to them move to a level
// of a free lane as long as they fit there; else their traffic has to stop. It returns nil if the
// old or the new tables can deadlock.
func (t *Transition) FindRemedy(vls int) *Remedy {
	if !t.OldFree || !t.NewFree {
		return nil
	}
	r := &remedySearch{t: t, mix: newMixture(t.Old, t.New, t.Loss), graph: acyclic.New(vertices(t.Old.Net))}
	r.mix.move = make(map[int]int)
	moving := make(map[int]bool)
	for _, d := range t.Destinations {
		moving[d] = true
	}
	for d := range t.Old.Destinations {
		if !moving[d] && !r.fits(d) {
			return nil // the tables are free of deadlock, so this does not happen
		}
	}
	remedy := &Remedy{Move: r.mix.move}
	free := t.freeLevels(vls)
	for _, d := range t.Destinations {
		if !r.place(d, free) {
			remedy.Drain = append(remedy.Drain, d)
		}
	}
	return remedy
}

type remedySearch struct {
	t     *Transition
	mix   *mixture
	graph *acyclic.Graph
}

// place adds the packets to a destination on their own level or a free one.
func (r *remedySearch) place(d int, free []int) bool {
	if r.fits(d) {
		return true
	}
	for _, level := range free {
		r.mix.move[d] = level
		if r.fits(d) {
			return true
		}
	}
	delete(r.mix.move, d)
	return false
}

// fits adds all dependencies of the packets to a destination, unless they close a cycle.
func (r *remedySearch) fits(d int) bool {
	r.graph.Begin()
	ok := r.mix.walk(d, func(from, to int32) bool { return r.graph.Has(from, to) || r.graph.Add(from, to) })
	if !ok {
		r.graph.RollBack()
	}
	return ok
}

// freeLevels returns the service levels whose lanes no packets use. Where lanes depend on ports
// there is none.
func (t *Transition) freeLevels(vls int) []int {
	if !t.Old.lane.plain || !t.New.lane.plain {
		return nil
	}
	var used levelSet
	for d, to := range t.Old.Destinations {
		used |= t.Old.lane.all(to) | t.New.lane.all(t.New.Destinations[d])
	}
	var free []int
	for level := range min(vls, numLevels-1) {
		if used>>level&1 == 0 {
			free = append(free, level)
		}
	}
	return free
}

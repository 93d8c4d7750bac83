package change

import "musubi/routing/acyclic"

// Order is what is known of orders in which switches may change one after the other. Each waits
// until no packet is under way that the one before has forwarded with its old entries.
type Order struct {
	Switches []int // nil: none was found
	// Exhausted says that all orders were looked at, so that there is none if none was found.
	Exhausted bool
}

// maxWork bounds the search for an order, in dependencies that are looked at.
const maxWork = 1 << 28

// FindOrder looks for an order of updates in which no deadlock is possible: before and after each
// step, and while the switch that changes uses both tables.
func (t *Transition) FindOrder() Order {
	if !t.OldFree || !t.NewFree {
		return Order{Exhausted: true}
	}
	s := &orderSearch{t: t, mix: newMixture(t.Old, t.New, t.Loss), dead: make(map[string]bool), done: make([]bool, len(t.Switches)), work: maxWork}
	s.graph = acyclic.New(vertices(t.Old.Net))
	for sw := range s.mix.at {
		s.mix.at[sw] = useOld
	}
	if !s.settle() {
		return Order{Exhausted: true}
	}
	found := s.search()
	if !found {
		return Order{Exhausted: s.work > 0}
	}
	return Order{Switches: s.order, Exhausted: true}
}

// orderSearch goes depth first through the sets of switches that have changed.
type orderSearch struct {
	t     *Transition
	mix   *mixture
	graph *acyclic.Graph
	dead  map[string]bool // sets from which there is no safe way on
	done  []bool          // per switch of the transition
	order []int
	work  int
}

// settle adds the dependencies that no change touches, and reports whether they close no cycle.
func (s *orderSearch) settle() bool {
	moving := make(map[int]bool)
	for _, d := range s.t.Destinations {
		moving[d] = true
	}
	for d := range s.t.Old.Destinations {
		if !moving[d] && !s.mix.walk(d, s.depend) {
			return false
		}
	}
	s.graph.Begin()
	return true
}

func (s *orderSearch) depend(from, to int32) bool {
	s.work--
	return s.work > 0 && (s.graph.Has(from, to) || s.graph.Add(from, to))
}

// search extends the order to all switches, if there is a safe way.
func (s *orderSearch) search() bool {
	if len(s.order) == len(s.done) {
		return true
	}
	key := s.key()
	if s.dead[key] {
		return false
	}
	for i, sw := range s.t.Switches {
		if s.done[i] || !s.safe(sw) {
			continue
		}
		s.done[i], s.mix.at[sw], s.order = true, useNew, append(s.order, sw)
		if s.search() {
			return true
		}
		s.done[i], s.mix.at[sw], s.order = false, useOld, s.order[:len(s.order)-1]
		if s.work <= 0 {
			return false
		}
	}
	s.dead[key] = true
	return false
}

func (s *orderSearch) key() string {
	set := make([]byte, (len(s.done)+7)/8)
	for i, d := range s.done {
		if d {
			set[i/8] |= 1 << (i % 8)
		}
	}
	return string(set)
}

// safe reports whether a switch may change next.
func (s *orderSearch) safe(sw int) bool {
	s.mix.at[sw] = useBoth
	ok := true
	s.graph.Begin()
	for _, d := range s.t.Destinations {
		if ok = s.mix.walk(d, s.depend); !ok {
			break
		}
	}
	s.graph.RollBack()
	s.mix.at[sw] = useOld
	return ok
}

package maxmin

import "math"

// Use is a resource that a flow uses. A flow with rate r takes r times the cost of its capacity of 1.
type Use struct {
	Resource int32
	Cost     float64 // more than 0
}

// Sharing is resources and the flows that share them. The zero value has none.
type Sharing struct {
	resources []resource
	flows     []flow
	unused    []int32 // numbers of flows to be used again

	dirty []int32 // resources that flows have left since the last solution
	fresh []int32 // flows added since then

	solving
}

// resource is something that flows share.
type resource struct {
	users []user
	load  float64 // by flows that are not being solved for
	// held is how many of these have their bottleneck here, and low and high are bounds of their rates.
	held      int32
	low, high float64
	peak      float64 // a bound of the rates of all of these
	dirty     bool
	slot      int32  // among the fills of the present solution
	round     uint32 // of which that is the slot
}

// user is a flow on a resource.
type user struct {
	flow int32
	use  int32 // position among the uses of the flow
}

// flow is a flow with its uses, and its share as solved last.
type flow struct {
	uses       []use
	rate       float64
	was        float64 // before the present solution
	bottleneck int32   // resource that keeps the rate from being higher, -1 if there is no rate yet
	taken      bool    // into the present solution
	frozen     bool    // has its rate in it
	gone       bool    // is not a flow any more
}

// use is a use of a resource.
type use struct {
	Use
	at   int32 // position of the flow among the users
	slot int32 // of the resource in the present solution
}

// Add adds a flow that uses at least one resource. It has a rate after the next call of Solve. Add
// returns its number. Resources come into being when they are first used.
func (s *Sharing) Add(uses []Use) int32 {
	id := s.add(uses)
	s.fresh = append(s.fresh, id)
	return id
}

// AddAlone is Add of a flow that shares none of its resources, and uses each once. It has its rate at once, and
// there is nothing to solve. AddAlone reports false, and does nothing, if another flow uses one of them.
func (s *Sharing) AddAlone(uses []Use) (id int32, added bool) {
	for _, u := range uses {
		if int(u.Resource) < len(s.resources) && len(s.resources[u.Resource].users) > 0 {
			return 0, false
		}
	}
	id = s.add(uses)
	s.fillAlone(&s.flows[id])
	return id, true
}

// add adds a flow without a rate.
func (s *Sharing) add(uses []Use) int32 {
	id := s.number()
	f := &s.flows[id]
	*f = flow{uses: f.uses[:0], bottleneck: -1}
	for i, u := range uses {
		for int(u.Resource) >= len(s.resources) {
			s.resources = append(s.resources, resource{})
		}
		r := &s.resources[u.Resource]
		f.uses = append(f.uses, use{Use: u, at: int32(len(r.users))})
		r.users = append(r.users, user{id, int32(i)})
	}
	return id
}

// fillAlone gives a flow all of the resource that is the first to be full. It is the one that Solve would find.
func (s *Sharing) fillAlone(f *flow) {
	f.rate = math.Inf(1)
	for _, u := range f.uses {
		if rate := 1 / u.Cost; rate < f.rate || rate == f.rate && u.Resource < f.bottleneck {
			f.rate, f.bottleneck = rate, u.Resource
		}
	}
	s.occupy(f)
}

// number returns the number of a new flow.
func (s *Sharing) number() int32 {
	if last := len(s.unused) - 1; last >= 0 {
		id := s.unused[last]
		s.unused = s.unused[:last]
		return id
	}
	s.flows = append(s.flows, flow{})
	return int32(len(s.flows) - 1)
}

// Remove removes a flow, and reports whether others use what it has used; if none do, there is nothing to
// solve. Its number may be given to another one.
func (s *Sharing) Remove(id int32) (others bool) {
	f := &s.flows[id]
	s.release(f)
	for _, u := range f.uses {
		r := &s.resources[u.Resource]
		last := r.users[len(r.users)-1]
		r.users[u.at] = last
		s.flows[last.flow].uses[last.use].at = u.at
		if r.users = r.users[:len(r.users)-1]; len(r.users) == 0 {
			r.load, r.peak = 0, 0 // without what rounding has left
			continue
		}
		others = true
		if !r.dirty {
			r.dirty = true
			s.dirty = append(s.dirty, u.Resource)
		}
	}
	f.gone = true
	s.unused = append(s.unused, id)
	return others
}

// release takes what a flow has of its resources from it.
func (s *Sharing) release(f *flow) {
	for _, u := range f.uses {
		s.resources[u.Resource].load -= float64(f.rate * u.Cost)
	}
	if f.bottleneck >= 0 {
		s.resources[f.bottleneck].held--
	}
}

// occupy gives a flow what its rate takes of its resources, and enters it at its bottleneck.
func (s *Sharing) occupy(f *flow) {
	for _, u := range f.uses {
		r := &s.resources[u.Resource]
		r.load += float64(f.rate * u.Cost)
		r.peak = max(r.peak, f.rate)
	}
	r := &s.resources[f.bottleneck]
	if r.held == 0 {
		r.low, r.high = f.rate, f.rate
	}
	r.held, r.low, r.high = r.held+1, min(r.low, f.rate), max(r.high, f.rate)
}

// Rate returns the rate of a flow as solved last.
func (s *Sharing) Rate(id int32) float64 { return s.flows[id].rate }

// Bottleneck returns the resource that keeps the rate of a flow from being higher.
func (s *Sharing) Bottleneck(id int32) int32 { return s.flows[id].bottleneck }

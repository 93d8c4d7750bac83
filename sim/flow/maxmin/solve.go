package maxmin

// Products are converted to float64 before they are added, as compilers for some processors would
// otherwise round both at once, and results would depend on the processor.

const (
	// exact is the relative difference up to which rates and loads count as equal.
	exact = 1e-7
	// close is that difference where a change has an effect on more than few flows.
	close = 2e-2
	few   = 32
)

// toleranceFor returns the relative difference that counts as none where so many flows are affected.
func toleranceFor(flows int) float64 {
	if flows > few {
		return close
	}
	return exact
}

// solving is what a solution needs in between.
type solving struct {
	round   uint32
	taken   []int32 // flows that are solved for
	fills   []fill  // resources that these use
	entries []entry
	heap    []int32 // fills by level
	changed []int32
}

// fill is a resource that is being filled by raising the rates of all flows that are taken at once.
type fill struct {
	resource int32
	first    int32   // of its entries, -1 if there is none
	open     int32   // flows whose rates still rise
	free     float64 // capacity that flows with a given rate leave
	cost     float64 // of all those that are open, together
	level    float64 // rate at which the resource is full, or less
	bound    float64 // rate of those that it keeps from having more; -1 if there are none
	most     float64 // the highest rate
}

// entry is a flow that is taken, on a resource.
type entry struct {
	flow int32
	next int32 // entry of the same resource, -1 if there is none
}

// Solve makes all rates fair. It returns the flows whose rate has changed; the slice is valid until
// the next call.
func (s *Sharing) Solve() []int32 {
	s.changed = s.changed[:0]
	for _, id := range s.fresh {
		if !s.flows[id].gone {
			s.take(id)
		}
	}
	for _, id := range s.dirty {
		r := &s.resources[id]
		r.dirty = false
		if r.held > 0 && r.load < 1-toleranceFor(len(r.users)) {
			s.takeHeld(id)
		}
	}
	s.fresh, s.dirty = s.fresh[:0], s.dirty[:0]
	for before := -1; before != len(s.taken); {
		before = len(s.taken)
		s.fillUp()
		tolerance := toleranceFor(before)
		for i := range s.fills {
			s.takeAffected(&s.fills[i], tolerance)
		}
	}
	for _, id := range s.taken {
		s.settle(id)
	}
	s.taken = s.taken[:0]
	return s.changed
}

// take takes a flow into the solution.
func (s *Sharing) take(id int32) {
	if f := &s.flows[id]; !f.taken {
		f.taken, f.was = true, f.rate
		s.release(f)
		s.taken = append(s.taken, id)
	}
}

// takeHeld takes in the flows that a resource keeps from having more.
func (s *Sharing) takeHeld(id int32) {
	for _, u := range s.resources[id].users {
		if s.flows[u.flow].bottleneck == id {
			s.take(u.flow)
		}
	}
}

// takeAbove takes in the flows on a resource with more than a rate.
func (s *Sharing) takeAbove(id int32, rate float64) {
	for _, u := range s.resources[id].users {
		if s.flows[u.flow].rate > rate {
			s.take(u.flow)
		}
	}
	r := &s.resources[id]
	r.peak, r.load = 0, 0
	for _, u := range r.users {
		if f := &s.flows[u.flow]; !f.taken {
			r.peak = max(r.peak, f.rate)
			r.load += float64(f.rate * f.uses[u.use].Cost)
		}
	}
}

// takeAffected takes in the flows on a resource that are not solved for, but would have to be: those
// that the resource need not keep back any longer, or not so much, and those that have more than
// others which it keeps back.
func (s *Sharing) takeAffected(l *fill, tolerance float64) {
	r := &s.resources[l.resource]
	factor := 1 + tolerance
	switch {
	case r.held == 0:
		if l.bound >= 0 && r.peak > l.bound*factor {
			s.takeAbove(l.resource, l.bound*factor)
		}
	case l.free > tolerance, l.most > r.low*factor, l.bound >= 0 && r.high > l.bound*factor:
		s.takeHeld(l.resource)
	}
}

// settle ends the solution for a flow.
func (s *Sharing) settle(id int32) {
	f := &s.flows[id]
	f.taken = false
	if differ(f.rate, f.was) {
		s.changed = append(s.changed, id)
	} else {
		f.rate = f.was
	}
	s.occupy(f)
}

func differ(a, b float64) bool {
	const same = 1e-12
	return a > b+float64(b*same) || b > a+float64(a*same)
}

// fillUp raises the rates of all flows that are taken, together, while those of the others stay. A
// rate stops when a resource of its flow is full.
func (s *Sharing) fillUp() {
	s.open()
	s.heap = s.heap[:0]
	for i := range s.fills {
		l := &s.fills[i]
		l.level = l.free / l.cost
		s.push(int32(i))
	}
	level := 0.0
	for len(s.heap) > 0 {
		i := s.heap[0]
		l := &s.fills[i]
		if l.open == 0 {
			s.pop()
			continue
		}
		if now := l.free / l.cost; now > l.level {
			l.level = now
			s.down(0)
			if s.heap[0] != i {
				continue
			}
		}
		level = max(level, l.level)
		l.bound = level
		s.freeze(l, level)
		s.pop()
	}
	for _, id := range s.taken {
		f := &s.flows[id]
		for i := range f.uses {
			l := &s.fills[f.uses[i].slot]
			l.most = max(l.most, f.rate)
		}
	}
}

// open makes the fills of the resources that the flows use which are taken.
func (s *Sharing) open() {
	s.round++
	s.fills, s.entries = s.fills[:0], s.entries[:0]
	for _, id := range s.taken {
		f := &s.flows[id]
		f.frozen = false
		for i := range f.uses {
			u := &f.uses[i]
			r := &s.resources[u.Resource]
			if r.round != s.round {
				r.round, r.slot = s.round, int32(len(s.fills))
				s.fills = append(s.fills, fill{resource: u.Resource, first: -1, free: max(0, 1-r.load), bound: -1})
			}
			u.slot = r.slot
			l := &s.fills[r.slot]
			s.entries = append(s.entries, entry{id, l.first})
			l.first = int32(len(s.entries) - 1)
			l.open++
			l.cost += u.Cost
		}
	}
}

// freeze gives all flows that are open on a resource their rate.
func (s *Sharing) freeze(l *fill, level float64) {
	for e := l.first; e >= 0; e = s.entries[e].next {
		f := &s.flows[s.entries[e].flow]
		if f.frozen {
			continue
		}
		f.frozen, f.rate, f.bottleneck = true, level, l.resource
		for i := range f.uses {
			u := &f.uses[i]
			o := &s.fills[u.slot]
			o.open--
			o.cost -= u.Cost
			o.free = max(0, o.free-float64(level*u.Cost))
		}
	}
}

// push, pop and down keep a heap of fills, the lowest level first, and at equal levels the first
// resource first.
func (s *Sharing) push(i int32) {
	s.heap = append(s.heap, i)
	for at := len(s.heap) - 1; at > 0; {
		above := (at - 1) / 2
		if !s.less(s.heap[at], s.heap[above]) {
			return
		}
		s.heap[at], s.heap[above] = s.heap[above], s.heap[at]
		at = above
	}
}

func (s *Sharing) pop() {
	last := len(s.heap) - 1
	s.heap[0] = s.heap[last]
	s.heap = s.heap[:last]
	s.down(0)
}

func (s *Sharing) down(at int) {
	for {
		below := 2*at + 1
		if below >= len(s.heap) {
			return
		}
		if below+1 < len(s.heap) && s.less(s.heap[below+1], s.heap[below]) {
			below++
		}
		if !s.less(s.heap[below], s.heap[at]) {
			return
		}
		s.heap[at], s.heap[below] = s.heap[below], s.heap[at]
		at = below
	}
}

func (s *Sharing) less(a, b int32) bool {
	x, y := &s.fills[a], &s.fills[b]
	return x.level < y.level || x.level == y.level && x.resource < y.resource
}

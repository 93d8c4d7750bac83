package routing

// dependencies is a channel dependency graph (Dally and Seitz 1987). Vertex v is
// virtual channel v%vcs of directed channel v/vcs; an edge leads to every vertex
// that some packet may ask for while it holds the first.
type dependencies struct {
	vcs  int
	next [][]dependency
}

// dependency is an edge of the graph, with the classes of traffic that make it.
type dependency struct {
	to      int32
	classes classSet
}

func newDependencies(channels, vcs int) *dependencies {
	return &dependencies{vcs: vcs, next: make([][]dependency, channels*vcs)}
}

func (g *dependencies) vertex(h Hop) int32 { return int32(h.Channel()*g.vcs + h.VC()) }

func (g *dependencies) hop(v int32) Hop { return MakeHop(int(v)/g.vcs, int(v)%g.vcs) }

// add searches linearly: a channel has few successors.
func (g *dependencies) add(from, to int32, classes classSet) {
	next := g.next[from]
	for i := range next {
		if next[i].to == to {
			next[i].classes |= classes
			return
		}
	}
	g.next[from] = append(next, dependency{to, classes})
}

// size returns the number of edges.
func (g *dependencies) size() int {
	n := 0
	for _, next := range g.next {
		n += len(next)
	}
	return n
}

// cyclic reports whether the dependencies made by the given classes close a
// cycle.
func (g *dependencies) cyclic(classes classSet) bool {
	for _, members := range g.components(classes) {
		if len(members) > 1 {
			return true
		}
	}
	return false
}

// components returns the strongly connected components of more than one vertex
// (Tarjan 1972), for the dependencies made by the given classes. The search keeps
// its own stack, as chains of dependencies can be as long as the graph is large.
func (g *dependencies) components(classes classSet) [][]int32 {
	type frame struct {
		v    int32
		edge int // the next edge of v to follow
	}
	const finished = -1
	var (
		order   = make([]int32, len(g.next)) // 0: not seen; else rank of discovery
		low     = make([]int32, len(g.next))
		stack   []int32
		calls   []frame
		result  [][]int32
		counter int32
	)
	enter := func(v int32) {
		counter++
		order[v], low[v] = counter, counter
		stack = append(stack, v)
		calls = append(calls, frame{v: v})
	}
	leave := func(v int32) {
		calls = calls[:len(calls)-1]
		if len(calls) > 0 {
			parent := calls[len(calls)-1].v
			low[parent] = min(low[parent], low[v])
		}
		if low[v] != order[v] {
			return
		}
		first := len(stack) - 1
		for stack[first] != v {
			first--
		}
		for _, w := range stack[first:] {
			order[w] = finished
		}
		if len(stack)-first > 1 {
			result = append(result, append([]int32(nil), stack[first:]...))
		}
		stack = stack[:first]
	}
	for root := range g.next {
		if order[root] != 0 || len(g.next[root]) == 0 {
			continue
		}
		enter(int32(root))
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			if f.edge == len(g.next[f.v]) {
				leave(f.v)
				continue
			}
			e := g.next[f.v][f.edge]
			f.edge++
			switch {
			case e.classes&classes == 0 || order[e.to] == finished:
			case order[e.to] == 0:
				enter(e.to)
			default:
				low[f.v] = min(low[f.v], order[e.to])
			}
		}
	}
	return result
}

// shortestCycle returns the vertices of a shortest cycle of the dependencies made
// by the given classes, or nil if there is none.
func (g *dependencies) shortestCycle(classes classSet) []int32 {
	s := cycleSearch{
		g:         g,
		classes:   classes,
		component: make([]int32, len(g.next)),
		seen:      make([]int32, len(g.next)),
		parent:    make([]int32, len(g.next)),
	}
	for i, members := range g.components(classes) {
		for _, v := range members {
			s.component[v] = int32(i + 1)
		}
		for _, v := range members {
			s.through(v)
			// Every cycle through v is known now, so v need not be visited again.
			s.component[v] = 0
			if len(s.best) == 2 {
				return s.best
			}
		}
	}
	return s.best
}

// cycleSearch is the state of breadth-first searches for cycles.
type cycleSearch struct {
	g         *dependencies
	classes   classSet
	component []int32 // 0: not part of any cycle of interest
	seen      []int32 // root+1 of the last search that came here
	parent    []int32
	queue     []int32
	best      []int32
}

// through looks for a cycle through root that is shorter than the best so far.
func (s *cycleSearch) through(root int32) {
	s.queue = append(s.queue[:0], root)
	s.seen[root] = root + 1
	levelEnd, length := 1, 1 // length of a cycle closed from the current level
	for head := 0; head < len(s.queue); head++ {
		if head == levelEnd {
			levelEnd = len(s.queue)
			length++
		}
		if s.best != nil && length >= len(s.best) {
			return
		}
		v := s.queue[head]
		for _, e := range s.g.next[v] {
			if e.classes&s.classes == 0 {
				continue
			}
			if e.to == root {
				s.record(root, v, length)
				return
			}
			if s.component[e.to] == s.component[root] && s.seen[e.to] != root+1 {
				s.seen[e.to], s.parent[e.to] = root+1, v
				s.queue = append(s.queue, e.to)
			}
		}
	}
}

// record keeps the cycle that the search closed at last.
func (s *cycleSearch) record(root, last int32, length int) {
	s.best = make([]int32, length)
	for i, v := length-1, last; i >= 0; i-- {
		s.best[i] = v
		if v != root {
			v = s.parent[v]
		}
	}
}

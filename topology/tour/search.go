package tour

import (
	"cmp"
	"slices"
)

// searchSteps bounds a search to about a second.
const searchSteps = 2_000_000

// search is a depth-first search for a ring: a path is continued until it closes, and shortened
// where it cannot.
type search struct {
	*graph
	length   int // of the ring
	steps    int // that are left
	start    int32
	distance []int // of each switch from start; -1: it has none
	on       []bool
	free     []int // neighbours of each switch that are not on the path
	path     []int32
}

// search returns a ring of k switches, 2 or more, or nil. all tells that there is none, because
// all ways have been tried.
func (g *graph) search(k, steps int) (ring []int, all bool) {
	s := &search{graph: g, length: k, steps: steps, on: make([]bool, len(g.near)), free: make([]int, len(g.near)), path: make([]int32, 0, k)}
	for at := range s.free {
		s.free[at] = len(g.near[at])
	}
	for i, start := range g.all[:len(g.all)-k+1] {
		// A ring has a first switch; those before it have been tried.
		s.begin(start, g.all[:i])
		if s.goOn(start) {
			for _, at := range s.path {
				ring = append(ring, int(at))
			}
			return ring, true
		}
		if s.steps <= 0 {
			return nil, false
		}
	}
	return nil, true
}

// begin prepares a search from a switch, without some others.
func (s *search) begin(start int32, tried []int32) {
	s.start = start
	s.distance = make([]int, len(s.near))
	for i := range s.distance {
		s.distance[i] = -1
	}
	for _, t := range tried {
		s.on[t] = true
	}
	s.distance[start] = 0
	for queue := []int32{start}; len(queue) > 0; queue = queue[1:] {
		for _, t := range s.near[queue[0]] {
			if s.distance[t] < 0 && !s.on[t] {
				s.distance[t] = s.distance[queue[0]] + 1
				queue = append(queue, t)
			}
		}
	}
}

// goOn lets the path go to a switch, and reports whether it becomes a ring. Otherwise it is as
// before.
func (s *search) goOn(at int32) bool {
	s.steps--
	s.path, s.on[at] = append(s.path, at), true
	s.addFree(at, -1)
	if len(s.path) == s.length && s.adjacent(at, s.start) {
		return true
	}
	for _, next := range s.ways(at) {
		if s.steps <= 0 {
			break
		}
		if s.goOn(next) {
			return true
		}
	}
	s.path, s.on[at] = s.path[:len(s.path)-1], false
	s.addFree(at, 1)
	return false
}

// addFree notes that a switch has gone to the path, or left it.
func (s *search) addFree(at int32, n int) {
	for _, t := range s.near[at] {
		s.free[t] += n
	}
}

// ways returns where the path can go from its last switch. If the ring is to have all switches,
// those with the fewest ways on come first, because they are the hardest to reach later
// (Warnsdorff, 1823); else those farthest from the start, which leaves a way back.
func (s *search) ways(at int32) []int32 {
	left := s.length - len(s.path)
	var list []int32
	for _, t := range s.near[at] {
		if !s.on[t] && s.distance[t] <= left {
			list = append(list, t)
		}
	}
	if s.length < len(s.all) {
		slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(s.distance[b], s.distance[a]) })
		return list
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(s.free[a], s.free[b]) })
	if len(list) > 1 && s.free[list[1]] == 0 {
		// Two that have no way on cannot both be the last one of the ring.
		return nil
	}
	return list
}

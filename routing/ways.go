package routing

import "slices"

// ways are the legal paths of least length from every switch with end points to one destination,
// as a graph without cycles. Its vertices are the states that packets can be in, by place, farthest
// from the destination first.
type ways struct {
	entry []int32 // per switch with end points: the place of its source state, -1 if no legal path leads from there
	state []int32 // per place
	first []int32 // moves of place x are moves[first[x]:first[x+1]], by output port
	moves []move  // to places
}

// move is one hop: the channel taken and the state after it, or its place.
type move struct{ channel, to int32 }

// from returns the moves that may be taken in a place; none at the destination.
func (w *ways) from(place int32) []move { return w.moves[w.first[place]:w.first[place+1]] }

// clone copies ways without spare room.
func (w *ways) clone() *ways {
	return &ways{slices.Clone(w.entry), slices.Clone(w.state), slices.Clone(w.first), slices.Clone(w.moves)}
}

// bytes returns the memory that a clone takes.
func (w *ways) bytes() int {
	return 4*(len(w.entry)+len(w.state)+len(w.first)) + 8*len(w.moves)
}

// search finds the ways to a destination, backwards from there, until it has met all switches with
// end points.
type search struct {
	ends []int // switches with end points
	left int   // source states of these that have not been reached

	dist  []int32 // per state: hops to the destination, -1 if it has not been reached
	order []int32 // states that have been reached, nearest first
	place []int32 // per state: its place in the ways, or unmet or met
}

const (
	unmet = -1
	met   = -2 // packets can be in the state
)

// reset begins a search.
func (s *search) reset(g guide) {
	if n := g.states(); len(s.dist) != n {
		s.dist, s.place = make([]int32, n), make([]int32, n)
	}
	for i := range s.dist {
		s.dist[i], s.place[i] = -1, unmet
	}
	s.order, s.left = s.order[:0], len(s.ends)
	for _, sw := range s.ends {
		s.place[g.source(sw)] = met
	}
}

// reach marks a state as dist hops away from the destination.
func (s *search) reach(state, dist int32) {
	s.dist[state] = dist
	s.order = append(s.order, state)
	if s.place[state] == met {
		s.left--
	}
}

// trace sets w to what has been found. list appends the moves of a state, to states.
func (s *search) trace(g guide, w *ways, list func(moves []move, state int32) []move) {
	w.state, w.first, w.moves = w.state[:0], w.first[:0], w.moves[:0]
	for _, x := range slices.Backward(s.order) {
		if s.place[x] == unmet {
			continue
		}
		s.place[x] = int32(len(w.state))
		w.state, w.first = append(w.state, x), append(w.first, int32(len(w.moves)))
		n := len(w.moves)
		w.moves = list(w.moves, x)
		for _, m := range w.moves[n:] {
			s.place[m.to] = met
		}
	}
	w.first = append(w.first, int32(len(w.moves)))
	for i := range w.moves {
		w.moves[i].to = s.place[w.moves[i].to]
	}
	w.entry = w.entry[:0]
	for _, sw := range s.ends {
		w.entry = append(w.entry, max(s.place[g.source(sw)], -1))
	}
}

// keptWays is the memory for ways that are kept, in bytes.
const keptWays = 1 << 29

// atlas finds the ways to all switches with end points, and keeps those for which there is room.
type atlas struct {
	guide guide
	ends  []int // switches with end points
	kept  []*ways
	room  int
}

func newAtlas(g guide, ends []int) *atlas {
	return &atlas{guide: g, ends: ends, kept: make([]*ways, len(ends)), room: keptWays}
}

// finder returns a function that finds the ways to the i-th switch with end points. It is for one
// goroutine. The function uses spare, unless that is nil, for ways that are not kept.
func (a *atlas) finder() func(i int, spare *ways) *ways {
	g, s := a.guide.fork(), &search{ends: a.ends}
	return func(i int, spare *ways) *ways {
		if a.kept[i] != nil {
			return a.kept[i]
		}
		if spare == nil {
			spare = new(ways)
		}
		g.find(a.ends[i], s, spare)
		return spare
	}
}

// found is ways, and room for those that are not kept.
type found struct{ ways, spare *ways }

// each finds the ways to each switch with end points, on all cores, and calls f with them in order.
func (a *atlas) each(f func(i int, w *ways) error) error {
	worker := func() func(int, found) found {
		find := a.finder()
		return func(i int, old found) found {
			w := find(i, old.spare)
			if w == a.kept[i] {
				return found{w, old.spare}
			}
			return found{w, w}
		}
	}
	return inOrder(len(a.ends), worker, func(i int, item found) error { return f(i, item.ways) })
}

// keep keeps ways if there is room.
func (a *atlas) keep(i int, w *ways) {
	if a.kept[i] == nil && w.bytes() <= a.room {
		a.room -= w.bytes()
		a.kept[i] = w.clone()
	}
}

package ways

import "slices"

// Ways are the legal paths of least length from every switch with end points to one destination,
// as a graph without cycles. Its vertices are the states that packets can be in, by place, farthest
// from the destination first.
type Ways struct {
	Entry  []int32 // per switch with end points: the place of its source state, -1 if no legal path leads from there
	State  []int32 // per place
	first  []int32 // moves of place x are moves[first[x]:first[x+1]], by output port
	moves  []Move  // to places
	begins []uint8 // per move: 1 if it is the first one of its place, else 0
	inner  int32   // the first place that a move leads to
}

// Move is one hop: the channel taken and the state after it, or its place.
type Move struct{ Channel, To int32 }

// From returns the moves that may be taken in a place; none at the destination.
func (w *Ways) From(place int32) []Move { return w.moves[w.first[place]:w.first[place+1]] }

// InnerMoves returns the moves of all places from the first one on that a move leads to, one place after the other, and for
// each 1 if it is the first one of its place, else 0. Places without moves come behind those with.
func (w *Ways) InnerMoves() (moves []Move, begins []uint8) {
	first := w.first[w.inner]
	return w.moves[first:], w.begins[first:]
}

// Search finds the ways to a destination, backwards from there, until it has met all switches with
// end points.
type Search struct {
	Ends []int // switches with end points
	left int   // source states of these that have not been reached

	Dist  []int32 // per state: hops to the destination, -1 if it has not been reached
	Order []int32 // states that have been reached, nearest first
	place []int32 // per state: its place in the ways, or unmet or met
}

const (
	unmet = -1
	met   = -2 // packets can be in the state
)

// Reset begins a search.
func (s *Search) Reset(g Guide) {
	if n := g.States(); len(s.Dist) != n {
		s.Dist, s.place = make([]int32, n), make([]int32, n)
	}
	for i := range s.Dist {
		s.Dist[i], s.place[i] = -1, unmet
	}
	s.Order, s.left = s.Order[:0], len(s.Ends)
	for _, sw := range s.Ends {
		s.place[g.Source(sw)] = met
	}
}

// reach marks a state as dist hops away from the destination.
func (s *Search) reach(state, dist int32) {
	s.Dist[state] = dist
	s.Order = append(s.Order, state)
	if s.place[state] == met {
		s.left--
	}
}

// Trace sets w to what has been found. list appends the moves of a state, to states.
func (s *Search) Trace(g Guide, w *Ways, list func(moves []Move, state int32) []Move) {
	w.State, w.first, w.moves, w.begins = w.State[:0], w.first[:0], w.moves[:0], w.begins[:0]
	for _, x := range slices.Backward(s.Order) {
		if s.place[x] == unmet {
			continue
		}
		s.place[x] = int32(len(w.State))
		w.State, w.first = append(w.State, x), append(w.first, int32(len(w.moves)))
		n := len(w.moves)
		w.moves = list(w.moves, x)
		for _, m := range w.moves[n:] {
			s.place[m.To] = met
		}
		if n < len(w.moves) {
			w.begins = append(w.begins, 1)
		}
		w.begins = append(w.begins, make([]uint8, len(w.moves)-len(w.begins))...)
	}
	w.first = append(w.first, int32(len(w.moves)))
	w.inner = int32(len(w.State))
	for i := range w.moves {
		to := s.place[w.moves[i].To]
		w.moves[i].To = to
		w.inner = min(w.inner, to)
	}
	w.Entry = w.Entry[:0]
	for _, sw := range s.Ends {
		w.Entry = append(w.Entry, max(s.place[g.Source(sw)], -1))
	}
}

// Atlas finds the ways to all switches with end points, and keeps those for which there is room.
type Atlas struct {
	Guide Guide
	Ends  []int // switches with end points
	kept  []packed
	room  int
}

// keptWays is the memory for ways that are kept, in bytes.
const keptWays = 1 << 29

// NewAtlas returns the ways between the switches that are ends.
func NewAtlas(g Guide, ends []int) *Atlas {
	return &Atlas{Guide: g, Ends: ends, kept: make([]packed, len(ends)), room: keptWays}
}

// Finder returns a function that sets w to the ways to the i-th switch with end points, and returns it; new ones if it is nil.
// It is for one goroutine.
func (a *Atlas) Finder() func(i int, w *Ways) *Ways {
	g, s := a.Guide.Fork(), &Search{Ends: a.Ends}
	return func(i int, w *Ways) *Ways {
		if w == nil {
			w = new(Ways)
		}
		if a.kept[i] == nil {
			g.Find(a.Ends[i], s, w)
		} else {
			a.kept[i].unpack(w)
		}
		return w
	}
}

// Each finds the ways to each switch with end points, on all cores, and calls f with them in order.
func (a *Atlas) Each(f func(i int, w *Ways) error) error {
	return InOrder(len(a.Ends), a.Finder, f)
}

// Keep keeps ways if there is room.
func (a *Atlas) Keep(i int, w *Ways) {
	if a.kept[i] != nil || w.packedBytes() > a.room {
		return
	}
	if a.kept[i] = w.pack(); a.kept[i] != nil {
		a.room -= w.packedBytes()
	}
}

// Forget forgets ways that are not needed again.
func (a *Atlas) Forget(i int) { a.kept[i] = nil }

package routing

import "musubi/routing/internal/ways"

// steps are the moves that packets to the end points of a switch make, whatever their source: the i-th from place x is
// step i*places + x. All paths to an end point share them, and take less memory on their way than if each looked for its
// moves.
type steps struct {
	places int
	list   []step
}

// step is a hop, still on virtual channel 0, and the place behind it, or none at the destination.
type step struct {
	hop Hop
	to  int32
}

const atDestination = -1

// set finds the steps to the first so many end points of a switch.
func (s *steps) set(sel *selector, w *ways.Ways, dst, endPoints int) {
	s.places, s.list = len(w.State), s.list[:0]
	for j := range endPoints {
		for x := range int32(s.places) {
			next := step{to: atDestination}
			if moves := w.From(x); len(moves) > 0 {
				m := moves[sel.toDestination(moves, x, dst, j)]
				next = step{MakeHop(int(m.Channel), 0), m.To}
			}
			s.list = append(s.list, next)
		}
	}
}

// walk appends to path the hops from place x to the j-th end point.
func (s *steps) walk(path Path, x int32, j int) Path {
	list := s.list[j*s.places : (j+1)*s.places]
	for next := list[x]; next.to != atDestination; next = list[next.to] {
		path = append(path, next.hop)
	}
	return path
}

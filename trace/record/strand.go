package record

import (
	"slices"

	"musubi/trace/schedule"
)

// strand is a sequence of operations, by what its next one waits for.
type strand struct {
	started []uint32 // the start of these
	ended   []uint32 // the end of these
	count   int      // changes

	forked int // count of the strand that it comes from, when it came
	began  bool
}

// await lets the next operation wait for the end of one.
func (s *strand) await(op uint32) {
	s.count++
	s.started = slices.DeleteFunc(s.started, func(other uint32) bool { return other == op })
	s.ended = append(s.ended, op)
}

// follow enters what an operation waits for, and lets the next one wait for it: for its start, or, if
// it is a calculation, its end.
func (s *strand) follow(edges []schedule.Edge, op uint32, calculation bool) []schedule.Edge {
	for _, before := range s.ended {
		edges = append(edges, schedule.Edge{From: before, To: op})
	}
	for _, before := range s.started {
		edges = append(edges, schedule.Edge{From: before, To: op, Start: true})
	}
	s.count++
	s.began = true
	s.started, s.ended = s.started[:0], s.ended[:0]
	if calculation {
		s.ended = append(s.ended, op)
	} else {
		s.started = append(s.started, op)
	}
	return edges
}

// forkFrom lets a strand begin where another one is.
func (s *strand) forkFrom(other *strand) {
	s.started, s.ended = append(s.started[:0], other.started...), append(s.ended[:0], other.ended...)
	s.forked, s.began, s.count = other.count, false, 0
}

// join lets the next operation wait for all that one of another strand would wait for. If this strand
// is where the other one began, that is all.
func (s *strand) join(other *strand) {
	switch {
	case !other.began && other.count == 0:
		return
	case s.count == other.forked:
		s.started, s.ended = append(s.started[:0], other.started...), append(s.ended[:0], other.ended...)
	default:
		for _, op := range other.started {
			if !slices.Contains(s.started, op) {
				s.started = append(s.started, op)
			}
		}
		s.ended = append(s.ended, other.ended...)
	}
	s.count++
}

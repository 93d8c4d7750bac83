package queueplan

import (
	"math"
	"slices"

	"musubi/rma"
	"musubi/units"
)

// search finds which edges of an operation share an engine, so that the slowest engine
// takes the least time: by branch and bound, as exactly as a number of steps allows. That
// is scheduling on identical machines (Graham, 1969), but for the gates.
type search struct {
	costs  rma.QueueCosts
	queues int
	edges  []weighted // the heaviest first

	load   []units.Time // of each engine
	count  []int        // its edges
	at     []int        // engine of each edge
	steps  int
	time   units.Time // of the best assignment so far
	bestAt []int
	given  []int // queues of each engine there
}

type weighted struct {
	edge   int
	weight units.Time
}

// mostSteps is enough for all assignments of a dozen edges to four engines.
const mostSteps = 20_000

func (s *search) run(engines int) Share {
	s.load, s.count, s.at = make([]units.Time, engines), make([]int, engines), make([]int, len(s.edges))
	s.time = math.MaxInt64
	s.greedy()
	s.place(0)
	return s.share()
}

// greedy gives each edge to the engine with the least load, the longest first, which is never worse
// than 4/3 of the best (Graham, 1969). It is the result if there are too many edges for the search.
func (s *search) greedy() {
	for i := range s.edges {
		s.put(i, slices.Index(s.load, slices.Min(s.load)))
	}
	s.evaluate()
	clear(s.load)
	clear(s.count)
}

func (s *search) put(i, engine int) {
	s.at[i] = engine
	s.load[engine] += s.edges[i].weight
	s.count[engine]++
}

func (s *search) remove(i int) {
	engine := s.at[i]
	s.load[engine] -= s.edges[i].weight
	s.count[engine]--
}

// place tries all engines for edge i and those after it.
func (s *search) place(i int) {
	if s.steps++; s.steps > mostSteps {
		return
	}
	if i == len(s.edges) {
		s.evaluate()
		return
	}
	first := 0
	if i > 0 && s.edges[i].weight == s.edges[i-1].weight {
		first = s.at[i-1] // edges of the same weight are interchangeable
	}
	for engine := first; engine < len(s.load); engine++ {
		if s.load[engine]+s.edges[i].weight < s.time {
			s.put(i, engine)
			s.place(i + 1)
			s.remove(i)
		}
		if s.count[engine] == 0 {
			return // engines without edges are interchangeable
		}
	}
}

// evaluate gives a queue to each engine with edges, and then one by one to the slowest engine. It
// keeps the assignment if it is the best so far.
func (s *search) evaluate() {
	given, left := make([]int, len(s.load)), s.queues
	for engine, n := range s.count {
		if n > 0 {
			given[engine] = 1
			left--
		}
	}
	for ; left > 0; left-- {
		slowest := -1
		for engine := range given {
			if given[engine] < s.count[engine] && (slowest < 0 || s.engineTime(engine, given[engine]) > s.engineTime(slowest, given[slowest])) {
				slowest = engine
			}
		}
		given[slowest]++
	}
	var time units.Time
	for engine := range given {
		time = max(time, s.engineTime(engine, given[engine]))
	}
	if time < s.time {
		s.time, s.bestAt, s.given = time, slices.Clone(s.at), given
	}
}

// engineTime is how long an engine takes with its edges on a number of queues: each but one has one
// edge, and the last one the rest.
func (s *search) engineTime(engine, queues int) units.Time {
	t := s.load[engine]
	if more := s.count[engine] - queues; more > 0 {
		t += s.costs.Self + units.Time(more)*s.costs.Command
	}
	return t
}

// share gives the queues of each engine to its edges: the heaviest edges get a queue each, and the
// rest share one.
func (s *search) share() Share {
	result := Share{QueueOf: make([]int, len(s.edges)), Time: s.time}
	for engine, queues := range s.given {
		first, next := len(result.EngineOf), 0
		for range queues {
			result.EngineOf = append(result.EngineOf, engine)
		}
		for i, e := range s.edges {
			if s.bestAt[i] == engine {
				result.QueueOf[e.edge] = first + min(next, queues-1)
				next++
			}
		}
	}
	return result
}

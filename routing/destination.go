package routing

import (
	"math"

	"musubi/topology"
)

// label is a value that a switch tells its neighbours: it encodes how packets that are sent there
// go on. Lower labels are preferred.
type label int16

// joinFunc returns the label of the switch at the start of channel c if it sends all packets for a
// destination over c, given the label of the switch at the end of c. It returns false if packets
// may not go on like that.
type joinFunc func(c int32, next label) (label, bool)

// destinationGuide is a guide for fabrics that forward by destination alone. Its
// states are the switches. It grows a tree from the destination, nearest
// switches first. A switch may use any of the channels that it accepts, and its
// label is the highest that one of them gives it, so that the choice among them
// changes nothing for the switches behind it.
type destinationGuide struct {
	net  *topology.Network
	join joinFunc
	// goal is the label of the destination itself.
	goal label
	// A switch accepts the channels of the lowest label that it can have and all
	// that give it at most slack.
	slack label

	labels []label
	first  []int32 // per switch: where its moves begin
	count  []int32 // per switch: number of its moves
	moves  []move
}

func (g *destinationGuide) states() int         { return len(g.net.Switches) }
func (g *destinationGuide) source(sw int) int32 { return int32(sw) }

func (g *destinationGuide) fork() guide {
	return &destinationGuide{net: g.net, join: g.join, goal: g.goal, slack: g.slack}
}

func (g *destinationGuide) find(dst int, s *search, w *ways) {
	if n := g.states(); len(g.labels) != n {
		g.labels, g.first, g.count = make([]label, n), make([]int32, n), make([]int32, n)
	}
	s.reset(g)
	s.reach(int32(dst), 0)
	g.labels[dst], g.count[dst], g.moves = g.goal, 0, g.moves[:0]
	for i := 0; i < len(s.order); i++ {
		t := s.order[i]
		if i > 0 {
			g.accept(t, s)
		}
		if s.left > 0 {
			g.grow(t, s)
		}
	}
	s.trace(g, w, func(moves []move, x int32) []move {
		return append(moves, g.moves[g.first[x]:g.first[x]+g.count[x]]...)
	})
}

// grow reaches the switches behind t.
func (g *destinationGuide) grow(t int32, s *search) {
	for _, back := range g.net.Out(int(t)) {
		c := back ^ 1
		from := g.net.From(int(c)).Switch
		if s.dist[from] >= 0 {
			continue
		}
		if _, ok := g.join(c, g.labels[t]); ok {
			s.reach(int32(from), s.dist[t]+1)
		}
	}
}

// accept lists the channels that a switch may use and sets its label. The switches nearer to the
// destination have theirs.
func (g *destinationGuide) accept(sw int32, s *search) {
	limit := label(math.MaxInt16)
	g.candidates(sw, s, func(_ int32, l label) { limit = min(limit, l) })
	limit = max(limit, g.slack)
	g.labels[sw] = math.MinInt16
	g.first[sw] = int32(len(g.moves))
	g.candidates(sw, s, func(c int32, l label) {
		if l <= limit {
			g.labels[sw] = max(g.labels[sw], l)
			g.moves = append(g.moves, move{c, int32(g.net.To(int(c)).Switch)})
		}
	})
	g.count[sw] = int32(len(g.moves)) - g.first[sw]
}

// candidates calls f with the channels that lead a switch one hop nearer and the labels that they
// give it.
func (g *destinationGuide) candidates(sw int32, s *search, f func(c int32, l label)) {
	for _, c := range g.net.Out(int(sw)) {
		t := g.net.To(int(c)).Switch
		if s.dist[t] != s.dist[sw]-1 {
			continue
		}
		if l, ok := g.join(c, g.labels[t]); ok {
			f(c, l)
		}
	}
}

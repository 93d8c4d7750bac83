package ways

import (
	"math"

	"musubi/topology"
)

// Label is a value that a switch tells its neighbours: it encodes how packets that are sent there
// go on. Lower labels are preferred.
type Label int16

// JoinFunc returns the label of the switch at the start of channel c if it sends all packets for a
// destination over c, given the label of the switch at the end of c. It returns false if packets
// may not go on like that.
type JoinFunc func(c int32, next Label) (Label, bool)

// DestinationGuide is a guide for fabrics that forward by destination alone. Its
// states are the switches. It grows a tree from the destination, nearest
// switches first. A switch may use any of the channels that it accepts, and its
// label is the highest that one of them gives it, so that the choice among them
// changes nothing for the switches behind it.
type DestinationGuide struct {
	Net  *topology.Network
	Join JoinFunc
	// goal is the label of the destination itself.
	Goal Label
	// A switch accepts the channels of the lowest label that it can have and all
	// that give it at most slack.
	Slack Label

	labels []Label
	first  []int32 // per switch: where its moves begin
	count  []int32 // per switch: number of its moves
	moves  []Move
}

func (g *DestinationGuide) States() int         { return len(g.Net.Switches) }
func (g *DestinationGuide) Source(sw int) int32 { return int32(sw) }

func (g *DestinationGuide) Fork() Guide {
	return &DestinationGuide{Net: g.Net, Join: g.Join, Goal: g.Goal, Slack: g.Slack}
}

func (g *DestinationGuide) Find(dst int, s *Search, w *Ways) {
	if n := g.States(); len(g.labels) != n {
		g.labels, g.first, g.count = make([]Label, n), make([]int32, n), make([]int32, n)
	}
	s.Reset(g)
	s.reach(int32(dst), 0)
	g.labels[dst], g.count[dst], g.moves = g.Goal, 0, g.moves[:0]
	for i := 0; i < len(s.Order); i++ {
		t := s.Order[i]
		if i > 0 {
			g.accept(t, s)
		}
		if s.left > 0 {
			g.grow(t, s)
		}
	}
	s.Trace(g, w, func(moves []Move, x int32) []Move {
		return append(moves, g.moves[g.first[x]:g.first[x]+g.count[x]]...)
	})
}

// grow reaches the switches behind t.
func (g *DestinationGuide) grow(t int32, s *Search) {
	for _, back := range g.Net.Out(int(t)) {
		c := back ^ 1
		from := g.Net.From(int(c)).Switch
		if s.Dist[from] >= 0 {
			continue
		}
		if _, ok := g.Join(c, g.labels[t]); ok {
			s.reach(int32(from), s.Dist[t]+1)
		}
	}
}

// accept lists the channels that a switch may use and sets its label. The switches nearer to the
// destination have theirs.
func (g *DestinationGuide) accept(sw int32, s *Search) {
	limit := Label(math.MaxInt16)
	g.candidates(sw, s, func(_ int32, l Label) { limit = min(limit, l) })
	limit = max(limit, g.Slack)
	g.labels[sw] = math.MinInt16
	g.first[sw] = int32(len(g.moves))
	g.candidates(sw, s, func(c int32, l Label) {
		if l <= limit {
			g.labels[sw] = max(g.labels[sw], l)
			g.moves = append(g.moves, Move{c, int32(g.Net.To(int(c)).Switch)})
		}
	})
	g.count[sw] = int32(len(g.moves)) - g.first[sw]
}

// candidates calls f with the channels that lead a switch one hop nearer and the labels that they
// give it.
func (g *DestinationGuide) candidates(sw int32, s *Search, f func(c int32, l Label)) {
	for _, c := range g.Net.Out(int(sw)) {
		t := g.Net.To(int(c)).Switch
		if s.Dist[t] != s.Dist[sw]-1 {
			continue
		}
		if l, ok := g.Join(c, g.labels[t]); ok {
			f(c, l)
		}
	}
}

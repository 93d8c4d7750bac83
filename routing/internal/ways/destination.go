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

	out    []Move  // of all switches, in their order: the channels out of them, and the switches that these lead to
	outs   []int32 // per switch: its first in out; at the end len(out)
	labels []Label
	given  []Label // of a switch, by the channels that it may use
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
		g.listOut()
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

// listOut sets out and outs: to look at the network takes longer.
func (g *DestinationGuide) listOut() {
	g.out, g.outs = g.out[:0], append(g.outs[:0], 0)
	for sw := range g.Net.Switches {
		for _, c := range g.Net.Out(sw) {
			g.out = append(g.out, Move{c, int32(g.Net.To(int(c)).Switch)})
		}
		g.outs = append(g.outs, int32(len(g.out)))
	}
}

// outOf returns the channels out of a switch.
func (g *DestinationGuide) outOf(sw int32) []Move { return g.out[g.outs[sw]:g.outs[sw+1]] }

// grow reaches the switches behind t.
func (g *DestinationGuide) grow(t int32, s *Search) {
	for _, back := range g.outOf(t) {
		if s.Dist[back.To] >= 0 {
			continue
		}
		if _, ok := g.Join(back.Channel^1, g.labels[t]); ok {
			s.reach(back.To, s.Dist[t]+1)
		}
	}
}

// accept lists the channels that a switch may use and sets its label. The switches nearer to the
// destination have theirs.
func (g *DestinationGuide) accept(sw int32, s *Search) {
	begin, limit := len(g.moves), Label(math.MaxInt16)
	g.given = g.given[:0]
	for _, m := range g.outOf(sw) {
		if s.Dist[m.To] != s.Dist[sw]-1 {
			continue
		}
		if l, ok := g.Join(m.Channel, g.labels[m.To]); ok {
			limit = min(limit, l)
			g.moves, g.given = append(g.moves, m), append(g.given, l)
		}
	}
	limit = max(limit, g.Slack)
	highest, kept := Label(math.MinInt16), g.moves[:begin]
	for i, l := range g.given {
		if l <= limit {
			highest = max(highest, l)
			kept = append(kept, g.moves[begin+i])
		}
	}
	g.moves, g.labels[sw] = kept, highest
	g.first[sw], g.count[sw] = int32(begin), int32(len(kept)-begin)
}

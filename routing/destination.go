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
}

func (g *destinationGuide) states() int         { return len(g.net.Switches) }
func (g *destinationGuide) source(sw int) int32 { return int32(sw) }

func (g *destinationGuide) find(dst int, w *ways) {
	n := len(g.net.Switches)
	w.reset(n)
	if len(g.labels) != n {
		g.labels = make([]label, n)
	}
	w.reach(int32(dst), 0)
	g.labels[dst] = g.goal
	for i := 0; i < len(w.order); i++ {
		t := w.order[i]
		if i > 0 {
			g.accept(t, w)
		}
		for _, back := range g.net.Out(int(t)) {
			c := back ^ 1
			s := g.net.From(int(c)).Switch
			if w.dist[s] >= 0 {
				continue
			}
			if _, ok := g.join(c, g.labels[t]); ok {
				w.reach(int32(s), w.dist[t]+1)
			}
		}
	}
}

// accept lists the channels that switch s may use and sets its label. The
// switches nearer to the destination have theirs.
func (g *destinationGuide) accept(s int32, w *ways) {
	limit := label(math.MaxInt16)
	g.candidates(s, w, func(_ int32, l label) { limit = min(limit, l) })
	limit = max(limit, g.slack)
	g.labels[s] = math.MinInt16
	w.begin(s)
	g.candidates(s, w, func(c int32, l label) {
		if l <= limit {
			g.labels[s] = max(g.labels[s], l)
			w.add(s, c, int32(g.net.To(int(c)).Switch))
		}
	})
}

// candidates calls f with the channels that lead s one hop nearer and the labels
// that they give it.
func (g *destinationGuide) candidates(s int32, w *ways, f func(c int32, l label)) {
	for _, c := range g.net.Out(int(s)) {
		t := g.net.To(int(c)).Switch
		if w.dist[t] != w.dist[s]-1 {
			continue
		}
		if l, ok := g.join(c, g.labels[t]); ok {
			f(c, l)
		}
	}
}

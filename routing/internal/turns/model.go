package turns

import (
	"math/bits"

	"musubi/routing/internal/order"
	"musubi/routing/internal/tree"
	"musubi/routing/internal/ways"
	"musubi/topology"
)

// Model is a set of forbidden turns at each switch.
type Model struct {
	tree      *tree.Tree
	net       *topology.Network
	dir       []direction // per channel
	forbidden []Set       // per switch
}

// New forbids the same turns at all switches.
func New(t *tree.Tree, forbidden *Set) *Model {
	m := &Model{tree: t, net: t.Net, dir: make([]direction, t.Net.Channels()), forbidden: make([]Set, len(t.Level))}
	for c := range m.dir {
		m.dir[c] = directionOf(t, c)
	}
	for s := range m.forbidden {
		m.forbidden[s] = *forbidden
	}
	return m
}

// directionOf returns the direction of a channel in a drawing of the tree.
func directionOf(t *tree.Tree, c int) direction {
	from, to := t.Net.From(c).Switch, t.Net.To(c).Switch
	leftwards := t.Pre[to] < t.Pre[from]
	switch rise := t.Level[from] - t.Level[to]; {
	case leftwards && rise > 0:
		return LeftUp
	case leftwards && rise < 0:
		return LeftDown
	case leftwards:
		return Left
	case rise > 0:
		return RightUp
	case rise < 0:
		return RightDown
	default:
		return Right
	}
}

// allows reports whether a packet may take channel out after channel in.
func (m *Model) allows(in, out int32) bool {
	return out != in^1 && !m.forbidden[m.net.From(int(out)).Switch][m.dir[in]].has(m.dir[out])
}

// ReleaseRedundant allows, switch by switch, each forbidden turn that closes no
// cycle of channels given all turns that are allowed by then.
func (m *Model) ReleaseRedundant() {
	g := order.NewChannelOrder(order.NewTurnNumbers(m.net))
	for in := range int32(m.net.Channels()) {
		for _, out := range m.net.Out(m.net.To(int(in)).Switch) {
			if m.allows(in, out) && !g.Add(in, out) {
				panic("routing: the turns of a turn model close a cycle")
			}
		}
	}
	for s := range m.forbidden {
		for from := range NumDirections {
			for to := range NumDirections {
				if m.forbidden[s][from].has(to) && m.release(g, s, from, to) {
					m.forbidden[s][from] &^= Of(to)
				}
			}
		}
	}
}

// release adds the turns from one direction to another at switch s to g. If they
// close a cycle it leaves g as it was and returns false.
func (m *Model) release(g *order.ChannelOrder, s int, from, to direction) bool {
	g.Begin()
	for _, back := range m.net.Out(s) {
		in := back ^ 1
		if m.dir[in] != from {
			continue
		}
		for _, out := range m.net.Out(s) {
			if m.dir[out] == to && out != in^1 && !g.Add(in, out) {
				g.RollBack()
				return false
			}
		}
	}
	return true
}

// Automaton allows the turns of the model. Its states are the channel that a
// packet has come by and, numbered after them, the source switches.
func (m *Model) Automaton() *ways.Automaton {
	channels, switches := m.net.Channels(), len(m.net.Switches)
	at := make([]int32, channels+switches)
	entry := make([]int32, switches)
	for c := range channels {
		at[c] = int32(m.net.To(c).Switch)
	}
	for s := range switches {
		at[channels+s] = int32(s)
		entry[s] = int32(channels + s)
	}
	return ways.NewAutomaton(switches, at, entry, func(list []ways.Move, x int32) []ways.Move {
		for _, out := range m.net.Out(int(at[x])) {
			if int(x) >= channels || m.allows(x, out) {
				list = append(list, ways.Move{Channel: out, To: out})
			}
		}
		return list
	})
}

// DestinationGuide labels a switch with the directions from which packets may not come, given the
// direction in which it sends them, so that directions with the same consequences share a label.
// Labels that forbid less are lower.
//
// Labels that forbid left-up are for leaves of the tree alone. So no switch is
// left without a way: the ancestors of the destination can go down the tree,
// and then every switch can follow its parent.
func (m *Model) DestinationGuide() ways.Guide {
	parents := m.tree.Inner()
	return &ways.DestinationGuide{Net: m.net, Join: func(c int32, next ways.Label) (ways.Label, bool) {
		from := m.net.From(int(c)).Switch
		shut := m.shut(from, m.dir[c])
		if parents[from] && shut.has(LeftUp) || Directions(next&(1<<NumDirections-1)).has(m.dir[c]) {
			return 0, false
		}
		return ways.Label(bits.OnesCount8(uint8(shut)))<<NumDirections | ways.Label(shut), true
	}}
}

// shut returns the directions from which no packet may turn to out at switch s.
func (m *Model) shut(s int, out direction) Directions {
	var shut Directions
	for in := range NumDirections {
		if m.forbidden[s][in].has(out) {
			shut |= Of(in)
		}
	}
	return shut
}

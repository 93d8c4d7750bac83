package routing

import (
	"math/bits"

	"musubi/topology"
)

// turnModel is a set of forbidden turns at each switch.
type turnModel struct {
	tree      *tree
	net       *topology.Network
	dir       []direction // per channel
	forbidden []turnSet   // per switch
}

func newTurnModel(t *tree, forbidden *turnSet) *turnModel {
	m := &turnModel{tree: t, net: t.net, dir: make([]direction, t.net.Channels()), forbidden: make([]turnSet, len(t.level))}
	for c := range m.dir {
		m.dir[c] = t.direction(c)
	}
	for s := range m.forbidden {
		m.forbidden[s] = *forbidden
	}
	return m
}

// direction returns the direction of a channel.
func (t *tree) direction(c int) direction {
	from, to := t.net.From(c).Switch, t.net.To(c).Switch
	leftwards := t.pre[to] < t.pre[from]
	switch rise := t.level[from] - t.level[to]; {
	case leftwards && rise > 0:
		return leftUp
	case leftwards && rise < 0:
		return leftDown
	case leftwards:
		return left
	case rise > 0:
		return rightUp
	case rise < 0:
		return rightDown
	default:
		return right
	}
}

// allows reports whether a packet may take channel out after channel in.
func (m *turnModel) allows(in, out int32) bool {
	return out != in^1 && !m.forbidden[m.net.From(int(out)).Switch][m.dir[in]].has(m.dir[out])
}

// releaseRedundant allows, switch by switch, each forbidden turn that closes no
// cycle of channels given all turns that are allowed by then.
func (m *turnModel) releaseRedundant() {
	g := newChannelOrder(newTurnNumbers(m.net))
	for in := range int32(m.net.Channels()) {
		for _, out := range m.net.Out(m.net.To(int(in)).Switch) {
			if m.allows(in, out) && !g.add(in, out) {
				panic("routing: the turns of a turn model close a cycle")
			}
		}
	}
	for s := range m.forbidden {
		for from := range directions {
			for to := range directions {
				if m.forbidden[s][from].has(to) && m.release(g, s, from, to) {
					m.forbidden[s][from] &^= setOf(to)
				}
			}
		}
	}
}

// release adds the turns from one direction to another at switch s to g. If they
// close a cycle it leaves g as it was and returns false.
func (m *turnModel) release(g *channelOrder, s int, from, to direction) bool {
	g.begin()
	for _, back := range m.net.Out(s) {
		in := back ^ 1
		if m.dir[in] != from {
			continue
		}
		for _, out := range m.net.Out(s) {
			if m.dir[out] == to && out != in^1 && !g.add(in, out) {
				g.rollBack()
				return false
			}
		}
	}
	return true
}

// automaton allows the turns of the model. Its states are the channel that a
// packet has come by and, numbered after them, the source switches.
func (m *turnModel) automaton() *automaton {
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
	return newAutomaton(switches, at, entry, func(list []move, x int32) []move {
		for _, out := range m.net.Out(int(at[x])) {
			if int(x) >= channels || m.allows(x, out) {
				list = append(list, move{out, out})
			}
		}
		return list
	})
}

// destinationGuide labels a switch with the directions from which packets may not come, given the
// direction in which it sends them, so that directions with the same consequences share a label.
// Labels that forbid less are lower.
//
// Labels that forbid left-up are for leaves of the tree alone. So no switch is
// left without a way: the ancestors of the destination can go down the tree,
// and then every switch can follow its parent.
func (m *turnModel) destinationGuide() guide {
	parents := m.tree.inner()
	return &destinationGuide{net: m.net, join: func(c int32, next label) (label, bool) {
		from := m.net.From(int(c)).Switch
		shut := m.shut(from, m.dir[c])
		if parents[from] && shut.has(leftUp) || directionSet(next&(1<<directions-1)).has(m.dir[c]) {
			return 0, false
		}
		return label(bits.OnesCount8(uint8(shut)))<<directions | label(shut), true
	}}
}

// shut returns the directions from which no packet may turn to out at switch s.
func (m *turnModel) shut(s int, out direction) directionSet {
	var shut directionSet
	for in := range directions {
		if m.forbidden[s][in].has(out) {
			shut |= setOf(in)
		}
	}
	return shut
}

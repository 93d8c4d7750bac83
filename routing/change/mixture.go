package change

import (
	"musubi/topology"
)

// choice says which tables a switch looks packets up in.
type choice uint8

const (
	useOld choice = 1 << iota
	useNew
	useBoth = useOld | useNew
)

// mixture is switches of which each uses its old tables, its new ones, or both by turns, while
// sources use their old service levels and their new ones.
type mixture struct {
	side  [2]*Forwarding // old and new
	at    []choice       // per switch
	gone  []bool         // per channel
	lost  topology.Loss
	plain bool // lanes are the levels, everywhere

	// move sends a destination's packets on a level of their own, instead of all others.
	move map[int]int

	epoch int32
	seen  []int32 // per state: the epoch of the last walk that came by
	stack []state
}

// state is a packet on a channel.
type state struct {
	v     int32 // vertex
	level int
}

// newMixture makes a mixture in which all switches use both tables.
func newMixture(old, new *Forwarding, loss topology.Loss) *mixture {
	m := &mixture{
		side: [2]*Forwarding{old, new}, at: make([]choice, len(old.Net.Switches)), gone: make([]bool, old.Net.Channels()),
		lost: loss, plain: old.lane.plain && new.lane.plain,
	}
	for s := range m.at {
		m.at[s] = useBoth
	}
	for c := range m.gone {
		m.gone[c] = loss.Link(old.Net, c>>1)
	}
	states := vertices(old.Net)
	if !m.plain {
		states *= numLevels
	}
	m.seen = make([]int32, states)
	return m
}

// walk calls f with each dependency of the packets to a destination, once or more often, until it returns
// false. It returns false then.
func (m *mixture) walk(d int, f func(from, to int32) bool) bool {
	to := m.side[0].Destinations[d]
	if to.EndPoint < 0 || m.lost.Switches[to.Switch] {
		return true
	}
	m.epoch++
	m.stack = m.stack[:0]
	for s := range m.at {
		if m.lost.Switches[s] {
			continue
		}
		m.levels(d, s).each(func(level int) {
			m.side[0].lane.entries(s, func(in topology.Port) {
				m.leave(d, in, level, func(v int32) { m.visit(v, level) })
			})
		})
	}
	for len(m.stack) > 0 {
		x := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		ok := true
		m.leave(d, m.side[0].Net.To(int(x.v/numLevels)), x.level, func(v int32) {
			if ok = ok && f(x.v, v); ok {
				m.visit(v, x.level)
			}
		})
		if !ok {
			return false
		}
	}
	return true
}

// levels returns the service levels of packets from a switch to a destination.
func (m *mixture) levels(d, s int) levelSet {
	set := m.side[0].lane.at(m.side[0].Destinations[d], s)
	if m.side[0] != m.side[1] {
		set |= m.side[1].lane.at(m.side[1].Destinations[d], s)
	}
	if level, moved := m.move[d]; moved && set != 0 {
		return 1 << level
	}
	return set
}

// leave calls f with the channels of lanes by which packets of a level leave a switch.
func (m *mixture) leave(d int, in topology.Port, level int, f func(v int32)) {
	for i, side := range m.side {
		c := side.next[d][in.Switch]
		if m.at[in.Switch]&(1<<i) == 0 || c < 0 || m.gone[c] {
			continue
		}
		if m.plain {
			f(vertex(c, level))
			continue
		}
		for k, lanes := range m.side {
			if m.at[in.Switch]&(1<<k) != 0 {
				f(lanes.lane.onto(in, c, level))
			}
		}
	}
}

func (m *mixture) visit(v int32, level int) {
	i := int(v)
	if !m.plain {
		i = i*numLevels + level
	}
	if m.seen[i] != m.epoch {
		m.seen[i] = m.epoch
		m.stack = append(m.stack, state{v, level})
	}
}

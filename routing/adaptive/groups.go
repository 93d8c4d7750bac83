package adaptive

import (
	"slices"

	"musubi/topology"
)

// inGroups is the ways of a dragonfly: on virtual channel 0 to the group of the destination, the
// shortest way, and on 1 there. All switches of a group are neighbours, so a way has at most one hop in
// a group before and after the one between groups, and no cycle closes. There may be shorter ways, over
// two links between groups, which are not taken. Where links of a group are missing, ways have more hops in it.
type inGroups struct{ toGroups }

func (g *inGroups) vcs() int { return 2 }

func (g *inGroups) hops(list []Hop, sw, to int) []Hop {
	if group := g.net.Groups[to]; g.net.Groups[sw] != group {
		return g.toGroups.hops(list, sw, int(group))
	}
	left := g.near.between(sw, to)
	for _, c := range g.net.Out(sw) {
		if next := g.net.To(int(c)).Switch; next == to || left > 1 && g.near.between(next, to) == left-1 {
			list = append(list, Hop{c, 1})
		}
	}
	return list
}

// length is negative if no link joins the groups.
func (g *inGroups) length(sw, to int) int {
	hops, at := g.way(sw, int(g.net.Groups[to]))
	if hops < 0 {
		return hops
	}
	return hops + g.near.between(at, to)
}

// groupsOf returns the ways of a dragonfly, nil if a network is none, or lacks links without which packets would
// not arrive, or close a cycle. Two groups without a link between them are no obstacle to packets that
// take detours.
func groupsOf(c *common, detours bool) *inGroups {
	if c.net.Groups == nil {
		return nil
	}
	g := &inGroups{*newToGroups(c)}
	if !g.near.whole || !detours && !g.joined() || detours && !g.joinedByDetours() || len(g.near.hops) > 0 && !c.free(g) {
		return nil
	}
	return g
}

// toGroups is the shortest ways to all groups: over the group's own switches to one with a link
// there, on virtual channel 0 (Kim et al., ISCA 2008).
type toGroups struct {
	*common
	count int
	left  []int16 // by group, then by switch: hops to it, -1 if there is no way
	entry []int32 // likewise: where packets come to it
	near  near
}

func newToGroups(c *common) *toGroups {
	t := &toGroups{common: c, count: int(slices.Max(c.net.Groups)) + 1}
	n := len(c.net.Switches)
	t.left, t.entry = slices.Repeat([]int16{-1}, t.count*n), slices.Repeat([]int32{-1}, t.count*n)
	for group := range t.count {
		t.search(group)
	}
	t.near = nearIn(c.net)
	return t
}

// search finds the ways to a group: from switches with a link there, and then from their neighbours
// in their groups.
func (t *toGroups) search(group int) {
	n := len(t.net.Switches)
	left, entry := t.left[group*n:(group+1)*n], t.entry[group*n:(group+1)*n]
	var queue []int32
	for sw, g := range t.net.Groups {
		if int(g) == group {
			left[sw], entry[sw] = 0, int32(sw)
			queue = append(queue, int32(sw))
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, c := range t.net.Out(int(at)) {
			next := t.net.To(int(c)).Switch
			if inside := t.net.Groups[next] == t.net.Groups[at]; left[next] < 0 && inside == (left[at] > 0) {
				left[next], entry[next] = left[at]+1, entry[at]
				if left[at] == 0 {
					entry[next] = at
				}
				queue = append(queue, int32(next))
			}
		}
	}
}

// joined tells whether all switches have ways to all groups with switches.
func (t *toGroups) joined() bool {
	for sw := range t.net.Switches {
		for _, group := range t.net.Groups {
			if t.length(sw, int(group)) < 0 {
				return false
			}
		}
	}
	return true
}

// joinedByDetours tells the same if packets may go by way of a third group.
func (t *toGroups) joinedByDetours() bool {
	for sw := range t.net.Switches {
		for to, group := range t.net.Groups {
			if t.length(sw, int(group)) < 0 && t.by(sw, to) < 0 {
				return false
			}
		}
	}
	return true
}

// by returns a group by way of which packets get from one switch to another, -1 if there is none.
func (t *toGroups) by(sw, to int) int {
	for group := range t.count {
		if t.suits(sw, to, group) {
			return group
		}
	}
	return -1
}

func (t *toGroups) length(sw, group int) int   { return int(t.left[group*len(t.net.Switches)+sw]) }
func (t *toGroups) vcs() int                   { return 1 }
func (t *toGroups) places() int                { return t.count }
func (t *toGroups) reached(sw, group int) bool { return int(t.net.Groups[sw]) == group }
func (t *toGroups) way(sw, group int) (int, int) {
	i := group*len(t.net.Switches) + sw
	return int(t.left[i]), int(t.entry[i])
}

// suits is whether a packet between two groups would go to a third one. Inside a group there is the
// one hop between neighbours.
func (t *toGroups) suits(sw, to, group int) bool {
	from, goal := int(t.net.Groups[sw]), int(t.net.Groups[to])
	if from == goal || group == from || group == goal {
		return false
	}
	hops, at := t.way(sw, group)
	return hops > 0 && t.length(at, goal) > 0
}

func (t *toGroups) hops(list []Hop, sw, group int) []Hop {
	left := t.left[group*len(t.net.Switches):]
	for _, c := range t.net.Out(sw) {
		if next := t.net.To(int(c)).Switch; left[sw] > 0 && left[next] == left[sw]-1 && (left[sw] == 1 || t.net.Groups[next] == t.net.Groups[sw]) {
			list = append(list, Hop{c, 0})
		}
	}
	return list
}

// near is how far switches of a group are from each other within it.
type near struct {
	whole bool    // each group is in one part
	hops  []int16 // by destination, then by switch; none: all switches of a group are neighbours
	n     int
}

// nearIn measures the groups of a network.
func nearIn(net *topology.Network) near {
	m := near{whole: true, n: len(net.Switches)}
	size := make(map[int32]int)
	for _, group := range net.Groups {
		size[group]++
	}
	for sw, group := range net.Groups {
		beside := map[int]bool{}
		for _, c := range net.Out(sw) {
			if next := net.To(int(c)).Switch; net.Groups[next] == group {
				beside[next] = true
			}
		}
		if len(beside) != size[group]-1 {
			m.measure(net, size)
			break
		}
	}
	return m
}

// measure fills in hops.
func (m *near) measure(net *topology.Network, size map[int32]int) {
	m.hops = slices.Repeat([]int16{-1}, m.n*m.n)
	for to, group := range net.Groups {
		row := m.hops[to*m.n : (to+1)*m.n]
		row[to] = 0
		queue := []int{to}
		for head := 0; head < len(queue); head++ {
			for _, c := range net.Out(queue[head]) {
				if next := net.To(int(c)).Switch; net.Groups[next] == group && row[next] < 0 {
					row[next] = row[queue[head]] + 1
					queue = append(queue, next)
				}
			}
		}
		m.whole = m.whole && len(queue) == size[group]
	}
}

// between returns how many hops there are between two switches of a group.
func (m *near) between(sw, to int) int {
	switch {
	case sw == to:
		return 0
	case m.hops == nil:
		return 1
	}
	return int(m.hops[to*m.n+sw])
}

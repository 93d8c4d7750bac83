package adaptive

import "slices"

// inGroups is the ways of a dragonfly: on virtual channel 0 to the group of the destination, the
// shortest way, and on 1 there. All switches of a group are neighbours, so a way has at most one hop in
// a group before and after the one between groups, and no cycle closes. There may be shorter ways, over
// two links between groups, which are not taken.
type inGroups struct{ toGroups }

func (g *inGroups) vcs() int { return 2 }

func (g *inGroups) hops(list []Hop, sw, to int) []Hop {
	if group := g.net.Groups[to]; g.net.Groups[sw] != group {
		return g.toGroups.hops(list, sw, int(group))
	}
	for _, c := range g.net.Out(sw) {
		if g.net.To(int(c)).Switch == to {
			list = append(list, Hop{c, 1})
		}
	}
	return list
}

func (g *inGroups) length(sw, to int) int {
	hops, at := g.way(sw, int(g.net.Groups[to]))
	if at != to {
		hops++
	}
	return hops
}

// toGroups is the shortest ways to all groups: over the group's own switches to one with a link
// there, on virtual channel 0 (Kim et al., ISCA 2008).
type toGroups struct {
	*common
	count int
	left  []int16 // by group, then by switch: hops to it
	entry []int32 // likewise: where packets come to it
}

func newToGroups(c *common) *toGroups {
	t := &toGroups{common: c, count: int(slices.Max(c.net.Groups)) + 1}
	n := len(c.net.Switches)
	t.left, t.entry = slices.Repeat([]int16{-1}, t.count*n), slices.Repeat([]int32{-1}, t.count*n)
	for group := range t.count {
		t.search(group)
	}
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
	for hops := int16(1); hops <= 2; hops++ {
		for _, at := range queue {
			for _, c := range t.net.Out(int(at)) {
				next := t.net.To(int(c)).Switch
				if inside := t.net.Groups[next] == t.net.Groups[at]; left[next] < 0 && inside == (hops == 2) {
					left[next], entry[next] = hops, entry[at]
					queue = append(queue, int32(next))
				}
			}
		}
	}
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
	return from != goal && group != from && group != goal
}

func (t *toGroups) hops(list []Hop, sw, group int) []Hop {
	left := t.left[group*len(t.net.Switches):]
	for _, c := range t.net.Out(sw) {
		if next := t.net.To(int(c)).Switch; left[next] == left[sw]-1 && (left[sw] == 1 || t.net.Groups[next] == t.net.Groups[sw]) {
			list = append(list, Hop{c, 0})
		}
	}
	return list
}

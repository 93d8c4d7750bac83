package multicast

import (
	"slices"

	"musubi/topology"
)

// Tables are the entries of all switches by group: the ports of each switch, ascending. A switch without an
// entry is not in the map.
type Tables struct {
	Net    *topology.Network
	Groups map[uint16]map[int][]int
}

// Group is what is found out about one group.
type Group struct {
	MLID     uint16
	Switches int     // that have an entry
	Cables   int     // whose both ends have the group, with those of end points
	Members  []int32 // end points with the group on their port
	Parts    int     // of switches with members that have no way to each other; 1 is right
	Loop     []int   // links of a circle, nil if there is none
	OneSided []topology.Port
	NoLink   []topology.Port // ports of entries without a cable
}

// OK reports whether all members reach each other, and nothing else happens to packets.
func (g *Group) OK() bool {
	return g.Parts <= 1 && g.Loop == nil && len(g.OneSided) == 0 && len(g.NoLink) == 0
}

// Check examines all groups, in the order of their LIDs.
func (t *Tables) Check() []Group {
	var groups []Group
	for mlid, entries := range t.Groups {
		groups = append(groups, t.check(mlid, entries))
	}
	slices.SortFunc(groups, func(a, b Group) int { return int(a.MLID) - int(b.MLID) })
	return groups
}

// check examines the entries of one group.
func (t *Tables) check(mlid uint16, entries map[int][]int) Group {
	g := Group{MLID: mlid, Switches: len(entries)}
	forest := newForest(len(t.Net.Switches))
	used := make(map[topology.Port]bool) // ports of cables
	var tree []int                       // links of the forest
	for i, l := range t.Net.Links {
		a, b := slices.Contains(entries[l.A.Switch], l.A.Number), slices.Contains(entries[l.B.Switch], l.B.Number)
		used[l.A], used[l.B] = true, true
		switch {
		case a && b && forest.join(l.A.Switch, l.B.Switch):
			g.Cables++
			tree = append(tree, i)
		case a && b:
			g.Cables++
			if g.Loop == nil {
				g.Loop = append(t.way(tree, l.A.Switch, l.B.Switch), i)
			}
		case a:
			g.OneSided = append(g.OneSided, l.A)
		case b:
			g.OneSided = append(g.OneSided, l.B)
		}
	}
	parts := make(map[int]bool)
	for e, p := range t.Net.EndPoints {
		used[p.At] = true
		if slices.Contains(entries[p.At.Switch], p.At.Number) {
			g.Cables++
			g.Members = append(g.Members, int32(e))
			parts[forest.root(p.At.Switch)] = true
		}
	}
	g.Parts = len(parts)
	for sw, ports := range entries {
		for _, port := range ports {
			if at := (topology.Port{Switch: sw, Number: port}); port != 0 && !used[at] {
				g.NoLink = append(g.NoLink, at)
			}
		}
	}
	slices.SortFunc(g.NoLink, func(a, b topology.Port) int { return (a.Switch-b.Switch)<<16 + a.Number - b.Number })
	return g
}

// way returns the links of a forest that lead from one switch to another.
func (t *Tables) way(forest []int, from, to int) []int {
	before := map[int]int{from: -1} // by switch: link
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, i := range forest {
			l := t.Net.Links[i]
			for _, ends := range [][2]int{{l.A.Switch, l.B.Switch}, {l.B.Switch, l.A.Switch}} {
				if _, seen := before[ends[1]]; ends[0] == queue[0] && !seen {
					before[ends[1]] = i
					queue = append(queue, ends[1])
				}
			}
		}
	}
	var way []int
	for at := to; at != from; {
		i := before[at]
		way = append(way, i)
		if l := t.Net.Links[i]; l.A.Switch == at {
			at = l.B.Switch
		} else {
			at = l.A.Switch
		}
	}
	return way
}

// forest is a set of trees of switches.
type forest []int

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = i
	}
	return f
}

func (f forest) root(s int) int {
	for f[s] != s {
		f[s] = f[f[s]]
		s = f[s]
	}
	return s
}

// join joins two trees; false if they are one.
func (f forest) join(a, b int) bool {
	a, b = f.root(a), f.root(b)
	f[a] = b
	return a != b
}

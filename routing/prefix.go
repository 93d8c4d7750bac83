package routing

import (
	"slices"

	"musubi/routing/internal/tree"
	"musubi/routing/internal/ways"
	"musubi/topology"
)

var prefixRouting = Algorithm{
	Name:    "prefix",
	Summary: "Prefix routing over the links of a spanning tree",
	Source:  "Wu, Sheng, 1999",
	keepsVC: true,
	onTree:  true,
	build:   buildPrefix,
}

// buildPrefix is Prefix routing (Wu, Sheng: "Deadlock-Free Routing in Irregular
// Networks Using Prefix Routing", 1999) over the links of the spanning tree
// alone, as the RHiNET-2 cluster ran it.
func buildPrefix(net *topology.Network, opt Options) (*Routes, error) {
	return buildPrefixOver(net, opt, false)
}

var prefixShortcutRouting = Algorithm{
	Name:    "prefix-shortcut",
	Summary: "Prefix routing with the other links as shortcuts",
	Source:  "Wu, Sheng, 1999",
	keepsVC: true,
	onTree:  true,
	build:   buildPrefixShortcut,
}

// buildPrefixShortcut is Prefix routing over all links: links outside the tree
// serve as shortcuts to an ancestor of the destination.
func buildPrefixShortcut(net *topology.Network, opt Options) (*Routes, error) {
	return buildPrefixOver(net, opt, true)
}

func buildPrefixOver(net *topology.Network, opt Options, shortcuts bool) (*Routes, error) {
	t, err := spanningTree(net, opt)
	if err != nil {
		return nil, err
	}
	p := &plan{net: net, opt: opt, guide: &prefixGuide{tree: t, shortcuts: shortcuts}}
	if err := p.spareLanes(1); err != nil {
		return nil, err
	}
	return p.build()
}

// prefixGuide implements Prefix routing. A switch's label is that of its parent
// with one letter more, so a label is a prefix of another one if and only if its
// switch is an ancestor of the other's. A packet goes to the neighbour whose
// label is the longest prefix of the destination's, and to the parent if there
// is none.
//
// A packet goes up tree links, then over at most one other link, then down tree
// links, so no cycle can close. What a switch does depends on the destination
// alone; a choice exists only among parallel links.
type prefixGuide struct {
	tree      *tree.Tree
	shortcuts bool // consider neighbours that are not joined by a tree link

	next []int32 // per switch: the neighbour that packets go to
}

func (g *prefixGuide) States() int         { return len(g.tree.Net.Switches) }
func (g *prefixGuide) Source(sw int) int32 { return int32(sw) }

func (g *prefixGuide) Fork() ways.Guide { return &prefixGuide{tree: g.tree, shortcuts: g.shortcuts} }

func (g *prefixGuide) Find(dst int, s *ways.Search, w *ways.Ways) {
	t := g.tree
	s.Reset(g)
	g.next = append(g.next[:0], t.Parent...)
	for _, sw := range t.Order {
		if int(sw) != dst {
			g.shorten(sw, int32(dst))
		}
	}
	g.measure(dst, s)
	s.Trace(g, w, func(moves []ways.Move, sw int32) []ways.Move {
		if int(sw) == dst {
			return moves
		}
		for _, c := range t.Net.Out(int(sw)) {
			if u := int32(t.Net.To(int(c)).Switch); u == g.next[sw] {
				moves = append(moves, ways.Move{Channel: c, To: u})
			}
		}
		return moves
	})
}

// shorten sets next[s] to the neighbour with the longest prefix, if any.
func (g *prefixGuide) shorten(s, dst int32) {
	t := g.tree
	deepest := int32(-1)
	for _, c := range t.Net.Out(int(s)) {
		u := int32(t.Net.To(int(c)).Switch)
		if t.Above(u, dst) && t.Level[u] > deepest && (g.shortcuts || t.Contains(int(c))) {
			g.next[s], deepest = u, t.Level[u]
		}
	}
}

// measure finds the distances that follow from next. Ancestors of the
// destination are as far as they are above it; any other switch is one hop behind
// an ancestor or behind its parent.
func (g *prefixGuide) measure(dst int, s *ways.Search) {
	t := g.tree
	for _, sw := range t.Order {
		if t.Above(sw, int32(dst)) {
			s.Dist[sw] = t.Level[dst] - t.Level[sw]
		}
	}
	for _, sw := range t.Order {
		if !t.Above(sw, int32(dst)) {
			s.Dist[sw] = s.Dist[g.next[sw]] + 1
		}
	}
	s.Order = append(s.Order, t.Order...)
	slices.SortStableFunc(s.Order, func(a, b int32) int { return int(s.Dist[a] - s.Dist[b]) })
}

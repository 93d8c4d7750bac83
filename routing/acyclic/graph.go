// Package acyclic grows directed graphs that are kept free of cycles.
//
// A Graph maintains a topological order and repairs it when an edge goes against it, searching only
// between the ranks of the two ends (after Marchetti-Spaccamela, Nanni, Rohnert: "Maintaining a
// Topological Order under Edge Insertions", Information Processing Letters 1996, but from both
// ends).
package acyclic

import "slices"

// Graph is a growing graph without cycles. Its vertices are numbered from 0.
type Graph struct {
	after [][]int32 // per vertex: its successors
	prior [][]int32
	added []Edge  // since Begin
	rank  []int32 // per vertex: its place in the topological order
	at    []int32 // per place: the vertex

	// Of the present search:
	met           []side // per vertex
	ahead, behind []int32
	last          []int32
}

// Edge leads from one vertex to another.
type Edge struct{ From, To int32 }

// side is the end from which a search has reached a vertex.
type side uint8

const (
	notMet side = iota
	metAhead
	metBehind
)

// New returns a graph of n vertices without edges.
func New(n int) *Graph {
	g := &Graph{
		after: make([][]int32, n), prior: make([][]int32, n),
		rank: make([]int32, n), at: make([]int32, n), met: make([]side, n),
	}
	for v := range g.rank {
		g.rank[v], g.at[v] = int32(v), int32(v)
	}
	return g
}

// Clone copies a graph. RollBack of the copy returns to the present state.
func (g *Graph) Clone() *Graph {
	c := New(len(g.after))
	for v := range g.after {
		c.after[v], c.prior[v] = slices.Clone(g.after[v]), slices.Clone(g.prior[v])
	}
	copy(c.rank, g.rank)
	copy(c.at, g.at)
	return c
}

// Has reports whether an edge is in the graph. It searches the successors of from.
func (g *Graph) Has(from, to int32) bool { return slices.Contains(g.after[from], to) }

// After returns the successors of a vertex. The caller must not change them.
func (g *Graph) After(v int32) []int32 { return g.after[v] }

// Rank returns the place of a vertex in the present topological order.
func (g *Graph) Rank(v int32) int32 { return g.rank[v] }

// Begin marks the state to which RollBack returns.
func (g *Graph) Begin() { g.added = g.added[:0] }

// Added lists the edges added since Begin. They are valid until the next call.
func (g *Graph) Added() []Edge { return g.added }

// RollBack removes the edges added since Begin. The order stays valid.
func (g *Graph) RollBack() { g.RollBackTo(0) }

// RollBackTo removes all edges added since Begin but the first n. The order stays valid.
func (g *Graph) RollBackTo(n int) {
	for _, e := range slices.Backward(g.added[n:]) {
		g.after[e.From] = g.after[e.From][:len(g.after[e.From])-1]
		g.prior[e.To] = g.prior[e.To][:len(g.prior[e.To])-1]
	}
	g.added = g.added[:n]
}

// Add adds an edge that is not in the graph. If that closes a cycle it changes nothing and returns
// false.
func (g *Graph) Add(from, to int32) bool {
	if from == to || g.rank[from] > g.rank[to] && !g.reorder(from, to) {
		return false
	}
	g.after[from] = append(g.after[from], to)
	g.prior[to] = append(g.prior[to], from)
	g.added = append(g.added, Edge{from, to})
	return true
}

// reorder makes in precede out, unless in follows from out.
func (g *Graph) reorder(in, out int32) bool {
	low, high := g.rank[out], g.rank[in]
	exhausted := g.search(in, out)
	if exhausted != notMet {
		g.part(g.at[low:high+1], low, exhausted)
	}
	for _, c := range g.ahead {
		g.met[c] = notMet
	}
	for _, c := range g.behind {
		g.met[c] = notMet
	}
	return exhausted != notMet
}

// search looks, among the vertices ranked between out and in, for those that follow out and those
// that lead to in. It alternates between the two sides, so that it soon finds where they meet: then
// it returns notMet. Otherwise it returns the side that is complete first.
func (g *Graph) search(in, out int32) side {
	g.ahead = append(g.ahead[:0], out)
	g.behind = append(g.behind[:0], in)
	g.met[out], g.met[in] = metAhead, metBehind
	low, high := g.rank[out], g.rank[in]
	for i := 0; ; i++ {
		if i == len(g.ahead) {
			return metAhead
		}
		for _, c := range g.after[g.ahead[i]] {
			if g.met[c] == metBehind {
				return notMet
			}
			if g.met[c] == notMet && g.rank[c] < high {
				g.met[c] = metAhead
				g.ahead = append(g.ahead, c)
			}
		}
		if i == len(g.behind) {
			return metBehind
		}
		for _, c := range g.prior[g.behind[i]] {
			if g.met[c] == metAhead {
				return notMet
			}
			if g.met[c] == notMet && g.rank[c] > low {
				g.met[c] = metBehind
				g.behind = append(g.behind, c)
			}
		}
	}
}

// part reorders a stretch of the order, which begins at rank low: vertices that follow out move to
// its end, or vertices that lead to in move to its beginning, whichever side is complete. Nothing
// else changes its relative order.
func (g *Graph) part(stretch []int32, low int32, complete side) {
	g.last = g.last[:0]
	n := 0
	for _, c := range stretch {
		if (g.met[c] == complete) == (complete == metAhead) {
			g.last = append(g.last, c)
		} else {
			stretch[n] = c
			n++
		}
	}
	copy(stretch[n:], g.last)
	for i, c := range stretch {
		g.rank[c] = low + int32(i)
	}
}

package routing

import (
	"slices"

	"musubi/topology"
)

// tree is a breadth-first spanning tree. The parent of a switch is the lowest
// numbered of its neighbours on the level above. Switches that the root cannot
// reach have level -1. With several roots it is a forest, of which levels alone have a meaning.
type tree struct {
	net    *topology.Network
	root   int
	order  []int32 // switches, parents before children
	level  []int32
	parent []int32 // -1 at the root
	// Preorder numbers, children visited by switch number. The subtree of s has
	// the numbers pre[s] to last[s].
	pre, last []int32
}

func newTree(net *topology.Network, root int, more ...int) *tree {
	n := len(net.Switches)
	t := &tree{net: net, root: root, level: make([]int32, n), parent: make([]int32, n), pre: make([]int32, n), last: make([]int32, n)}
	for s := range n {
		t.level[s], t.parent[s] = -1, -1
	}
	for _, r := range append([]int{root}, more...) {
		if t.level[r] < 0 {
			t.level[r] = 0
			t.order = append(t.order, int32(r))
		}
	}
	for i := 0; i < len(t.order); i++ {
		t.visit(t.order[i])
	}
	t.number()
	return t
}

// visit gives the neighbours of s their level and parent.
func (t *tree) visit(s int32) {
	for _, c := range t.net.Out(int(s)) {
		u := t.net.To(int(c)).Switch
		if t.level[u] < 0 {
			t.level[u] = t.level[s] + 1
			t.order = append(t.order, int32(u))
			t.parent[u] = s
		} else if t.level[u] == t.level[s]+1 && s < t.parent[u] {
			t.parent[u] = s
		}
	}
}

// number assigns preorder numbers. A subtree's size gives the number of the next
// sibling, so no recursion is needed.
func (t *tree) number() {
	size := make([]int32, len(t.level))
	for _, s := range slices.Backward(t.order) {
		size[s]++
		if p := t.parent[s]; p >= 0 {
			size[p] += size[s]
		}
	}
	children := make([][]int32, len(t.level))
	for s, p := range t.parent {
		if p >= 0 {
			children[p] = append(children[p], int32(s))
		}
	}
	for _, s := range t.order {
		t.last[s] = t.pre[s] + size[s] - 1
		next := t.pre[s] + 1
		for _, u := range children[s] {
			t.pre[u] = next
			next += size[u]
		}
	}
}

// up reports whether channel c leads to its up end: the end nearer to the root,
// and the lower switch number between equals.
func (t *tree) up(c int) bool {
	from, to := t.net.From(c).Switch, t.net.To(c).Switch
	if t.level[from] != t.level[to] {
		return t.level[to] < t.level[from]
	}
	return to < from
}

// contains reports whether channel c joins a switch and its parent. All of
// several parallel links count.
func (t *tree) contains(c int) bool {
	from, to := int32(t.net.From(c).Switch), int32(t.net.To(c).Switch)
	return t.parent[from] == to || t.parent[to] == from
}

// inner returns, per switch, whether it is the parent of another one.
func (t *tree) inner() []bool {
	inner := make([]bool, len(t.parent))
	for _, p := range t.parent {
		if p >= 0 {
			inner[p] = true
		}
	}
	return inner
}

// above reports whether switch s is an ancestor of u or u itself.
func (t *tree) above(s, u int32) bool { return t.pre[s] <= t.pre[u] && t.pre[u] <= t.last[s] }

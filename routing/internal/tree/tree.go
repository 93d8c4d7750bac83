package tree

import (
	"slices"

	"musubi/topology"
)

// Tree is a breadth-first spanning tree. The parent of a switch is the lowest
// numbered of its neighbours on the level above. Switches that the root cannot
// reach have level -1. With several roots it is a forest, of which levels alone have a meaning.
type Tree struct {
	Net    *topology.Network
	Root   int
	Order  []int32 // switches, parents before children
	Level  []int32
	Parent []int32 // -1 at the root
	// Preorder numbers, children visited by switch number. The subtree of s has
	// the numbers pre[s] to last[s].
	Pre, last []int32
}

// New makes a tree with a root, or a forest with several.
func New(net *topology.Network, root int, more ...int) *Tree {
	n := len(net.Switches)
	t := &Tree{Net: net, Root: root, Level: make([]int32, n), Parent: make([]int32, n), Pre: make([]int32, n), last: make([]int32, n)}
	for s := range n {
		t.Level[s], t.Parent[s] = -1, -1
	}
	for _, r := range append([]int{root}, more...) {
		if t.Level[r] < 0 {
			t.Level[r] = 0
			t.Order = append(t.Order, int32(r))
		}
	}
	for i := 0; i < len(t.Order); i++ {
		t.visit(t.Order[i])
	}
	t.number()
	return t
}

// visit gives the neighbours of s their level and parent.
func (t *Tree) visit(s int32) {
	for _, c := range t.Net.Out(int(s)) {
		u := t.Net.To(int(c)).Switch
		if t.Level[u] < 0 {
			t.Level[u] = t.Level[s] + 1
			t.Order = append(t.Order, int32(u))
			t.Parent[u] = s
		} else if t.Level[u] == t.Level[s]+1 && s < t.Parent[u] {
			t.Parent[u] = s
		}
	}
}

// number assigns preorder numbers. A subtree's size gives the number of the next
// sibling, so no recursion is needed.
func (t *Tree) number() {
	size := make([]int32, len(t.Level))
	for _, s := range slices.Backward(t.Order) {
		size[s]++
		if p := t.Parent[s]; p >= 0 {
			size[p] += size[s]
		}
	}
	children := make([][]int32, len(t.Level))
	for s, p := range t.Parent {
		if p >= 0 {
			children[p] = append(children[p], int32(s))
		}
	}
	for _, s := range t.Order {
		t.last[s] = t.Pre[s] + size[s] - 1
		next := t.Pre[s] + 1
		for _, u := range children[s] {
			t.Pre[u] = next
			next += size[u]
		}
	}
}

// Up reports whether channel c leads to its up end: the end nearer to the root,
// and the lower switch number between equals.
func (t *Tree) Up(c int) bool {
	from, to := t.Net.From(c).Switch, t.Net.To(c).Switch
	if t.Level[from] != t.Level[to] {
		return t.Level[to] < t.Level[from]
	}
	return to < from
}

// Contains reports whether channel c joins a switch and its parent. All of
// several parallel links count.
func (t *Tree) Contains(c int) bool {
	from, to := int32(t.Net.From(c).Switch), int32(t.Net.To(c).Switch)
	return t.Parent[from] == to || t.Parent[to] == from
}

// Inner returns, per switch, whether it is the parent of another one.
func (t *Tree) Inner() []bool {
	inner := make([]bool, len(t.Parent))
	for _, p := range t.Parent {
		if p >= 0 {
			inner[p] = true
		}
	}
	return inner
}

// Above reports whether switch s is an ancestor of u or u itself.
func (t *Tree) Above(s, u int32) bool { return t.Pre[s] <= t.Pre[u] && t.Pre[u] <= t.last[s] }

package nccl

import "fmt"

// layout says which ranks are in which node: those of a scale-up domain, in their order.
type layout struct {
	nodes [][]int
	node  []int // of each rank
	local []int // position of each rank in its node
}

// newLayout returns the layout of ranks whose nodes are numbered; nil: each rank is a node. It fails if nodes
// have different numbers of ranks.
func newLayout(ranks int, nodeOf func(int) int) (*layout, error) {
	l := &layout{node: make([]int, ranks), local: make([]int, ranks)}
	number := map[int]int{}
	for r := range ranks {
		id := r
		if nodeOf != nil {
			id = nodeOf(r)
		}
		i, known := number[id]
		if !known {
			i = len(l.nodes)
			number[id] = i
			l.nodes = append(l.nodes, nil)
		}
		l.node[r], l.local[r] = i, len(l.nodes[i])
		l.nodes[i] = append(l.nodes[i], r)
	}
	for _, n := range l.nodes {
		if len(n) != len(l.nodes[0]) {
			return nil, fmt.Errorf("scale-up domains have %d and %d ranks; expected as many in each", len(l.nodes[0]), len(n))
		}
	}
	return l, nil
}

func (l *layout) ranks() int { return len(l.node) }

// each returns the number of ranks in a node.
func (l *layout) each() int { return len(l.nodes[0]) }

// together reports whether two ranks are in one node.
func (l *layout) together(a, b int) bool { return l.node[a] == l.node[b] }

package nccl

import (
	"math/bits"

	"musubi/units"
)

// position is a place in a tree: -1 for a parent or child that there is not.
type position struct {
	parent   int
	children [2]int
	place    int // among the children of its parent
}

// binaryTree returns the place of i among n in NCCL's binary tree, in which every other one is a leaf: the
// lowest set bit of a number is its level.
func binaryTree(i, n int) position {
	p := position{parent: -1, children: [2]int{-1, -1}}
	if i == 0 {
		if n > 1 {
			p.children[1] = 1 << (bits.Len(uint(n-1)) - 1)
		}
		return p
	}
	low := i & -i
	p.parent = (i ^ low) | low<<1
	if p.parent >= n {
		p.parent = i ^ low
	}
	if p.parent > i {
		p.place = 0
	} else {
		p.place = 1
	}
	if low > 1 {
		p.children[0] = i - low/2
		for d := low / 2; d > 0; d /= 2 {
			if i+d < n {
				p.children[1] = i + d
				break
			}
		}
	}
	return p
}

// doubleTree returns the place of i among n in the first or second of two trees, in which inner nodes of one
// are leaves of the other: the mirror image for even n, and shifted by one for odd.
func doubleTree(second bool, i, n int) position {
	if !second {
		return binaryTree(i, n)
	}
	to := func(j int) int { return n - 1 - j }
	back := to
	if n%2 == 1 {
		to, back = func(j int) int { return (j + n - 1) % n }, func(j int) int { return (j + 1) % n }
	}
	p := binaryTree(to(i), n)
	for _, other := range []*int{&p.parent, &p.children[0], &p.children[1]} {
		if *other >= 0 {
			*other = back(*other)
		}
	}
	return p
}

// Connections of a channel's trees: from the next of the chain inside a node, from the children in the order of
// their places, and from above.
const (
	fromChain = iota
	fromChild // and the next
	fromAbove = fromChild + 2
)

// tree makes the programs of double binary trees between nodes, with a chain inside each: up to reduce, and down
// to broadcast.
func (a *algorithm) tree() (all []program) {
	for c := range a.channels {
		k := a.each()
		chain := a.nodes[a.node[a.rank]]
		at := (a.local[a.rank] - c%k + k) % k // position in the chain; the first has the place in the tree
		chained := func(i int) int { return chain[(c+i)%k] }
		up, down := blank(), blank()
		if at+1 < k {
			up.receive = append(up.receive, source{chained(at + 1), connectionsOf*c + fromChain})
			down.send = append(down.send, target{chained(at + 1), connectionsOf*c + fromAbove})
		}
		root := false
		if at > 0 {
			up.send = []target{{chained(at - 1), connectionsOf*c + fromChain}}
			down.receive = []source{{chained(at - 1), connectionsOf*c + fromAbove}}
		} else {
			root = a.between(c, c%k, c, &up, &down)
		}
		all = append(all, a.upAndDown(c, root, up, down)...)
	}
	return all
}

// between adds the links of a double tree between nodes to steps, for the rank with a number in its node. It
// reports whether the rank is the root of the tree.
func (a *algorithm) between(channel, local, connection int, up, down *step) (root bool) {
	n := len(a.nodes)
	p := doubleTree(channel%2 == 1, a.node[a.rank], n)
	at := func(node int) int { return a.nodes[node][local] }
	for i, child := range p.children {
		if child >= 0 {
			up.receive = append(up.receive, source{at(child), connectionsOf*connection + fromChild + i})
			down.send = append(down.send, target{at(child), connectionsOf*connection + fromAbove})
		}
	}
	if p.parent < 0 {
		return true
	}
	up.send = []target{{at(p.parent), connectionsOf*connection + fromChild + p.place}}
	down.receive = []source{{at(p.parent), connectionsOf*connection + fromAbove}}
	return false
}

// upAndDown makes the two programs of a channel; the root sends down what has come up.
func (a *algorithm) upAndDown(channel int, root bool, up, down step) []program {
	at, m := part(a.bytes, channel, a.channels)
	return a.passes(at, m, root, up, down)
}

// passes makes the programs for a part of the buffer.
func (a *algorithm) passes(at, m int, root bool, up, down step) []program {
	var ups, downs program
	if root {
		up.send = down.send
	}
	up.delay, down.delay = a.longestHop(&up), a.longestHop(&down)
	pieces(at, m, a.chunk, func(at, m int) {
		u, d := up, down
		u.into, u.from, u.bytes, u.reduce = at, at, m, true
		d.into, d.from, d.bytes = at, at, m
		ups = append(ups, u)
		if !root {
			downs = append(downs, d)
		}
	})
	return []program{ups, downs}
}

// longestHop returns what the slowest of the messages of a step takes.
func (a *algorithm) longestHop(s *step) (most units.Time) {
	for _, t := range s.send {
		most = max(most, a.hop(a.rank, t.rank))
	}
	return most
}

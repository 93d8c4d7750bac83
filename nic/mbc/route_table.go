package mbc

import "fmt"

// Route is where a virtual node is, and the way there.
type Route struct {
	End   int      // end point of the network
	Steps []uint16 // an element for each switch
}

// RouteTable is the table of an interface that says where virtual nodes are. It holds a
// number of entries; a request to a node that is not there misses, and waits until the
// operating system has filled the entry, while requests to other nodes go on. R is what
// the caller knows about a request.
//
// Requests to one node leave in the order in which they came. So there are two rules: who
// misses goes behind others that wait for that node; and when a node is somewhere else than
// before, because the process has moved, what comes later waits until all that went the old
// way is acknowledged.
//
// A program should number its virtual nodes from 0 on.
type RouteTable[R any] struct {
	slots []int // virtual node of each entry; none
	nodes []virtualNode[R]
}

// virtualNode is what is known about a virtual node.
type virtualNode[R any] struct {
	route   Route
	valid   bool   // the entry is there
	last    int    // end point that it had when it was used last
	flying  uint32 // accesses that are not acknowledged
	waiting []R
	taken   int // of waiting, that have gone
}

// NewRouteTable returns an empty table with room for so many entries; where a virtual node
// can stand is its number modulo this. It panics if there is none.
func NewRouteTable[R any](entries int) *RouteTable[R] {
	if entries < 1 {
		panic(fmt.Sprintf("mbc: route table of %d entries; expected at least 1", entries))
	}
	t := &RouteTable[R]{slots: make([]int, entries)}
	for i := range t.slots {
		t.slots[i] = none
	}
	return t
}

func (t *RouteTable[R]) node(node uint16) *virtualNode[R] {
	for int(node) >= len(t.nodes) {
		t.nodes = append(t.nodes, virtualNode[R]{})
	}
	return &t.nodes[node]
}

// Lookup returns the route to a virtual node for a request, which may leave at once. If it
// is not ok, the request must Wait.
func (t *RouteTable[R]) Lookup(node uint16) (r Route, ok bool) {
	v := t.node(node)
	if !v.open() || v.waits() {
		return Route{}, false
	}
	return v.route, true
}

// open reports whether something may be sent.
func (v *virtualNode[R]) open() bool {
	return v.valid && (v.flying == 0 || v.last == v.route.End)
}

func (v *virtualNode[R]) waits() bool { return v.taken < len(v.waiting) }

// Wait lets a request wait for its turn. It reports whether the operating system is to be
// asked for the entry: it is not there, and nobody has waited for it.
func (t *RouteTable[R]) Wait(node uint16, request R) (miss bool) {
	v := t.node(node)
	miss = !v.valid && !v.waits()
	if v.taken > len(v.waiting)/2 {
		v.waiting = append(v.waiting[:0], v.waiting[v.taken:]...)
		v.taken = 0
	}
	v.waiting = append(v.waiting, request)
	return miss
}

// Fill puts a route into the table, and drops what has stood at its place. The caller then
// takes with Next what can leave. A dropped entry for which requests wait is missed again:
// dropped says for which node the operating system is to be asked, none if it is -1.
func (t *RouteTable[R]) Fill(node uint16, route Route) (dropped int) {
	dropped = none
	slot := &t.slots[int(node)%len(t.slots)]
	if *slot != none && *slot != int(node) {
		old := &t.nodes[*slot]
		old.valid = false
		if old.waits() {
			dropped = *slot
		}
	}
	*slot = int(node)
	v := t.node(node)
	v.route, v.valid = route, true
	return dropped
}

// Invalidate drops the entry of a virtual node, as it is stale. It reports whether the
// operating system is to be asked for a new one at once, as requests wait.
func (t *RouteTable[R]) Invalidate(node uint16) (miss bool) {
	v := t.node(node)
	if !v.valid {
		return false
	}
	v.valid = false
	t.slots[int(node)%len(t.slots)] = none
	return v.waits()
}

// Rehome says that the process which sends has moved itself. All entries are stale, and what
// has been sent from its old place counts as sent on an old way. It appends to a list the
// virtual nodes for which the operating system is to be asked at once, as requests wait.
func (t *RouteTable[R]) Rehome(misses []uint16) []uint16 {
	for i := range t.nodes {
		if t.Invalidate(uint16(i)) {
			misses = append(misses, uint16(i))
		}
		t.nodes[i].last = none
	}
	return misses
}

// Next takes the next request that has waited for a virtual node and can leave now, with
// its route. The caller asks after Fill, and after Acked when that says so, until there is
// none; it calls Issued for those that will be acknowledged before it asks again.
func (t *RouteTable[R]) Next(node uint16) (request R, route Route, ok bool) {
	v := t.node(node)
	if !v.waits() || !v.open() {
		return request, Route{}, false
	}
	request = v.waiting[v.taken]
	var zero R
	v.waiting[v.taken] = zero // what it refers to can go
	v.taken++
	if !v.waits() {
		v.waiting, v.taken = v.waiting[:0], 0
	}
	return request, v.route, true
}

// Issued counts a request that has left and will be acknowledged.
func (t *RouteTable[R]) Issued(node uint16) {
	v := t.node(node)
	v.last = v.route.End
	v.flying++
}

// Acked says that a request is acknowledged. It reports whether the last of those that went
// an old way is, so that others which have waited for that can leave. It panics if none is
// under way.
func (t *RouteTable[R]) Acked(node uint16) (next bool) {
	v := t.node(node)
	if v.flying == 0 {
		panic(fmt.Sprintf("mbc: an acknowledgement of virtual node %d, to which nothing is under way", node))
	}
	v.flying--
	return v.waits() && v.open()
}

// Flying returns how many requests to a virtual node are not acknowledged.
func (t *RouteTable[R]) Flying(node uint16) int { return int(t.node(node).flying) }

// Waiting returns how many requests wait for a virtual node.
func (t *RouteTable[R]) Waiting(node uint16) int {
	v := t.node(node)
	return len(v.waiting) - v.taken
}

// none stands for no node.
const none = -1

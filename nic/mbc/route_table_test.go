package mbc

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// A request that misses waits, and later ones to the same node behind it; those to others
// go on.
func TestRouteTableMiss(t *testing.T) {
	table := NewRouteTable[string](4)
	table.Fill(2, Route{End: 5})
	if _, ok := table.Lookup(1); ok {
		t.Fatal("a table has a route that nobody has filled")
	}
	if !table.Wait(1, "first") || table.Wait(1, "second") {
		t.Error("expected the operating system to be asked for the first of two requests")
	}
	if route, ok := table.Lookup(2); !ok || route.End != 5 {
		t.Errorf("route to %d, %v; expected 5", route.End, ok)
	}
	if dropped := table.Fill(1, Route{End: 9}); dropped != none {
		t.Errorf("node %d dropped; there was room", dropped)
	}
	if _, ok := table.Lookup(1); ok {
		t.Error("a request overtakes those that wait")
	}
	for _, want := range []string{"first", "second"} {
		if got, route, ok := table.Next(1); !ok || got != want || route.End != 9 {
			t.Errorf("%q leaves to %d, %v; expected %q to 9", got, route.End, ok, want)
		}
	}
	if _, _, ok := table.Next(1); ok {
		t.Error("a third request leaves of two")
	}
	if route, ok := table.Lookup(1); !ok || route.End != 9 {
		t.Errorf("route to %d, %v; expected 9", route.End, ok)
	}
}

// Nodes with one place drive each other out. One that is driven out while requests wait is
// asked for again.
func TestRouteTableDrops(t *testing.T) {
	table := NewRouteTable[string](4)
	table.Fill(1, Route{End: 5})
	if dropped := table.Fill(5, Route{End: 6}); dropped != none {
		t.Errorf("node %d is asked for; expected none, as nobody waits", dropped)
	}
	if _, ok := table.Lookup(1); ok {
		t.Error("node 1 is still there")
	}
	table.Wait(1, "late")
	table.Issued(1)
	table.Fill(1, Route{End: 7}) // elsewhere, so that "late" waits for what is under way
	if dropped := table.Fill(5, Route{End: 6}); dropped != 1 {
		t.Errorf("node %d is asked for; expected 1, for which a request waits", dropped)
	}
}

// What goes a new way waits until all that went the old one is acknowledged; what goes the
// same way does not.
func TestRouteTableKeepsOrder(t *testing.T) {
	for _, test := range []struct {
		name  string
		moves func(*RouteTable[string])
		end   int
		waits bool
	}{
		{"the target has moved", func(r *RouteTable[string]) { r.Invalidate(1) }, 6, true},
		{"the entry was dropped", func(r *RouteTable[string]) { r.Invalidate(1) }, 5, false},
		{"the source has moved", func(r *RouteTable[string]) { r.Rehome(nil) }, 5, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			table := NewRouteTable[string](4)
			table.Fill(1, Route{End: 5})
			for range 2 {
				table.Issued(1)
			}
			test.moves(table)
			if !table.Wait(1, "late") {
				t.Error("expected the operating system to be asked")
			}
			table.Fill(1, Route{End: test.end})
			if _, _, ok := table.Next(1); ok == test.waits {
				t.Fatalf("the request leaves: %v; expected %v with 2 under way", ok, !test.waits)
			}
			if first, last := table.Acked(1), table.Acked(1); first || last != test.waits {
				t.Errorf("the request can leave: %v, %v; expected it after the second acknowledgement: %v", first, last, test.waits)
			}
			if _, _, ok := table.Next(1); ok != test.waits {
				t.Errorf("the request leaves: %v; expected %v with nothing under way", ok, test.waits)
			}
		})
	}
}

// naiveRoutes is a route table that remembers everything.
type naiveRoutes struct {
	table   *RouteTable[int]
	entries int
	place   map[int]int   // which node stands at a place
	end     map[int]int   // of nodes that are there
	waiting map[int][]int // requests
	flying  map[int][]int // ends to which requests are under way
	asked   map[int]int   // how often the operating system has been asked and has not answered
	left    map[int]int   // the last request that has left
	request int
}

func newNaiveRoutes(entries int) *naiveRoutes {
	return &naiveRoutes{
		table: NewRouteTable[int](entries), entries: entries,
		place: map[int]int{}, end: map[int]int{}, waiting: map[int][]int{}, flying: map[int][]int{}, asked: map[int]int{}, left: map[int]int{},
	}
}

// mayLeave reports whether a request to a node can leave: nothing is under way elsewhere.
func (n *naiveRoutes) mayLeave(node int) bool {
	end, there := n.end[node]
	for _, to := range n.flying[node] {
		if to != end {
			return false
		}
	}
	return there
}

// send lets a request leave, which must be in order.
func (n *naiveRoutes) send(node, request int, route Route) error {
	if !n.mayLeave(node) || route.End != n.end[node] || request < n.left[node] {
		return fmt.Errorf("request %d to node %d leaves to %d after %d, with %d under way", request, node, route.End, n.left[node], n.flying[node])
	}
	n.left[node] = request
	n.flying[node] = append(n.flying[node], route.End)
	n.table.Issued(uint16(node))
	return nil
}

func (n *naiveRoutes) ask(node int) { n.asked[node]++ }

func (n *naiveRoutes) add(node int) error {
	n.request++
	route, ok := n.table.Lookup(uint16(node))
	if want := n.mayLeave(node) && len(n.waiting[node]) == 0; ok != want {
		return fmt.Errorf("request %d to node %d can leave: %v; expected %v", n.request, node, ok, want)
	}
	if ok {
		return n.send(node, n.request, route)
	}
	if n.table.Wait(uint16(node), n.request) {
		n.ask(node)
	}
	n.waiting[node] = append(n.waiting[node], n.request)
	return nil
}

func (n *naiveRoutes) fill(node, end int) error {
	place := node % n.entries
	if old, there := n.place[place]; there && old != node {
		delete(n.end, old)
	}
	n.place[place], n.end[node] = node, end
	n.asked[node] = 0
	if dropped := n.table.Fill(uint16(node), Route{End: end}); dropped != none {
		n.ask(dropped)
	}
	return nil
}

// drain takes requests that can leave, up to a number.
func (n *naiveRoutes) drain(node, most int) error {
	for range most {
		request, route, ok := n.table.Next(uint16(node))
		if want := len(n.waiting[node]) > 0 && n.mayLeave(node); ok != want {
			return fmt.Errorf("a request to node %d that waits can leave: %v; expected %v", node, ok, want)
		}
		if !ok {
			return nil
		}
		first := n.waiting[node][0]
		n.waiting[node] = n.waiting[node][1:]
		if request != first {
			return fmt.Errorf("request %d to node %d leaves; expected %d", request, node, first)
		}
		if err := n.send(node, request, route); err != nil {
			return err
		}
	}
	return nil
}

func (n *naiveRoutes) ack(node, i int) error {
	n.flying[node] = append(n.flying[node][:i], n.flying[node][i+1:]...)
	next := n.table.Acked(uint16(node))
	if want := len(n.waiting[node]) > 0 && n.mayLeave(node); next != want {
		return fmt.Errorf("after an acknowledgement of node %d others can leave: %v; expected %v", node, next, want)
	}
	return nil
}

func (n *naiveRoutes) invalidate(node int) {
	if n.place[node%n.entries] == node {
		delete(n.place, node%n.entries)
	}
	delete(n.end, node)
	if n.table.Invalidate(uint16(node)) {
		n.ask(node)
	}
}

func (n *naiveRoutes) rehome() {
	clear(n.place)
	clear(n.end)
	for node := range n.flying {
		for i := range n.flying[node] {
			n.flying[node][i] = none
		}
	}
	for _, node := range n.table.Rehome(nil) {
		n.ask(int(node))
	}
}

// agree compares the counts; the operating system is asked once for each node that is not
// there and for which requests wait.
func (n *naiveRoutes) agree(nodes int) error {
	for node := range nodes {
		if got, want := n.table.Waiting(uint16(node)), len(n.waiting[node]); got != want {
			return fmt.Errorf("%d requests wait for node %d; expected %d", got, node, want)
		}
		if got, want := n.table.Flying(uint16(node)), len(n.flying[node]); got != want {
			return fmt.Errorf("%d requests to node %d are under way; expected %d", got, node, want)
		}
		want := 0
		if _, there := n.end[node]; !there && len(n.waiting[node]) > 0 {
			want = 1
		}
		if n.asked[node] != want {
			return fmt.Errorf("the operating system has been asked %d times for node %d; expected %d", n.asked[node], node, want)
		}
	}
	return nil
}

func TestRouteTableAgreesWithNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const nodes = 6
		n := newNaiveRoutes(rapid.IntRange(1, nodes).Draw(t, "entries"))
		for range rapid.IntRange(1, 300).Draw(t, "events") {
			node := rapid.IntRange(0, nodes-1).Draw(t, "node")
			var err error
			switch event := rapid.IntRange(0, 20).Draw(t, "event"); {
			case event < 9:
				err = n.add(node)
			case event < 13 && n.asked[node] > 0:
				err = n.fill(node, rapid.IntRange(0, 2).Draw(t, "end"))
			case event < 18 && len(n.flying[node]) > 0:
				err = n.ack(node, rapid.IntRange(0, len(n.flying[node])-1).Draw(t, "which"))
			case event == 19:
				n.invalidate(node)
			case event == 20:
				n.rehome()
			}
			if err == nil {
				err = n.drain(node, rapid.IntRange(0, 5).Draw(t, "leave"))
			}
			if err == nil {
				err = n.agree(nodes)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// The memory of a table follows how many requests wait at once, not how many have waited.
func TestRouteTableReusesMemory(t *testing.T) {
	table := NewRouteTable[int](4)
	table.Fill(1, Route{End: 5})
	table.Wait(1, 0)
	for i := range 1000 {
		table.Wait(1, i+1)
		if request, _, ok := table.Next(1); !ok || request != i {
			t.Fatalf("request %d leaves, %v; expected %d", request, ok, i)
		}
	}
	if most, got := 8, cap(table.node(1).waiting); got > most {
		t.Errorf("memory for %d requests, of which never more than 2 wait; expected at most %d", got, most)
	}
}

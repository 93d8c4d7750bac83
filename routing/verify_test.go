package routing_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/routing/internal/routetest"
	"musubi/topology"
)

// naive is a channel dependency graph made in the most obvious way: pair by
// pair, in maps.
type naive struct {
	makers      map[[2]routing.Hop]map[routing.Pair]bool
	channels    map[routing.Hop]bool
	unreachable int64
}

func newNaive(r *routing.Routes, include func(routing.Pair) bool) naive {
	n := naive{map[[2]routing.Hop]map[routing.Pair]bool{}, map[routing.Hop]bool{}, 0}
	for src := range r.Net.EndPoints {
		for dst := range r.Net.EndPoints {
			if src == dst || !include(routing.Pair{src, dst}) {
				continue
			}
			p, ok := r.Path(src, dst)
			if !ok {
				n.unreachable++
			}
			for i, h := range p {
				n.channels[h] = true
				if i > 0 {
					d := [2]routing.Hop{p[i-1], h}
					if n.makers[d] == nil {
						n.makers[d] = map[routing.Pair]bool{}
					}
					n.makers[d][routing.Pair{src, dst}] = true
				}
			}
		}
	}
	return n
}

// shortestCycle returns the length of a shortest cycle, or 0, by the algorithm of
// Floyd and Warshall.
func (n naive) shortestCycle() int {
	index := map[routing.Hop]int{}
	for h := range n.channels {
		index[h] = len(index)
	}
	const far = 1 << 30
	dist := make([][]int, len(index))
	for i := range dist {
		dist[i] = make([]int, len(index))
		for j := range dist[i] {
			dist[i][j] = far
		}
	}
	for d := range n.makers {
		dist[index[d[0]]][index[d[1]]] = 1
	}
	for k := range dist {
		for i := range dist {
			for j := range dist {
				dist[i][j] = min(dist[i][j], dist[i][k]+dist[k][j])
			}
		}
	}
	best := far
	for i := range dist {
		best = min(best, dist[i][i])
	}
	if best == far {
		return 0
	}
	return best
}

func everyPair(routing.Pair) bool { return true }

func TestVerifyAgreesWithNaiveVerifier(t *testing.T) {
	graphs := 500
	if *routing.Long {
		graphs = 8_000
	}
	cyclic, acyclic := 0, 0
	for seed := range uint64(graphs) {
		rng := rand.New(rand.NewPCG(seed, 1))
		net := nettest.Random(t, rng, 10)
		r := routetest.RandomMinimal(t, rng, net, 1+rng.IntN(2)*rng.IntN(3))
		if rng.IntN(4) == 0 {
			r = routetest.WithHoles(t, rng, r)
		}
		p := routing.Verify(r)
		n := newNaive(r, everyPair)
		if p.Channels != len(n.channels) || p.Dependencies != len(n.makers) {
			t.Fatalf("seed %d: graph of %d channels, %d dependencies; the naive one has %d, %d",
				seed, p.Channels, p.Dependencies, len(n.channels), len(n.makers))
		}
		if p.Unreachable != n.unreachable || p.Malformed != 0 {
			t.Fatalf("seed %d: %d pairs without path, the naive verifier has %d; malformed: %v",
				seed, p.Unreachable, n.unreachable, p.FirstMalformed)
		}
		if want := n.shortestCycle(); len(p.Cycle) != want {
			t.Fatalf("seed %d: shortest cycle has length %d, the naive one %d", seed, len(p.Cycle), want)
		}
		if p.DeadlockFree() {
			acyclic++
			continue
		}
		cyclic++
		checkCycle(t, seed, p.Cycle, n)
		checkClasses(t, seed, r, p)
		checkCycleAmongKind(t, seed, r, p)
	}
	if cyclic < graphs/20 || acyclic < graphs/20 {
		t.Errorf("%d cyclic and %d acyclic routings are a poor sample", cyclic, acyclic)
	}
}

// checkCycle checks that each dependency of the cycle is made by the pair named.
func checkCycle(t *testing.T, seed uint64, cycle []routing.Dependency, n naive) {
	t.Helper()
	for i, d := range cycle {
		next := cycle[(i+1)%len(cycle)].Hop
		if !n.makers[[2]routing.Hop{d.Hop, next}][d.By] {
			t.Fatalf("seed %d: the path of %v does not go from %v to %v", seed, d.By, d.Hop, next)
		}
		if i := slices.Index(d.Path, d.Hop); i < 0 || i+1 == len(d.Path) || d.Path[i+1] != next {
			t.Fatalf("seed %d: path %v does not go from %v to %v", seed, d.Path, d.Hop, next)
		}
	}
}

// checkCycleAmongKind compares a shortest cycle of the traffic among one kind of
// end points with that of the naive verifier.
func checkCycleAmongKind(t *testing.T, seed uint64, r *routing.Routes, p *routing.Proof) {
	t.Helper()
	k := topology.Kinds()[seed%3]
	n := newNaive(r, func(q routing.Pair) bool { return r.Net.KindOf(q.Src) == k && r.Net.KindOf(q.Dst) == k })
	cycle, want := p.CycleAmong([]topology.Kind{k}), n.shortestCycle()
	if len(cycle) != want {
		t.Fatalf("seed %d: cycle of %d channels among end points of kind %v, the naive one has %d", seed, len(cycle), k, want)
	}
	checkCycle(t, seed, cycle, n)
}

// checkClasses compares the sets of classes that close a cycle with what the
// naive verifier says about each set.
func checkClasses(t *testing.T, seed uint64, r *routing.Routes, p *routing.Proof) {
	t.Helper()
	closes := func(classes []routing.Class) bool {
		return newNaive(r, func(q routing.Pair) bool {
			for _, c := range classes {
				if c == (routing.Class{r.Net.KindOf(q.Src), r.Net.KindOf(q.Dst)}) {
					return true
				}
			}
			return false
		}).shortestCycle() > 0
	}
	if len(p.CycleClasses) == 0 {
		t.Fatalf("seed %d: a cycle, but no classes that close it", seed)
	}
	if safe := !closes([]routing.Class{{topology.Host, topology.Host}}); safe != p.HostsDeadlockFree() {
		t.Fatalf("seed %d: HostsDeadlockFree is %v, the naive verifier says %v", seed, !safe, safe)
	}
	for _, set := range p.CycleClasses {
		if !closes(set) {
			t.Fatalf("seed %d: classes %v close no cycle", seed, set)
		}
		for i := range set {
			less := append(append([]routing.Class(nil), set[:i]...), set[i+1:]...)
			if closes(less) {
				t.Fatalf("seed %d: classes %v close a cycle without %v", seed, set, set[i])
			}
		}
	}
}

func TestVerifyNamesTheCycleOfARing(t *testing.T) {
	net := nettest.Ring(t, 5, 1)
	p := routing.Verify(routetest.Clockwise(t, net, 1, func(_, _ int) int { return 0 }))
	if p.OK() || len(p.Cycle) != 5 {
		t.Fatalf("a ring with one virtual channel: OK %v, cycle %v", p.OK(), p.Cycle)
	}
	want := [][]routing.Class{{{topology.Host, topology.Host}}}
	if !reflect.DeepEqual(p.CycleClasses, want) {
		t.Errorf("classes %v close the cycle, want %v", p.CycleClasses, want)
	}

	dateline := func(src, at int) int {
		if at < src {
			return 1
		}
		return 0
	}
	if p := routing.Verify(routetest.Clockwise(t, net, 2, dateline)); !p.OK() || p.Channels != 8 {
		t.Errorf("a ring with a dateline: OK %v, %d channels used, want 8", p.OK(), p.Channels)
	}
}

func TestVerifyFindsTheClassThatClosesACycle(t *testing.T) {
	// Clockwise paths of two hops close the ring. Those from even switches are
	// taken by hosts, those from odd ones need an aggregation node.
	kinds := func(s int) []topology.Kind {
		return []topology.Kind{[]topology.Kind{topology.Host, topology.Aggregation}[s%2]}
	}
	net := nettest.New(t, 4, nettest.RingLinks(4), kinds)
	b, _ := routing.NewBuilder("test", net, 1)
	for src := range 4 {
		for hops := range 4 {
			b.Variants(src, (src+hops)%4, 1, 1)
			if hops == 3 {
				b.Add(routing.Path{routing.MakeHop(nettest.Channel(net, src, (src+3)%4), 0)}, 0)
				continue
			}
			var p routing.Path
			for i := range hops {
				p = append(p, routing.MakeHop(nettest.Channel(net, (src+i)%4, (src+i+1)%4), 0))
			}
			b.Add(p, 0)
		}
	}
	p := routing.Verify(b.Routes())
	want := [][]routing.Class{{{topology.Host, topology.Host}, {topology.Aggregation, topology.Aggregation}}}
	if !reflect.DeepEqual(p.CycleClasses, want) {
		t.Errorf("classes %v close the cycle, want %v", p.CycleClasses, want)
	}
	if p.DeadlockFree() || !p.HostsDeadlockFree() {
		t.Errorf("deadlock-free %v, among hosts %v; want false, true", p.DeadlockFree(), p.HostsDeadlockFree())
	}
}

func TestVerifyReportsUnsoundPaths(t *testing.T) {
	net := nettest.Ring(t, 4, 2)
	var (
		out  = routing.MakeHop(nettest.Channel(net, 0, 1), 0)
		back = routing.MakeHop(nettest.Channel(net, 1, 0), 0)
		on   = routing.MakeHop(nettest.Channel(net, 1, 2), 0)
		far  = routing.MakeHop(nettest.Channel(net, 2, 3), 0)
	)
	tests := []struct {
		name        string
		path        func(b *routing.Builder)
		unreachable int64
		message     string
	}{
		{"hole", func(b *routing.Builder) { b.AddHole() }, 4, ""},
		{"too short", func(b *routing.Builder) { b.Add(routing.Path{out}, 0) }, 0,
			"path from h0.0 to h2.0: it ends at switch s1; expected s2"},
		{"gap", func(b *routing.Builder) { b.Add(routing.Path{out, far}, 0) }, 0,
			"path from h0.0 to h2.0: hop 1 leaves from switch s2, but the path has come to switch s1"},
		{"virtual channel", func(b *routing.Builder) { b.Add(routing.Path{out, routing.MakeHop(on.Channel(), 7)}, 0) }, 0,
			"path from h0.0 to h2.0: hop 1 uses virtual channel 7; the routing has 0 to 0"},
		{"no such channel", func(b *routing.Builder) { b.Add(routing.Path{routing.MakeHop(99, 0)}, 0) }, 0,
			"path from h0.0 to h2.0: hop 0 uses channel 99; the network has channels 0 to 7"},
		{"channel twice", func(b *routing.Builder) {
			b.Add(routing.Path{out, back, out, on}, 0)
		}, 0, "path from h0.0 to h2.0: hop 2 leaves switch s0 by port 3 for the second time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, _ := routing.NewBuilder("test", net, 1)
			good := routetest.RandomMinimal(t, rand.New(rand.NewPCG(1, 1)), net, 1)
			for src := range 4 {
				for dst := range 4 {
					b.Variants(src, dst, 1, 1)
					if src == 0 && dst == 2 {
						tt.path(b)
						continue
					}
					p, _ := good.Path(2*src, 2*dst)
					b.Add(p, 0)
				}
			}
			p := routing.Verify(b.Routes())
			if p.OK() {
				t.Fatal("passed as sound")
			}
			if p.Unreachable != tt.unreachable {
				t.Errorf("%d pairs unreachable, want %d", p.Unreachable, tt.unreachable)
			}
			if tt.unreachable > 0 && p.FirstUnreachable != (routing.Pair{0, 4}) {
				t.Errorf("first unreachable pair %v, want {0 4}", p.FirstUnreachable)
			}
			if got := ""; tt.message != "" {
				if p.FirstMalformed != nil {
					got = p.FirstMalformed.Error()
				}
				if got != tt.message {
					t.Errorf("got %q\nwant %q", got, tt.message)
				}
			}
		})
	}
}

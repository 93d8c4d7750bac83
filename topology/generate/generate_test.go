package generate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"musubi/internal/nettest"
	"musubi/topology"
	"musubi/topology/generate"
)

// Closed formulae of the textbooks (Dally and Towles, Principles and Practices of
// Interconnection Networks, 2004, and the papers that the generators cite).
func TestGeneratorsAgreeWithFormulae(t *testing.T) {
	for _, c := range []struct {
		name                           string
		hosts                          int
		switches, links, ends          int
		minDegree, maxDegree, diameter int
	}{
		{"mesh:1", 5, 1, 0, 5, 0, 0, 0},
		{"mesh:4x4", 0, 16, 24, 16, 2, 4, 6},
		{"mesh:2x3x4", 2, 24, 46, 48, 3, 5, 6},
		{"torus:4x4", 4, 16, 32, 64, 4, 4, 4},
		{"torus:4x4x4", 0, 64, 192, 64, 6, 6, 6},
		{"torus:5x7", 0, 35, 70, 35, 4, 4, 5},
		{"torus:2x2", 0, 4, 4, 4, 2, 2, 2}, // one link where two would be parallel
		{"torus:3x1", 0, 3, 3, 3, 2, 2, 1},
		{"ring:1", 0, 1, 0, 1, 0, 0, 0},
		{"ring:2", 0, 2, 1, 2, 1, 1, 1},
		{"ring:16", 0, 16, 16, 16, 2, 2, 8},
		{"hypercube:0", 0, 1, 0, 1, 0, 0, 0},
		{"hypercube:6", 0, 64, 192, 64, 6, 6, 6},
		{"fattree:k=2", 0, 5, 4, 2, 1, 2, 4},
		{"fattree:k=4", 0, 20, 32, 16, 2, 4, 4},
		{"fattree:k=8", 0, 80, 256, 128, 4, 8, 4},
		{"fattree:k=8", 1, 80, 256, 32, 4, 8, 4},
		{"fattree:k=8,levels=2", 0, 12, 32, 32, 4, 8, 2},
		{"fattree:k=4,levels=4", 0, 56, 96, 32, 2, 4, 6},
		{"fattree:k=8,over=3", 0, 80, 256, 384, 4, 8, 4},
		{"rail:nodes=16", 0, 12, 128, 128, 16, 32, 2},
		{"rail:nodes=16,pod=4,over=2", 0, 34, 64, 128, 2, 32, 2},
		{"rail:nodes=6,rails=2,pod=4", 0, 6, 16, 12, 4, 8, 2},
		{"rail:nodes=4,rails=4,spines=1", 0, 5, 16, 16, 4, 16, 2},
		{"tree:arity=3,levels=1", 0, 1, 0, 3, 0, 0, 0},
		{"tree:arity=2,levels=3", 0, 7, 6, 8, 1, 3, 4},
		{"tree:arity=4,levels=3", 0, 21, 20, 64, 1, 5, 4},
		{"tree:arity=4,levels=3", 1, 21, 20, 16, 1, 5, 4},
		{"tree:arity=4,levels=5", 0, 341, 340, 1024, 1, 5, 8},
		{"dragonfly:a=4,h=2,p=2", 0, 36, 90, 72, 5, 5, 3},
		{"dragonfly:a=4,h=2,p=2", 1, 36, 90, 36, 5, 5, 3},
		{"dragonfly:a=4,h=2,p=2,g=5", 0, 20, 50, 40, 5, 5, 3},
		{"dragonfly:a=4,h=2,p=2,g=1", 0, 4, 6, 8, 3, 3, 1},
		{"dragonfly:a=4,h=0,p=2", 0, 4, 6, 8, 3, 3, 1},
		{"fullmesh:1", 3, 1, 0, 3, 0, 0, 0},
		{"fullmesh:8", 0, 8, 28, 8, 7, 7, 1},
		{"random:switches=16,degree=15,seed=3", 0, 16, 120, 16, 15, 15, 1},
		{"random:switches=16,degree=2", 0, 16, 16, 16, 2, 2, 8},
		{"tofu:2x2x2x2x3x2", 0, 96, 336, 96, 7, 7, 6},
		{"tofu:4x4x4x2x3x2", 0, 768, 3840, 768, 10, 10, 9}, // ten links, as in the K computer
	} {
		n := nettest.Generate(t, c.name, c.hosts)
		diameter, connected := n.Diameter()
		degrees := make([]int, len(n.Switches))
		for s := range degrees {
			degrees[s] = n.Degree(s)
		}
		got := fmt.Sprint(len(n.Switches), len(n.Links), n.Hosts(), slices.Min(degrees), slices.Max(degrees), diameter, connected)
		want := fmt.Sprint(c.switches, c.links, c.ends, c.minDegree, c.maxDegree, c.diameter, true)
		if got != want {
			t.Errorf("%s with %d hosts per switch: switches, links, hosts, degrees, diameter, connected are %s; want %s", c.name, c.hosts, got, want)
		}
	}
}

func TestHostsTakePortsAboveLinks(t *testing.T) {
	for _, g := range generate.All() {
		if g.Name == "rail" {
			continue // its nodes say how many hosts there are, and what they are called
		}
		few, many := nettest.Generate(t, g.Example, 1), nettest.Generate(t, g.Example, 3)
		if !slices.Equal(few.Links, many.Links) {
			t.Errorf("%s: ports of links depend on the number of hosts", g.Example)
		}
		for i, e := range many.EndPoints {
			if s := many.Switches[e.At.Switch]; e.At.Number <= s.Ports-3 {
				t.Errorf("%s: host %d is on port %d of %d", g.Example, i, e.At.Number, s.Ports)
			}
			if want := fmt.Sprintf("h%d", i); many.EndPointName(i) != want {
				t.Errorf("%s: host %d is called %s", g.Example, i, many.EndPointName(i))
			}
		}
	}
}

func TestGridLinksJoinNeighbours(t *testing.T) {
	for _, name := range []string{"mesh:3x4x2", "torus:3x4x2", "ring:5", "hypercube:4", "tofu:3x2x1x2x3x2"} {
		n := nettest.Generate(t, name, 0)
		for _, l := range n.Links {
			a, b := n.Shape.Coordinates(nil, l.A.Switch), n.Shape.Coordinates(nil, l.B.Switch)
			d := slices.IndexFunc(a, func(int) bool { return true })
			for d = range a {
				if a[d] != b[d] {
					break
				}
			}
			size := n.Shape.Dims[d]
			step := (b[d] - a[d] + size) % size
			a[d] = b[d]
			if !slices.Equal(a, b) || step != 1 && step != size-1 {
				t.Errorf("%s: link %v joins %v and %v", name, l, a, b)
			}
			if step == size-1 && size > 2 && !n.Shape.Wrap[d] {
				t.Errorf("%s: link %v wraps around dimension %d", name, l, d)
			}
			if up, down := l.A.Number, l.B.Number; n.Shape.Kind != "hypercube" && (min(up, down) != 2*d+1 || max(up, down) != 2*d+2) {
				t.Errorf("%s: link %v is not on the ports of dimension %d", name, l, d)
			}
		}
	}
}

// Every switch at the top of a fat tree reaches every edge switch in one way, so
// two edge switches of different pods have as many shortest paths as there are
// switches at the top.
func TestFatTreeHasFullBisection(t *testing.T) {
	for _, c := range []struct {
		name                   string
		edge, top, shortestLen int
	}{
		{"fattree:k=6", 18, 9, 4},
		{"fattree:k=6,levels=2", 6, 3, 2},
		{"fattree:k=4,levels=4", 16, 8, 6},
	} {
		n := nettest.Generate(t, c.name, 0)
		paths := make([]int, len(n.Switches))
		dist := n.Distances(0)
		order := make([]int, len(n.Switches))
		for s := range order {
			order[s] = s
		}
		slices.SortStableFunc(order, func(a, b int) int { return dist[a] - dist[b] })
		paths[0] = 1
		for _, s := range order {
			for _, ch := range n.Out(s) {
				if u := n.To(int(ch)).Switch; dist[u] == dist[s]+1 {
					paths[u] += paths[s]
				}
			}
		}
		if last := c.edge - 1; dist[last] != c.shortestLen || paths[last] != c.top {
			t.Errorf("%s: %d paths of %d links across pods; want %d of %d", c.name, paths[last], dist[last], c.top, c.shortestLen)
		}
	}
}

func TestDragonflyJoinsGroupsEvenly(t *testing.T) {
	for _, c := range []struct{ a, h, g, perPair int }{{4, 2, 9, 1}, {4, 2, 5, 2}, {4, 2, 4, 2}, {3, 1, 4, 1}, {2, 3, 3, 3}} {
		n := nettest.Generate(t, fmt.Sprintf("dragonfly:a=%d,h=%d,p=1,g=%d", c.a, c.h, c.g), 0)
		between := make(map[[2]int]int)
		for _, l := range n.Links {
			between[[2]int{l.A.Switch / c.a, l.B.Switch / c.a}]++
		}
		for i := range c.g {
			for j := i + 1; j < c.g; j++ {
				if got := between[[2]int{i, j}]; got != c.perPair {
					t.Errorf("%s: %d links between groups %d and %d; want %d", n.Name, got, i, j, c.perPair)
				}
			}
		}
	}
}

func TestRandomGraphsAreSimpleConnectedAndRegular(t *testing.T) {
	for switches := 1; switches <= 12; switches++ {
		for degree := range switches {
			name := fmt.Sprintf("random:switches=%d,degree=%d,seed=%d", switches, degree, switches+degree)
			n, err := generate.Network(name, 0)
			possible := switches*degree%2 == 0 && (degree > 1 || switches == degree+1)
			if (err == nil) != possible {
				t.Errorf("%s: error %v", name, err)
			}
			if err != nil {
				continue
			}
			if parts, _ := n.Components(); parts != 1 {
				t.Errorf("%s has %d parts", name, parts)
			}
			neighbours := make(map[[2]int]bool)
			for _, l := range n.Links {
				pair := [2]int{l.A.Switch, l.B.Switch}
				if pair[0] == pair[1] || neighbours[pair] {
					t.Errorf("%s: link %v is a loop or parallel to another", name, l)
				}
				neighbours[pair] = true
			}
			for s := range n.Switches {
				if n.Degree(s) != degree {
					t.Errorf("%s: switch %d has degree %d", name, s, n.Degree(s))
				}
			}
		}
	}
}

func TestSeedChoosesRandomGraph(t *testing.T) {
	graph := func(seed int) []topology.Link {
		return nettest.Generate(t, fmt.Sprintf("random:switches=32,degree=4,seed=%d", seed), 0).Links
	}
	if !slices.Equal(graph(1), graph(1)) {
		t.Error("the same seed gives different graphs")
	}
	if slices.Equal(graph(1), graph(2)) {
		t.Error("seeds 1 and 2 give the same graph")
	}
}

func TestMalformedNamesSayWhatWasExpected(t *testing.T) {
	var known []string
	for _, g := range generate.All() {
		known = append(known, g.Name)
	}
	for name, want := range map[string]string{
		"":                             "known are " + strings.Join(known, ", "),
		"moebius:3":                    "known are mesh",
		"mesh":                         `dimension 1 is ""; expected a whole number from 1`,
		"mesh:4x":                      `dimension 2 is ""`,
		"mesh:4xx4":                    `dimension 2 is ""`,
		"mesh:4x-1":                    `dimension 2 is "-1"`,
		"torus:axb":                    `dimension 1 is "a"`,
		"torus:0x4":                    `dimension 1 is "0"`,
		"torus:9999x9999":              "99980001 switches; at most",
		"torus:999999x999999x99":       "switches; at most",
		"ring:four":                    `the number of switches is "four"`,
		"ring:4,4":                     `the number of switches is "4,4"`,
		"hypercube:40":                 "40 dimensions; expected 0 to 18",
		"fattree:8":                    `"8"; expected key=value with the keys k, levels, over`,
		"fattree:k=7":                  "k is 7; expected an even number",
		"fattree:k=4,k=4":              "k is given twice",
		"fattree:levels=3":             "k is missing",
		"fattree:k=4,levels=1":         `levels is "1"; expected a whole number from 2`,
		"fattree:k=4,levels=17":        "levels is 17; expected 2 to 16",
		"fattree:k=1000":               "switches; at most",
		"rail:rails=8":                 "nodes is missing",
		"rail:nodes=8,over=3":          "over is 3; expected a divisor of the 8 nodes of a pod",
		"rail:nodes=8,spines=3":        "spines is 3; expected a divisor of the 8 uplinks",
		"rail:nodes=100000,rails=1000": "at most",
		"tree:4x3":                     `"4x3"; expected key=value with the keys arity, levels`,
		"tree:arity=1,levels=3":        `arity is "1"; expected a whole number from 2`,
		"tree:arity=4,levels=0":        `levels is "0"; expected a whole number from 1`,
		"tree:arity=2,levels=17":       "levels is 17; expected 1 to 16",
		"tree:arity=4":                 "levels is missing",
		"tree:arity=4,levels=16":       "switches; at most",
		"tree:arity=1000000,levels=1":  "1000000 hosts; at most",
		"dragonfly:a=4,h=2":            "p is missing",
		"dragonfly:a=4,h=2,p=2,g=10":   "g is 10; 4 switches with 2 global links each reach at most 9 groups",
		"hyperx:4x0":                   `dimension 2 is "0"`,
		"hyperx:4x4,s=2":               `"s=2"; expected key=value with the keys t, k`,
		"hyperx:4x4,k=1x2x3":           "k has 3 numbers of links; expected one, or one for each of the 2 dimensions",
		"hyperx:4x4,k=1x":              `number 2 of k is ""; expected a whole number from 1`,
		"hyperx:999x999":               "switches; at most",
		"hyperx:2x2,k=1000000":         "cables can be made",
		"slimfly:":                     `""; expected key=value with the keys q, p`,
		"slimfly:q=2":                  `q is "2"; expected a whole number from 3`,
		"slimfly:q=6":                  "q is 6: no field has 6 elements; expected a power of a prime, such as 7",
		"slimfly:q=500":                "q is 500: 500000 switches; at most",
		"polarfly:q=10":                "q is 10: no field has 10 elements; expected a power of a prime, such as 11",
		"polarfly:p=3":                 "q is missing",
		"polarfly:q=1009":              "switches; at most",
		"xgft:m=4x4":                   "w is missing",
		"xgft:m=4x4,w=1":               "m has 2 levels and w 1; expected as many of both",
		"xgft:m=4x4,w=2x2":             "w begins with 2; expected 1, as each host has one port",
		"xgft:m=4x0,w=1x1":             `number 2 of m is "0"`,
		"xgft:m=2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2,w=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1": "17 levels; expected 1 to 16",
		"xgft:m=9999x9999x9999,w=1x9999x9999":                                          "switches; at most",
		"fullmesh:99999":                                                               "links and 99999 hosts; at most",
		"random:switches=16,degree=16":                                                 "degree is 16; 16 switches allow at most 15",
		"random:switches=5,degree=3":                                                   "odd number of link ends",
		"random:switches=4,degree=1":                                                   "degree is 1; expected at least 2",
		"random:switches=16,degree=4,sede=1":                                           `"sede=1"; expected key=value with the keys switches, degree, seed`,
		"tofu:2x2x2":                                                                   "3 dimensions; expected 6: X, Y, Z, A, B and C",
		"tofu:2x2x2x3x3x2":                                                             "dimension A has size 3; expected at most 2",
	} {
		_, err := generate.Network(name, 0)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
			t.Errorf("%q: got error %v; want it to say %s", name, err, want)
		}
	}
	for _, hosts := range []int{-1, topology.MaxParameter + 1} {
		if _, err := generate.Network("mesh:2x2", hosts); err == nil || !strings.Contains(err.Error(), "hosts per switch; expected") {
			t.Errorf("%d hosts: got error %v", hosts, err)
		}
	}
	if _, err := generate.Network("mesh:64x64", 1000); err == nil || !strings.Contains(err.Error(), "4096000 hosts; at most") {
		t.Errorf("too many hosts: got error %v", err)
	}
}

// In a tree every host is as many switches away from another as their numbers differ in
// digits to the base of the arity.
func TestTreeNumbersHostsByBranch(t *testing.T) {
	const arity = 3
	n := nettest.Generate(t, "tree:arity=3,levels=3", 0)
	for a := range n.Hosts() {
		distances := n.Distances(n.EndPoints[a].At.Switch)
		for b := range n.Hosts() {
			links := 0
			for x, y := a/arity, b/arity; x != y; x, y = x/arity, y/arity {
				links += 2
			}
			if got := distances[n.EndPoints[b].At.Switch]; got != links {
				t.Errorf("hosts %d and %d: %d links; want %d", a, b, got, links)
			}
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, name := range []string{"torus:32x32", "fattree:k=32", "random:switches=1024,degree=10,seed=1"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				nettest.Generate(b, name, 0)
			}
		})
	}
}

// TestLargestNetworks makes the largest of two families, or says which limit is in the way.
func TestLargestNetworks(t *testing.T) {
	if _, err := generate.Network("fattree:k=2,levels=16", 1); err != nil {
		t.Error(err)
	}
	if _, err := generate.Network("hypercube:18", 1); err == nil || !strings.Contains(err.Error(), "cables") {
		t.Errorf("error %v; want one about cables, as 18 dimensions are not too many", err)
	}
}

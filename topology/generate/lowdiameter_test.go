package generate_test

import (
	"fmt"
	"slices"
	"testing"

	"musubi/internal/nettest"
	"musubi/topology"
)

// degrees counts how many switches have each number of links.
func degrees(n *topology.Network) map[int]int {
	count := map[int]int{}
	for s := range n.Switches {
		count[n.Degree(s)]++
	}
	return count
}

// simple tells whether no two links join the same switches.
func simple(n *topology.Network) bool {
	seen := map[[2]int]bool{}
	for _, l := range n.Links {
		pair := [2]int{l.A.Switch, l.B.Switch}
		if l.A.Switch == l.B.Switch || seen[pair] {
			return false
		}
		seen[pair] = true
	}
	return true
}

// Slim Fly: Nr = 2q^2, k' = (3q-d)/2 for q = 4w+d, diameter 2, p = k'/2 rounded up (Besta, Hoefler,
// sections II and III). q=5 is the graph of Hoffman and Singleton, of which no larger one of its degree has
// diameter 2.
func TestSlimFlyAgreesWithThePaper(t *testing.T) {
	for _, q := range []int{3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 27} {
		delta := map[int]int{0: 0, 1: 1, 3: -1}[q%4]
		n := nettest.Generate(t, fmt.Sprintf("slimfly:q=%d", q), 0)
		degree := (3*q - delta) / 2
		diameter, connected := n.Diameter()
		got := fmt.Sprint(len(n.Switches), degrees(n), n.Hosts(), diameter, connected, simple(n))
		want := fmt.Sprint(2*q*q, map[int]int{degree: 2 * q * q}, 2*q*q*((degree+1)/2), 2, true, true)
		if got != want {
			t.Errorf("%s: switches, degrees, hosts, diameter, connected, simple: %s; want %s", n.Name, got, want)
		}
	}
	if n := nettest.Generate(t, "slimfly:q=5", 0); len(n.Switches) != 7*7+1 || n.Degree(0) != 7 {
		t.Errorf("slimfly:q=5 has %d switches of degree %d; the Moore bound is 50 for 7", len(n.Switches), n.Degree(0))
	}
}

// PolarFly: q^2+q+1 switches, q+1 quadrics with q links and q^2 others with q+1, diameter 2, and at most
// one way of two links between two switches (Lakhotia and others, section IV).
func TestPolarFlyAgreesWithThePaper(t *testing.T) {
	for _, q := range []int{2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 25} {
		n := nettest.Generate(t, fmt.Sprintf("polarfly:q=%d", q), 0)
		diameter, connected := n.Diameter()
		got := fmt.Sprint(len(n.Switches), degrees(n), n.Hosts(), diameter, connected, simple(n))
		want := fmt.Sprint(q*q+q+1, map[int]int{q: q + 1, q + 1: q * q}, (q*q+q+1)*((q+2)/2), 2, true, true)
		if got != want {
			t.Errorf("%s: switches, degrees, hosts, diameter, connected, simple: %s; want %s", n.Name, got, want)
		}
		if most := commonNeighbours(n); most != 1 {
			t.Errorf("%s: two switches have %d common neighbours; want at most 1", n.Name, most)
		}
	}
}

// commonNeighbours is the largest number of neighbours that two switches share.
func commonNeighbours(n *topology.Network) int {
	most := 0
	shared := make([]int, len(n.Switches))
	for a := range n.Switches {
		clear(shared)
		for _, c := range n.Out(a) {
			for _, d := range n.Out(n.To(int(c)).Switch) {
				if b := n.To(int(d)).Switch; b != a {
					shared[b]++
					most = max(most, shared[b])
				}
			}
		}
	}
	return most
}

// The racks of PolarFly: the quadrics, which for an odd q are not linked with each other, and q of q+1
// switches, each the blades of a windmill around its centre (section V). Those of Slim Fly: q alike.
func TestRacksAreThoseOfThePapers(t *testing.T) {
	for name, want := range map[string]map[int]int{
		"polarfly:q=5":  {5 + 1: 1, 5: 5},
		"polarfly:q=11": {12: 1, 11: 11},
		"slimfly:q=7":   {14: 7},
		"slimfly:q=4":   {8: 4},
	} {
		n := nettest.Generate(t, name, 0)
		rack := map[int32]int{}
		for _, r := range n.Racks {
			rack[r]++
		}
		got := map[int]int{}
		for _, size := range rack {
			got[size]++
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: racks by size %v; want %v", name, got, want)
		}
	}
	n := nettest.Generate(t, "polarfly:q=7", 0)
	inside := map[int32]int{}
	for _, l := range n.Links {
		if a, b := n.Racks[l.A.Switch], n.Racks[l.B.Switch]; a == b {
			inside[a]++
		}
	}
	if want := map[int32]int{1: 9, 2: 9, 3: 9, 4: 9, 5: 9, 6: 9, 7: 9}; fmt.Sprint(inside) != fmt.Sprint(want) {
		t.Errorf("links inside racks: %v; want 3(q-1)/2 in each but that of the quadrics: %v", inside, want)
	}
}

// HyperX: P = prod S, R = T + sum (S-1)K, and the bisection of an even dimension cuts K S^2/4 of each line
// (Ahn and others, section 3).
func TestHyperXAgreesWithThePaper(t *testing.T) {
	for _, c := range []struct {
		dims, width []int
		hosts       int
	}{{[]int{5}, []int{1}, 1}, {[]int{4, 4}, []int{1, 1}, 4}, {[]int{2, 3, 4}, []int{1, 2, 3}, 2}, {[]int{2, 2, 2, 2}, []int{1, 1, 1, 1}, 1}, {[]int{1, 6}, []int{3, 2}, 1}} {
		name := fmt.Sprintf("hyperx:%s,k=%s,t=%d", by(c.dims), by(c.width), c.hosts)
		n := nettest.Generate(t, name, 0)
		switches, degree, diameter := 1, 0, 0
		for i, s := range c.dims {
			switches *= s
			degree += (s - 1) * c.width[i]
			diameter += min(s-1, 1)
		}
		far, _ := n.Diameter()
		got := fmt.Sprint(len(n.Switches), degrees(n), n.Hosts(), far, n.Switches[0].Ports)
		want := fmt.Sprint(switches, map[int]int{degree: switches}, switches*c.hosts, diameter, degree+c.hosts)
		if got != want {
			t.Errorf("%s: switches, degrees, hosts, diameter, ports: %s; want %s", name, got, want)
		}
		for d, s := range c.dims {
			if s%2 == 1 {
				continue
			}
			cut := 0
			for _, l := range n.Links {
				if a, b := n.Shape.Coordinates(nil, l.A.Switch)[d], n.Shape.Coordinates(nil, l.B.Switch)[d]; a < s/2 != (b < s/2) {
					cut++
				}
			}
			if want := c.width[d] * s * switches / 4; cut != want {
				t.Errorf("%s: %d links across the middle of dimension %d; want %d", name, cut, d, want)
			}
		}
	}
}

// by writes numbers as in 4x4x2.
func by(list []int) string {
	text := fmt.Sprint(list[0])
	for _, v := range list[1:] {
		text += fmt.Sprintf("x%d", v)
	}
	return text
}

// XGFT: level l has w1...wl m(l+1)...mh nodes, and a host reaches the top by w1...wh ways (Öhring and
// others, section 2). Fat trees, trees and full trees of other generators are such trees, port by port.
func TestXGFTAgreesWithThePaper(t *testing.T) {
	for _, c := range []struct{ m, w []int }{
		{[]int{3}, []int{1}}, {[]int{4, 4}, []int{1, 2}}, {[]int{2, 3, 4}, []int{1, 3, 2}}, {[]int{2, 2, 2, 2}, []int{1, 2, 2, 2}}, {[]int{5, 4, 3}, []int{1, 1, 6}},
	} {
		name := fmt.Sprintf("xgft:m=%s,w=%s", by(c.m), by(c.w))
		n := nettest.Generate(t, name, 0)
		levels := n.SwitchLevels()
		for l := range c.m {
			want := 1
			for i := range c.m {
				if i <= l {
					want *= c.w[i]
				} else {
					want *= c.m[i]
				}
			}
			got := 0
			for s, level := range levels {
				if level != l {
					continue
				}
				got++
				down, up := 0, 0
				for _, ch := range n.Out(s) {
					if levels[n.To(int(ch)).Switch] > l {
						up++
					} else {
						down++
					}
				}
				above := 0
				if l+1 < len(c.w) {
					above = c.w[l+1]
				}
				if below := c.m[l]; up != above || l > 0 && down != below || l == 0 && len(n.EndPointsAt(s)) != below {
					t.Errorf("%s: switch %d has %d links down and %d up", name, s, down, up)
				}
			}
			if got != want {
				t.Errorf("%s: %d switches at level %d; want %d", name, got, l+1, want)
			}
		}
	}
	for same, name := range map[string]string{
		"fattree:k=8":                "xgft:m=4x4x8,w=1x4x4",
		"fattree:k=4,levels=2":       "xgft:m=2x4,w=1x2",
		"fattree:k=4,levels=4":       "xgft:m=2x2x2x4,w=1x2x2x2",
		"tree:arity=3,levels=3":      "xgft:m=3x3x3,w=1x1x1",
		"fullmesh:7":                 "hyperx:7",
		"fattree:k=6,over=2":         "xgft:m=6x3x6,w=1x3x3",
		"hypercube:4":                "hyperx:2x2x2x2",
		"mesh:1":                     "xgft:m=1,w=1",
		"fattree:k=2,levels=3":       "xgft:m=1x1x2,w=1x1x1",
		"random:switches=5,degree=4": "hyperx:5",
	} {
		a, b := nettest.Generate(t, same, 0), nettest.Generate(t, name, 0)
		if !slices.Equal(a.Links, b.Links) || a.Hosts() != b.Hosts() {
			t.Errorf("%s and %s differ", same, name)
		}
	}
}

// All switches of a HyperX that differ in one coordinate are linked, and no others.
func TestHyperXLinksLines(t *testing.T) {
	n := nettest.Generate(t, "hyperx:3x4x2,k=1x2x1", 0)
	count := map[[2]int]int{}
	for _, l := range n.Links {
		count[[2]int{l.A.Switch, l.B.Switch}]++
	}
	for a := range n.Switches {
		for b := a + 1; b < len(n.Switches); b++ {
			x, y := n.Shape.Coordinates(nil, a), n.Shape.Coordinates(nil, b)
			want, differ := 0, 0
			for d := range x {
				if x[d] != y[d] {
					differ++
					want = []int{1, 2, 1}[d]
				}
			}
			if differ != 1 {
				want = 0
			}
			if got := count[[2]int{a, b}]; got != want {
				t.Errorf("switches %v and %v have %d links; want %d", x, y, got, want)
			}
		}
	}
}

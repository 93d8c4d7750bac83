package tour

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"musubi/topology"
	"musubi/topology/format"
	"musubi/topology/networks"
)

func open(t *testing.T, spec string) *topology.Network {
	t.Helper()
	net, err := networks.Open(spec, 0)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// joined reports whether a link joins two switches, by what the network says itself.
func joined(net *topology.Network, a, b int) bool {
	for _, l := range net.Links {
		if l.A.Switch == a && l.B.Switch == b || l.A.Switch == b && l.B.Switch == a {
			return true
		}
	}
	return false
}

// mustBeRing fails unless k different switches follow each other around.
func mustBeRing(t *testing.T, net *topology.Network, ring []int, k int) {
	t.Helper()
	seen := map[int]bool{}
	for i, s := range ring {
		if next := ring[(i+1)%len(ring)]; len(ring) > 1 && !joined(net, s, next) {
			t.Fatalf("%s: switches %d and %d follow each other in %v, but are not adjacent", net.Name, s, next, ring)
		}
		if len(net.EndPointsAt(s)) == 0 {
			t.Fatalf("%s: switch %d of %v has no host", net.Name, s, ring)
		}
		seen[s] = true
	}
	if len(ring) != k || len(seen) != k {
		t.Fatalf("%s: %d switches, %d different ones; want %d", net.Name, len(ring), len(seen), k)
	}
}

// grids are networks of up to four dimensions with coordinates.
func grids() (list []string) {
	for _, kind := range []string{"mesh", "torus"} {
		for a := 1; a <= 5; a++ {
			for b := 1; b <= 5; b++ {
				for _, more := range []string{"", "x2", "x3", "x3x3", "x2x5"} {
					list = append(list, fmt.Sprintf("%s:%dx%d%s", kind, a, b, more))
				}
			}
		}
	}
	return append(list, "hypercube:1", "hypercube:5", "ring:7", "ring:2", "tofu:3x1x1x2x3x2", "tofu:3x5x2x2x3x2", "tofu:3x3x1x1x3x1")
}

// A grid has a ring through all its switches unless it is a line of more than two, or no
// dimension is a cycle and all lengths are odd: then the switches of one colour of a chessboard
// are one more than the others.
func TestRingsOfGrids(t *testing.T) {
	for _, spec := range grids() {
		net := open(t, spec)
		cycle, long := false, 0
		for i, size := range net.Shape.Dims {
			cycle = cycle || net.Shape.Wrap[i]
			if size > 1 {
				long++
			}
		}
		n := len(net.Switches)
		has := n <= 2 || cycle || long > 1 && n%2 == 0
		switch ring, err := Ring(net, n); {
		case has && err != nil:
			t.Errorf("%s: %v", spec, err)
		case has:
			mustBeRing(t, net, ring, n)
		case err == nil || errors.Is(err, ErrNotFound):
			t.Errorf("%s: %v, %v; want that there is no ring", spec, ring, err)
		}
	}
}

// Each switch of a snake is adjacent to the next, and it has all.
func TestSnakes(t *testing.T) {
	for _, spec := range grids() {
		net := open(t, spec)
		order, err := Snake(net)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[int]bool{}
		for i, s := range order {
			seen[s] = true
			if i > 0 && !joined(net, order[i-1], s) {
				t.Fatalf("%s: %d and %d are not adjacent", spec, order[i-1], s)
			}
		}
		if len(seen) != len(net.Switches) || len(order) != len(seen) {
			t.Errorf("%s: %d of %d switches", spec, len(seen), len(net.Switches))
		}
	}
	if _, err := Snake(open(t, "fullmesh:4")); err == nil || !strings.Contains(err.Error(), "no coordinates") {
		t.Errorf("a full mesh has coordinates: %v", err)
	}
}

// hasRing tries all orders of k switches.
func hasRing(net *topology.Network, path []int, k int) bool {
	if len(path) == k {
		return k == 1 || joined(net, path[k-1], path[0])
	}
next:
	for s := range net.Switches {
		for _, on := range path {
			if on == s {
				continue next
			}
		}
		if len(path) > 0 && (s < path[0] || !joined(net, path[len(path)-1], s)) {
			continue
		}
		if hasRing(net, append(path, s), k) {
			return true
		}
	}
	return false
}

// On all kinds of small networks a ring is found if and only if there is one.
func TestRingsOfSmallNetworks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		n := 1 + random.IntN(7)
		var lines []string
		for a := range n {
			for b := range a {
				if random.IntN(100) < 45 {
					lines = append(lines, fmt.Sprintf("s%d s%d", a, b))
				}
			}
		}
		if len(lines) == 0 {
			continue
		}
		net, err := format.Read(strings.NewReader(strings.Join(lines, "\n")+"\n"), "net.edges")
		if err != nil {
			t.Fatal(err)
		}
		if net, err = net.WithHosts(1); err != nil {
			t.Fatal(err)
		}
		for k := 1; k <= len(net.Switches); k++ {
			ring, err := Ring(net, k)
			if want := hasRing(net, nil, k); want != (err == nil) || errors.Is(err, ErrNotFound) {
				t.Fatalf("%v: ring of %d: %v, %v; want %v", lines, k, ring, err, want)
			}
			if err == nil {
				mustBeRing(t, net, ring, k)
			}
		}
	}
}

// Part of the switches makes a ring, too; and irregular networks have some.
func TestRingsOfPartsAndIrregularNetworks(t *testing.T) {
	for spec, lengths := range map[string][]int{
		"torus:8x8": {2, 4, 8, 20, 62, 64}, "hyperx:3x5": {3, 15}, "hyperx:4x3x3": {36}, "mesh:5x5": {4, 16, 24}, "tofu:3x5x2x2x3x2": {8, 36, 100}, "torus:5x5": {5, 7, 24},
		"fullmesh:9": {3, 8, 9}, "random:switches=32,degree=4,seed=1": {32, 12}, "dragonfly:a=4,h=2,p=2": {36, 12},
	} {
		net := open(t, spec)
		for _, k := range lengths {
			ring, err := Ring(net, k)
			if err != nil {
				t.Errorf("%s, %d: %v", spec, k, err)
				continue
			}
			mustBeRing(t, net, ring, k)
		}
	}
}

// Where there is no ring the error says why; where the search ends it says so.
func TestNoRing(t *testing.T) {
	for _, c := range []struct {
		spec string
		k    int
		want string
	}{
		{"mesh:3x5", 15, "chessboard, its links join 8 of them with the 7 others"},
		{"mesh:3x5", 13, "rings have an even length"},
		{"mesh:4", 4, "switch s0 is joined with 1"},
		{"mesh:4", 3, "its links close no ring"},
		{"fattree:k=4", 2, "no ring of 2 switches"},
		{"torus:4x4", 17, "has 16 with hosts"},
	} {
		_, err := Ring(open(t, c.spec), c.k)
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrNotFound) {
			t.Errorf("%s, %d: %v; want %q", c.spec, c.k, err, c.want)
		}
	}
	if _, err := ringWithin(open(t, "random:switches=32,degree=3,seed=1"), 32, 10); !errors.Is(err, ErrNotFound) {
		t.Errorf("ten steps: %v", err)
	}
}

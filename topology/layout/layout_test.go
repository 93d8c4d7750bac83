package layout_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"musubi/topology"
	"musubi/topology/generate"
	"musubi/topology/layout"
)

func network(t *testing.T, name string) *topology.Network {
	t.Helper()
	net, err := generate.Network(name, 0)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// Each kind of network has its way, every switch a place of its own, and the places are the same
// each time.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		name string
		way  layout.Way
	}{
		{"mesh:4x4", layout.Coordinates},
		{"torus:5x4x3", layout.Coordinates},
		{"ring:16", layout.Coordinates},
		{"hypercube:7", layout.Coordinates},
		{"tofu:3x2x2x2x3x2", layout.Coordinates},
		{"fattree:k=8", layout.Layers},
		{"fattree:k=4,levels=2", layout.Layers},
		{"tree:arity=3,levels=3", layout.Layers},
		{"dragonfly:a=4,h=2,p=2", layout.Groups},
		{"dragonfly:a=6,h=3,p=3", layout.Groups},
		{"fullmesh:8", layout.Groups},
		{"hyperx:4x3x2", layout.Coordinates},
		{"xgft:m=3x4x4,w=1x2x3", layout.Layers},
		{"slimfly:q=5", layout.Groups},
		{"polarfly:q=7", layout.Groups},
		{"slimfly:q=25,p=1", layout.Groups},
		{"fullmesh:1", layout.Distances},
		{"fullmesh:2", layout.Distances},
		{"random:switches=60,degree=4,seed=1", layout.Distances},
	} {
		net := network(t, c.name)
		places, err := layout.Of(net)
		if err != nil {
			t.Fatal(err)
		}
		if places.Way != c.way {
			t.Errorf("%s is placed by %s; expected %s", c.name, places.Way, c.way)
		}
		again, _ := layout.Of(net)
		if !slices.Equal(places.At, again.At) {
			t.Errorf("%s has other places the second time", c.name)
		}
		for i, p := range places.At {
			for j, q := range places.At[:i] {
				if d := math.Hypot(p.X-q.X, p.Y-q.Y); !(d > 0.1) {
					t.Errorf("%s: switches %d and %d are %v apart", c.name, i, j, d)
				}
			}
		}
	}
}

// The groups of a dragonfly are found from its links alone: neighbours of a group lie closer to each
// other than to the middle.
func TestGroupsAreThoseOfTheDragonfly(t *testing.T) {
	net := network(t, "dragonfly:a=4,h=2,p=2")
	places, err := layout.Of(net)
	if err != nil {
		t.Fatal(err)
	}
	for sw := range net.Switches {
		first := places.At[sw/4*4]
		if d := math.Hypot(places.At[sw].X-first.X, places.At[sw].Y-first.Y); d > 2.5 {
			t.Errorf("switch %d is %v from the first of its group", sw, d)
		}
	}
}

// Distances on the plane follow those in the network: a path that is no regular network comes out
// about straight.
func TestDistancesAreThoseOfTheNetwork(t *testing.T) {
	const n = 12
	path := topology.Network{Name: "path"}
	for i := range n {
		path.Switches = append(path.Switches, topology.Switch{ID: string(rune('a' + i)), Ports: 2})
		if i > 0 {
			path.Links = append(path.Links, topology.Link{A: topology.Port{Switch: i - 1, Number: 2}, B: topology.Port{Switch: i, Number: 1}})
		}
	}
	net, err := topology.New(path)
	if err != nil {
		t.Fatal(err)
	}
	places, err := layout.Of(net)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range places.At {
		q := places.At[0]
		if d := math.Hypot(p.X-q.X, p.Y-q.Y); math.Abs(d-float64(i)) > 0.1*float64(i)+0.01 {
			t.Errorf("switch %d is %v from the first; expected about %d", i, d, i)
		}
	}
}

func TestTooLargeToPlace(t *testing.T) {
	_, err := layout.Of(network(t, "random:switches=1001,degree=4,seed=1"))
	if err == nil || !strings.Contains(err.Error(), "expected at most 1000 switches") {
		t.Errorf("got %v", err)
	}
}

// Links bend around the switches between those that they join, both channels to the same side, and those of
// a line that is linked as a whole the more the farther they lead.
func TestLinksBendAroundSwitches(t *testing.T) {
	for name, want := range map[string]map[int]bool{
		"mesh:5x5":   {},
		"torus:5x5":  {4: true},
		"torus:3x3":  {2: true},
		"hyperx:5x5": {2: true, 3: true, 4: true},
	} {
		net := network(t, name)
		byGap := map[int]float64{}
		for c := range net.Channels() {
			a, b := net.Shape.Coordinates(nil, net.From(c).Switch), net.Shape.Coordinates(nil, net.To(c).Switch)
			gap := max(a[0]-b[0], b[0]-a[0], a[1]-b[1], b[1]-a[1])
			bend := layout.Bend(net, c)
			if bend != -layout.Bend(net, c^1) || want[gap] != (bend != 0) {
				t.Errorf("%s: channel %d over %d switches bends by %v and back by %v", name, c, gap, bend, layout.Bend(net, c^1))
			}
			byGap[gap] = math.Abs(bend)
		}
		for gap := range byGap {
			if byGap[gap+1] > 0 && byGap[gap] >= byGap[gap+1] {
				t.Errorf("%s: links bend by %v by their lengths", name, byGap)
			}
		}
	}
}

// The switches of a ring are on a circle, next to those that they are linked with, and no link bends.
func TestRingsAreRound(t *testing.T) {
	for _, name := range []string{"ring:6", "torus:20", "hyperx:7"} {
		net := network(t, name)
		places, err := layout.Of(net)
		if err != nil {
			t.Fatal(err)
		}
		radius := math.Hypot(places.At[0].X, places.At[0].Y)
		for sw, p := range places.At {
			if r := math.Hypot(p.X, p.Y); math.Abs(r-radius) > 1e-9 {
				t.Errorf("%s: switch %d is %v from the centre; expected %v", name, sw, r, radius)
			}
			next := places.At[(sw+1)%len(places.At)]
			if d := math.Hypot(next.X-p.X, next.Y-p.Y); d < 0.5 || d > 1.5 {
				t.Errorf("%s: switch %d is %v from the next", name, sw, d)
			}
		}
		for c := range net.Channels() {
			if layout.Bend(net, c) != 0 {
				t.Errorf("%s: channel %d bends", name, c)
			}
		}
	}
}

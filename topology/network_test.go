package topology_test

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"pgregory.net/rapid"

	"musubi/internal/nettest"
	"musubi/topology"
)

func TestNewRefusesBrokenNetworks(t *testing.T) {
	sound := func() topology.Network {
		return topology.Network{
			Switches:  []topology.Switch{{ID: "a", Ports: 3}, {ID: "b", Ports: 3}},
			Adapters:  []topology.Adapter{{ID: "h", Ports: 2}},
			Links:     []topology.Link{{A: topology.Port{0, 1}, B: topology.Port{1, 1}}},
			EndPoints: []topology.EndPoint{{Adapter: 0, AdapterPort: 1, At: topology.Port{0, 2}}},
		}
	}
	if _, err := topology.New(sound()); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*topology.Network){
		`two nodes are called "b"`:     func(n *topology.Network) { n.Switches[0].ID = "b" },
		`two nodes are called "a"`:     func(n *topology.Network) { n.Adapters[0].ID = "a" },
		"adapter h has unknown kind 9": func(n *topology.Network) { n.Adapters[0].Kind = 9 },
		"the link between switches 0 and 1 uses port 4 of switch b, which has ports 1 to 3": func(n *topology.Network) { n.Links[0].B.Number = 4 },
		"the link between switches 0 and 1 uses port 0 of switch a":                         func(n *topology.Network) { n.Links[0].A.Number = 0 },
		"the link between switches 0 and 2 names switch 2 of a network with 2 switches":     func(n *topology.Network) { n.Links[0].B.Switch = 2 },
		"port 1 of switch a is used by the link between switches 0 and 1 and by adapter h port 1": func(n *topology.Network) {
			n.EndPoints[0].At.Number = 1
		},
		"end point 0 names adapter 1 of a network with 1 adapters":     func(n *topology.Network) { n.EndPoints[0].Adapter = 1 },
		"end point 0 uses port 3 of adapter h, which has ports 1 to 2": func(n *topology.Network) { n.EndPoints[0].AdapterPort = 3 },
		"port 1 of adapter h is attached twice": func(n *topology.Network) {
			n.EndPoints = append(n.EndPoints, topology.EndPoint{Adapter: 0, AdapterPort: 1, At: topology.Port{1, 2}})
		},
	} {
		n := sound()
		spoil(&n)
		if _, err := topology.New(n); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v; want %s", err, want)
		}
	}
}

func TestNewOrdersLinksAndEndPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := nettest.Draw(t)
		shuffled := *n
		shuffled.Links = rapid.Permutation(n.Links).Draw(t, "links")
		for i, l := range shuffled.Links {
			if rapid.Bool().Draw(t, "turn") {
				shuffled.Links[i].A, shuffled.Links[i].B = l.B, l.A
			}
		}
		shuffled.EndPoints = rapid.Permutation(n.EndPoints).Draw(t, "end points")
		again, err := topology.New(shuffled)
		if err != nil {
			t.Fatal(err)
		}
		if d := nettest.Difference(n, again); d != "" {
			t.Fatal(d)
		}
	})
}

func TestChannelsAndEndPointsAreIndexed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := nettest.Draw(t)
		var seen []int
		for s := range n.Switches {
			last := 0
			for _, c := range n.Out(s) {
				from := n.From(int(c))
				if from.Switch != s || from.Number <= last || n.To(int(c)).Switch == s {
					t.Fatalf("channel %d from %v to %v among those of switch %d", c, from, n.To(int(c)), s)
				}
				last = from.Number
				seen = append(seen, int(c))
			}
			for _, e := range n.EndPointsAt(s) {
				if n.EndPoints[e].At.Switch != s {
					t.Fatalf("end point %d among those of switch %d", e, s)
				}
			}
		}
		slices.Sort(seen)
		var want []int
		for i, l := range n.Links {
			if l.A.Switch != l.B.Switch {
				want = append(want, 2*i, 2*i+1)
			}
		}
		if !slices.Equal(seen, want) {
			t.Fatalf("channels %v leave switches; want %v", seen, want)
		}
		for e := range n.EndPoints {
			if (n.KindOf(e) == topology.Host) != (e < n.Hosts()) {
				t.Fatalf("end point %d of kind %v with %d hosts", e, n.KindOf(e), n.Hosts())
			}
		}
	})
}

func TestPathsAgreeWithGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := nettest.Draw(t)
		g := simple.NewUndirectedGraph()
		for s := range n.Switches {
			g.AddNode(simple.Node(s))
		}
		for _, l := range n.Links {
			if l.A.Switch != l.B.Switch {
				g.SetEdge(simple.Edge{F: simple.Node(l.A.Switch), T: simple.Node(l.B.Switch)})
			}
		}
		parts, of := n.Components()
		if want := topo.ConnectedComponents(g); parts != len(want) {
			t.Fatalf("%d parts; want %d", parts, len(want))
		}
		diameter := 0
		for s := range n.Switches {
			shortest := path.DijkstraFrom(simple.Node(s), g)
			for u, d := range n.Distances(s) {
				_, want := shortest.To(int64(u))
				if (d < 0) != (of[s] != of[u]) || d >= 0 && float64(d) != want {
					t.Fatalf("distance from %d to %d is %d; want %v", s, u, d, want)
				}
				diameter = max(diameter, d)
			}
		}
		if got, ok := n.Diameter(); ok != (parts == 1) || ok && got != diameter {
			t.Fatalf("diameter %d, %v; want %d of %d parts", got, ok, diameter, parts)
		}
	})
}

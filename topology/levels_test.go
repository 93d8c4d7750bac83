package topology_test

import (
	"fmt"
	"testing"

	"musubi/internal/nettest"
	"musubi/topology"
)

// How many links of each level there are follows from the shape of the network.
func TestLinkLevels(t *testing.T) {
	for _, c := range []struct {
		name string
		want map[int]int // links by level
	}{
		{"tree:arity=3,levels=1", map[int]int{}},
		{"tree:arity=4,levels=3", map[int]int{1: 16, 2: 4}},
		{"tree:arity=2,levels=4", map[int]int{1: 8, 2: 4, 3: 2}},
		{"fattree:k=4", map[int]int{1: 16, 2: 16}},
		{"fattree:k=8,levels=2", map[int]int{1: 32}},
		{"torus:4x4", map[int]int{1: 32}},
		{"dragonfly:a=4,h=2,p=2", map[int]int{1: 90}},
	} {
		got := map[int]int{}
		for _, level := range nettest.Generate(t, c.name, 0).LinkLevels() {
			got[level]++
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: links by level %v; want %v", c.name, got, c.want)
		}
	}
}

// End points that are no hosts have no say, and switches that no host reaches no level
// above that of others.
func TestLinkLevelsWithoutHosts(t *testing.T) {
	n, err := topology.New(topology.Network{
		Switches:  []topology.Switch{{ID: "leaf", Ports: 9}, {ID: "middle", Ports: 9}, {ID: "top", Ports: 9}, {ID: "x", Ports: 9}, {ID: "y", Ports: 9}},
		Adapters:  []topology.Adapter{{ID: "host", Ports: 1}, {ID: "reduction", Ports: 1, Kind: topology.Aggregation}},
		EndPoints: []topology.EndPoint{{Adapter: 0, AdapterPort: 1, At: topology.Port{0, 9}}, {Adapter: 1, AdapterPort: 1, At: topology.Port{2, 9}}},
		Links:     []topology.Link{{A: topology.Port{0, 1}, B: topology.Port{1, 1}}, {A: topology.Port{1, 2}, B: topology.Port{2, 1}}, {A: topology.Port{3, 1}, B: topology.Port{4, 1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(n.LinkLevels()); got != "[1 2 1]" {
		t.Errorf("levels %s; want [1 2 1]", got)
	}
}

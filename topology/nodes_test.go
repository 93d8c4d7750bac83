package topology_test

import (
	"reflect"
	"strings"
	"testing"

	"musubi/topology/generate"
)

// Names tell which interfaces a node has; else nodes are consecutive hosts, of which the last has what is left.
func TestNodesOfHosts(t *testing.T) {
	for name, want := range map[string][][]int{
		"rail:nodes=4,rails=2,pod=2": {{0, 2}, {1, 3}, {4, 6}, {5, 7}},
		"ring:5":                     {{0, 1}, {2, 3}, {4}},
	} {
		net, err := generate.Network(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := net.Nodes(2); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: nodes %v, %v; want %v", name, got, err, want)
		}
	}
	net, _ := generate.Network("rail:nodes=4,rails=2", 0)
	if _, err := net.Nodes(8); err == nil || !strings.Contains(err.Error(), "node node0 of rail:nodes=4,rails=2 has interfaces: 2; expected 8") {
		t.Errorf("nodes of 8 interfaces: %v", err)
	}
}

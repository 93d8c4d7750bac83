package topology_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"musubi/topology"
	"musubi/topology/generate"
)

// TestKindsOfAdapters makes networks with every kind that has a name, and with no other.
func TestKindsOfAdapters(t *testing.T) {
	for kind := range topology.Kind(len(topology.Kinds()) + 1) {
		_, err := topology.New(topology.Network{Switches: []topology.Switch{{ID: "s", Ports: 1}}, Adapters: []topology.Adapter{{ID: "a", Kind: kind}}})
		if unknown := int(kind) == len(topology.Kinds()); unknown != (err != nil && strings.Contains(err.Error(), "unknown kind")) {
			t.Errorf("kind %d: error %v", kind, err)
		}
	}
}

// TestNetworksDoNotShareWhatTheyHave adds hosts to one network twice. Neither changes the other,
// or the network itself.
func TestNetworksDoNotShareWhatTheyHave(t *testing.T) {
	describe := func(n *topology.Network) string {
		return fmt.Sprintf("%+v %+v %+v %+v", n.Switches, n.Adapters, n.EndPoints, n.Links)
	}
	base, err := generate.Network("mesh:3x3", 3)
	if err != nil {
		t.Fatal(err)
	}
	before := describe(base)
	first, err := base.WithHosts(1)
	if err != nil {
		t.Fatal(err)
	}
	once := describe(first)
	if _, err := base.WithHosts(2); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, describe(base)); diff != "" {
		t.Errorf("the network itself has changed:\n%s", diff)
	}
	if diff := cmp.Diff(once, describe(first)); diff != "" {
		t.Errorf("the one with hosts has changed:\n%s", diff)
	}
}

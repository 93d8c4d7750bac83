package topology_test

import (
	"testing"

	"musubi/topology"
)

// TestNamesTellSwitchesApart puts the GUID, or else the ID, behind a name that several have.
func TestNamesTellSwitchesApart(t *testing.T) {
	n, err := topology.New(topology.Network{Switches: []topology.Switch{
		{ID: "a", Name: "leaf", GUID: 0x10}, {ID: "b", Name: "leaf"}, {ID: "c", Name: "spine", GUID: 0x20}, {ID: "d"}, {ID: "leaf"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range []string{"leaf (0x0000000000000010)", "leaf (b)", "spine", "d", "leaf"} {
		if got := n.SwitchName(s); got != want {
			t.Errorf("switch %d is called %q; want %q", s, got, want)
		}
	}
}

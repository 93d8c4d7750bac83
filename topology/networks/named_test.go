package networks

import (
	"strconv"
	"strings"
	"testing"
)

// What is known of RHiNET-2's irregular networks: 16 switches of 8 ports, 4 of
// them for hosts, and paths of at most 6 links.
func TestNamedNetworks(t *testing.T) {
	for _, d := range All() {
		n, err := Open(d.Name, 0)
		if err != nil {
			t.Errorf("%s: %v", d.Name, err)
			continue
		}
		if len(n.Switches) != 16 || len(n.EndPoints) != 64 {
			t.Errorf("%s has %d switches and %d hosts", d.Name, len(n.Switches), len(n.EndPoints))
		}
		for s := range n.Switches {
			if got := n.SwitchName(s); got != strconv.Itoa(s) {
				t.Errorf("%s: switch %d is called %s", d.Name, s, got)
			}
			if links := len(n.Out(s)); links > 4 {
				t.Errorf("%s: switch %d has %d links", d.Name, s, links)
			}
		}
		if got, _ := n.Diameter(); got != 6 {
			t.Errorf("%s has diameter %d", d.Name, got)
		}
	}
}

func TestNamedNetworkWithHosts(t *testing.T) {
	n, err := Open("rhinet2-b", 2)
	if err != nil || len(n.EndPoints) != 32 {
		t.Errorf("2 hosts per switch: %v, %v", n, err)
	}
	if _, err := Open("rhinet2-b", -1); err == nil {
		t.Error("-1 hosts per switch accepted")
	}
	if _, err := Open("rhinet2-c", 0); err == nil || !strings.Contains(err.Error(), "rhinet2-a, rhinet2-b") {
		t.Errorf("unknown network: %v", err)
	}
}

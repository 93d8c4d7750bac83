package format

import (
	"fmt"
	"testing"
)

// A list without switches is one in which all nodes are called CA. Those with more ports than
// any adapter has are switches.
func TestSubnetTellsSwitchesByTheirPorts(t *testing.T) {
	node := func(kind string, ports, guid, port int) string {
		return fmt.Sprintf("{ %s Ports:%02x SystemGUID:%[3]x NodeGUID:%[3]x PortGUID:%[3]x VenID:0 DevID:0 Rev:0 { n%[3]x } LID:0001 PN:%02[4]x }", kind, ports, guid, port)
	}
	line := func(far string, ports int) string {
		a, b, state := node("CA", 3, 1, 1), node(far, ports, 2, 1), " PHY=4x LOG=ACT SPD=10\n"
		return a + " " + b + state + b + " " + a + state
	}
	for _, c := range []struct{ text, want string }{
		{line("CA", 2), "1 switch, 0 links, 1 host"},
		{line("CA", 3), "2 switches, 1 link, 0 hosts"},
		{line("Rt", 3), "1 switch, 0 links, 0 hosts, 1 router port"},
	} {
		if n := mustRead(t, "lst", c.text); n.Summary() != c.want {
			t.Errorf("%s: %s; want %s", c.text, n.Summary(), c.want)
		}
	}
}

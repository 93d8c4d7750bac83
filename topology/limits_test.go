package topology_test

import (
	"strings"
	"testing"

	"musubi/topology"
)

// TestSizesAtTheirLimits accepts as much as may be made, and refuses one more of anything.
func TestSizesAtTheirLimits(t *testing.T) {
	const maxSwitches, maxHosts, maxCables = 1 << 18, 1 << 18, 1 << 21
	for _, c := range []struct {
		switches, links, hosts float64
		refused                string
	}{
		{maxSwitches, 0, 0, ""},
		{0, 0, maxHosts, ""},
		{0, maxCables, 0, ""},
		{1, maxCables - maxHosts, maxHosts, ""},
		{maxSwitches + 1, 0, 0, "262145 switches; at most 262144"},
		{0, 0, maxHosts + 1, "262145 hosts; at most 262144"},
		{0, maxCables, 1, "2097152 links and 1 hosts; at most 2097152"},
	} {
		err := topology.CheckSize(c.switches, c.links, c.hosts)
		if c.refused == "" && err != nil || c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%v switches, %v links, %v hosts: error %v; want %q", c.switches, c.links, c.hosts, err, c.refused)
		}
	}
}

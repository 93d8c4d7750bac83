package topology

import "slices"

// First GUIDs that ibsim gives to nodes of a net file that names none (ibsim,
// sim_net.c).
const (
	firstAdapterGUID = 0x100000
	firstSwitchGUID  = 0x200000
)

// WithGUIDs returns a copy of a network in which all switches, adapters and end
// points have GUIDs, for formats and tools that know nodes by them. Those missing
// are numbered as ibsim numbers them, so that tables made for the copy fit a
// simulated fabric made from the same network; GUIDs in use are left out.
func (n *Network) WithGUIDs() *Network {
	c := *n
	c.Switches = slices.Clone(n.Switches)
	c.Adapters = slices.Clone(n.Adapters)
	c.EndPoints = slices.Clone(n.EndPoints)
	g := guidSource{taken: n.guids()}
	g.next = firstSwitchGUID
	for i := range c.Switches {
		g.fill(&c.Switches[i].GUID, 0)
	}
	g.next = firstAdapterGUID
	for i := range c.Adapters {
		g.fill(&c.Adapters[i].GUID, c.Adapters[i].Ports)
	}
	for i := range c.EndPoints {
		e := &c.EndPoints[i]
		if own := c.Adapters[e.Adapter].GUID + uint64(e.AdapterPort); e.GUID == 0 && !g.taken[own] {
			e.GUID = own
		}
		g.fill(&e.GUID, 0)
		g.taken[e.GUID] = true
	}
	return &c
}

// guids returns all GUIDs of switches, adapters and end points.
func (n *Network) guids() map[uint64]bool {
	all := make(map[uint64]bool)
	for i := range n.Switches {
		all[n.Switches[i].GUID] = true
	}
	for i := range n.Adapters {
		all[n.Adapters[i].GUID] = true
	}
	for i := range n.EndPoints {
		all[n.EndPoints[i].GUID] = true
	}
	return all
}

// guidSource counts up through the GUIDs that are free.
type guidSource struct {
	taken map[uint64]bool
	next  uint64
}

// fill gives a node that has no GUID the next one that is free and is followed by
// free ones for its ports, and skips these.
func (g *guidSource) fill(guid *uint64, ports int) {
	if *guid != 0 {
		return
	}
	for i := 0; i <= ports; i++ {
		if g.taken[g.next+uint64(i)] {
			g.next += uint64(i) + 1
			i = -1
		}
	}
	*guid = g.next
	g.taken[g.next] = true
	g.next += uint64(ports) + 1
}

package topology

import (
	"cmp"
	"slices"
)

// First GUIDs that ibsim gives to nodes of a net file that names none (ibsim,
// sim_net.c).
const (
	firstAdapterGUID = 0x100000
	firstSwitchGUID  = 0x200000
)

// WithGUIDs returns a copy of a network in which all switches, adapters and end
// points have GUIDs, for formats and tools that know nodes by them. Those missing
// are numbered as ibsim numbers them, so that tables made for the copy fit a
// simulated fabric made from the same network.
func (n *Network) WithGUIDs() *Network {
	c := *n
	c.Switches = slices.Clone(n.Switches)
	c.Adapters = slices.Clone(n.Adapters)
	c.EndPoints = slices.Clone(n.EndPoints)
	for i := range c.Switches {
		c.Switches[i].GUID = cmp.Or(c.Switches[i].GUID, firstSwitchGUID+uint64(i))
	}
	next := uint64(firstAdapterGUID)
	for i := range c.Adapters {
		a := &c.Adapters[i]
		a.GUID = cmp.Or(a.GUID, next)
		next += uint64(a.Ports) + 1
	}
	for i := range c.EndPoints {
		e := &c.EndPoints[i]
		e.GUID = cmp.Or(e.GUID, c.Adapters[e.Adapter].GUID+uint64(e.AdapterPort))
	}
	return &c
}

package dma

import (
	"fmt"

	"musubi/sim/host"
	"musubi/units"
)

// interfaces are the network interfaces of all nodes. Each engine of one is a port of its end
// point, with a link to the switch and a bus for itself.
type interfaces struct {
	*host.Env
	engines int        // of each node
	buses   []host.Bus // by port; node n has ports n*engines to (n+1)*engines-1
}

func newInterfaces(c *host.Env) *interfaces {
	n := &interfaces{Env: c, engines: c.Traits.Engines, buses: make([]host.Bus, c.Nodes*c.Traits.Engines)}
	for i := range n.buses {
		n.buses[i] = host.NewBus(&c.Machine.Bus)
		if c.Observer != nil {
			n.buses[i].Tell = func(write bool, from, to units.Time) { n.tellBus(i, write, from, to) }
		}
	}
	return n
}

// port returns the port of an engine of the node that a rank runs on.
func (n *interfaces) port(rank int32, engine int) int32 {
	return n.NodeOf[rank]*int32(n.engines) + int32(engine)
}

// engineOf returns the number of a port at its node.
func (n *interfaces) engineOf(port int32) int { return int(port) % n.engines }

// engineFor returns the engines that Push, Pull and IPush between two ranks go by, at
// both of them. It is always the same, so that they keep their order.
func (n *interfaces) engineFor(a, b int32) int { return int(a+b) % n.engines }

// tellBus tells observers that the bus of a port carries data.
func (n *interfaces) tellBus(port int, write bool, from, to units.Time) {
	part, stage := "bus", "read from memory"
	if n.engines > 1 {
		part = fmt.Sprintf("bus of engine %d", n.engineOf(int32(port)))
	}
	if write {
		stage = "write to memory"
	}
	n.TellStage(int32(port/n.engines), part, stage, from, to)
}

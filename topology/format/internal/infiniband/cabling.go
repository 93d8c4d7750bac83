package infiniband

import (
	"cmp"
	"slices"

	"musubi/topology"
)

// jack is one connected port of a switch, as seen from that switch.
type jack struct {
	port     int
	far      topology.Port // if a switch is at the other end
	endPoint int           // otherwise; -1 for a link
	speed    topology.Speed
}

// cabling lists the connected ports of every node in order, for formats that
// describe cables from their ends.
type cabling struct {
	switches [][]jack
	adapters [][]int // end points
}

func cablingOf(n *topology.Network) cabling {
	c := cabling{make([][]jack, len(n.Switches)), make([][]int, len(n.Adapters))}
	plugIn := func(at topology.Port, j jack) {
		j.port = at.Number
		c.switches[at.Switch] = append(c.switches[at.Switch], j)
	}
	for _, l := range n.Links {
		plugIn(l.A, jack{far: l.B, endPoint: -1, speed: l.Speed})
		if l.A != l.B {
			plugIn(l.B, jack{far: l.A, endPoint: -1, speed: l.Speed})
		}
	}
	for i, e := range n.EndPoints {
		plugIn(e.At, jack{endPoint: i, speed: e.Speed})
		c.adapters[e.Adapter] = append(c.adapters[e.Adapter], i)
	}
	for _, jacks := range c.switches {
		slices.SortFunc(jacks, func(a, b jack) int { return cmp.Compare(a.port, b.port) })
	}
	for _, es := range c.adapters {
		slices.SortFunc(es, func(a, b int) int { return cmp.Compare(n.EndPoints[a].AdapterPort, n.EndPoints[b].AdapterPort) })
	}
	return c
}

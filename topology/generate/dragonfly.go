package generate

import (
	"fmt"

	"musubi/topology"
)

// dragonfly makes the network of Kim, Dally, Scott and Abts (Technology-Driven,
// Highly-Scalable Dragonfly Topology, ISCA 2008): groups of a fully linked
// switches, h global links per switch. Global port q of a group, switch by
// switch, leads to the group q mod (g-1) + 1 further on (the palm tree
// arrangement of Camarero, Vallejo and Beivide, TACO 2014). Every two groups are
// joined by the same number of links, a*h/(g-1) rounded down; ports left over
// stay free. With absolute=1 and the most groups, port q leads to group q instead, or q+1 from the
// group's own number on (the absolute arrangement, which BookSim2 has).
//
// The other switches of the group come first, by number, then the global links.
func dragonfly(args string, hosts int) (plan, error) {
	a := parameter{key: "a", low: 1}
	h := parameter{key: "h", low: 0}
	p := parameter{key: "p", low: 1}
	g := parameter{key: "g", low: 1, optional: true}
	absolute := parameter{key: "absolute", low: 0, optional: true}
	if err := assignments(args, &a, &h, &p, &g, &absolute); err != nil {
		return plan{}, err
	}
	most := a.value*h.value + 1
	if !g.given {
		g.value = most
	}
	if g.value > most {
		return plan{}, fmt.Errorf("g is %d; %d switches with %d global links each reach at most %d groups", g.value, a.value, h.value, most)
	}
	if absolute.value > 1 || absolute.value == 1 && g.value < most {
		return plan{}, fmt.Errorf("absolute is %d with %d groups; expected 0, or 1 with %d groups", absolute.value, g.value, most)
	}
	if hosts == 0 {
		hosts = p.value
	}
	fa, fh, fg := float64(a.value), float64(h.value), float64(g.value)
	if err := topology.CheckSize(fa*fg, fg*fa*(fa-1+fh)/2, fg*fa*float64(hosts)); err != nil {
		return plan{}, err
	}
	d := groups{size: a.value, global: h.value, count: g.value, absolute: absolute.value == 1}
	return plan{
		switches:  d.size * d.count,
		linkPorts: constant(d.size - 1 + d.global),
		hosts:     constant(hosts),
		links:     append(d.localLinks(), d.globalLinks()...),
		groups:    d.numbers(),
	}, nil
}

type groups struct {
	size, global, count int
	absolute            bool
}

// numbers returns the group of each switch.
func (d groups) numbers() []int32 {
	list := make([]int32, d.size*d.count)
	for sw := range list {
		list[sw] = int32(sw / d.size)
	}
	return list
}

func (d groups) localLinks() []topology.Link {
	var links []topology.Link
	for g := range d.count {
		links = append(links, clique(g*d.size, d.size)...)
	}
	return links
}

func (d groups) globalLinks() []topology.Link {
	if d.count < 2 {
		return nil
	}
	if d.absolute {
		return d.absoluteLinks()
	}
	var links []topology.Link
	others := d.count - 1
	for g := range d.count {
		for q := range d.size * d.global / others * others {
			peer := (g + q%others + 1) % d.count
			if g < peer {
				back := q - q%others + (g-peer-1+d.count)%d.count
				links = append(links, topology.Link{A: d.globalPort(g, q), B: d.globalPort(peer, back)})
			}
		}
	}
	return links
}

// absoluteLinks joins each two groups by one link.
func (d groups) absoluteLinks() []topology.Link {
	var links []topology.Link
	for g := range d.count {
		for peer := range g {
			links = append(links, topology.Link{A: d.globalPort(peer, g-1), B: d.globalPort(g, peer)})
		}
	}
	return links
}

// globalPort returns the switch and port of global port q of group g.
func (d groups) globalPort(g, q int) topology.Port {
	return topology.Port{Switch: g*d.size + q/d.global, Number: d.size + q%d.global}
}

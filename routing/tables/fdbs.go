package tables

import (
	"bufio"
	"fmt"
	"io"
)

// WriteForwardingIBDM writes the forwarding tables in the form of OpenSM's
// opensm.fdbs, which ibdmchk reads with -f. The list of the subnet that it needs
// beside it is Addresses.Network in the format "lst".
func (t *InfiniBand) WriteForwardingIBDM(w io.Writer) error {
	b := bufio.NewWriter(w)
	lids := t.Addresses.All()
	hops := make([][]int, len(lids))
	for i, lid := range lids {
		hops[i] = t.hops(lid)
	}
	for s := range t.Net.Switches {
		distance := t.Net.Distances(s)
		fmt.Fprintf(b, "dump_ucast_routes: Switch 0x%016x\nLID    : Port : Hops : Optimal\n", t.Addresses.net.Switches[s].GUID)
		for i, lid := range lids {
			port := t.port(s, lid)
			if port == noEntry {
				fmt.Fprintf(b, "0x%04X : %s\n", lid, unreachable)
				continue
			}
			optimal := "no"
			if hops[i][s] == distance[t.Addresses.switchOf(lid)] {
				optimal = "yes"
			}
			fmt.Fprintf(b, "0x%04X : %03d  : %02d   : %s\n", lid, port, max(hops[i][s], 0), optimal)
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

// switchOf returns the switch that has a LID or that the port with the LID is
// attached to.
func (a *Addresses) switchOf(lid uint16) int {
	o := a.owners[lid]
	if o.isSwitch {
		return o.index
	}
	return a.net.EndPoints[o.index].At.Switch
}

// hops returns how many links between switches a packet to a LID takes from each
// switch, -1 where it does not arrive.
func (t *InfiniBand) hops(lid uint16) []int {
	const unknown = -2
	hops := make([]int, len(t.Net.Switches))
	for s := range hops {
		hops[s] = unknown
	}
	hops[t.Addresses.switchOf(lid)] = 0
	var way []int
	for s := range hops {
		at := s
		for way = way[:0]; hops[at] == unknown; {
			hops[at] = -1 // for the case that it is met again or leads nowhere
			way = append(way, at)
			next, ok := t.next(at, lid)
			if !ok {
				break
			}
			at = next
		}
		for n := hops[at]; len(way) > 0 && n >= 0; way = way[:len(way)-1] {
			n++
			hops[way[len(way)-1]] = n
		}
	}
	return hops
}

// next returns the switch that packets to a LID come to after switch s.
func (t *InfiniBand) next(s int, lid uint16) (int, bool) {
	port := t.port(s, lid)
	for _, c := range t.Net.Out(s) {
		if t.Net.From(int(c)).Number == port {
			return t.Net.To(int(c)).Switch, true
		}
	}
	return 0, false
}

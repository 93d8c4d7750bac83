package change

import (
	"slices"

	"musubi/routing/tables"
	"musubi/topology"
)

// Where an entry leads, if not to a channel.
const (
	nowhere = -1 // there is no entry
	deliver = -2 // the destination is attached to the switch
	dead    = -3 // the port has no link, or leads to another end point
)

// Destination is a LID that packets are forwarded to.
type Destination struct {
	LID uint16
	// EndPoint is -1 for the LID of a switch, which only management uses: no proof covers it.
	EndPoint int
	Switch   int

	plane int // number among the LIDs of the end point
}

// Forwarding is tables of forwarding by destination, as a graph for each destination.
type Forwarding struct {
	Net          *topology.Network
	Tables       *tables.InfiniBand
	Destinations []Destination
	// next is the channel that packets take by destination and switch, or deliver or nowhere.
	next [][]int32
	// given is next without entries that were added where there was none; nil: none were.
	given [][]int32
	lane  *lanes
}

// Read follows the entries of tables.
func Read(t *tables.InfiniBand) *Forwarding {
	f := &Forwarding{Net: t.Net, Tables: t, lane: newLanes(t)}
	channel := channelsByPort(t.Net)
	seen := make(map[int]int)
	for _, lid := range t.Addresses.All() {
		d := Destination{LID: lid}
		if d.EndPoint, d.Switch = t.Addresses.Owner(lid); d.EndPoint >= 0 {
			d.Switch = t.Net.EndPoints[d.EndPoint].At.Switch
			d.plane = seen[d.EndPoint]
			seen[d.EndPoint]++
		}
		next := make([]int32, len(t.Net.Switches))
		for s := range next {
			next[s] = nowhere
			port, ok := t.Port(s, lid)
			switch {
			case !ok:
			case s == d.Switch && port == d.port(t.Net):
				next[s] = deliver
			case port < len(channel[s]):
				next[s] = channel[s][port]
			default:
				next[s] = dead
			}
		}
		f.Destinations, f.next = append(f.Destinations, d), append(f.next, next)
	}
	return f
}

// port is the port of its switch that a destination is attached to.
func (d Destination) port(net *topology.Network) int {
	if d.EndPoint < 0 {
		return 0
	}
	return net.EndPoints[d.EndPoint].At.Number
}

// channelsByPort returns the channel that leaves each port of each switch, dead if there is none.
func channelsByPort(net *topology.Network) [][]int32 {
	all := make([][]int32, len(net.Switches))
	for s := range all {
		all[s] = make([]int32, net.Switches[s].Ports+1)
		for p := range all[s] {
			all[s][p] = dead
		}
		for _, c := range net.Out(s) {
			all[s][net.From(int(c)).Number] = c
		}
	}
	return all
}

// clone copies forwarding for changes. Destinations and levels are shared.
func (f *Forwarding) clone() *Forwarding {
	c := *f
	c.next = make([][]int32, len(f.next))
	for d, next := range f.next {
		c.next[d] = slices.Clone(next)
	}
	return &c
}

// to returns the switch at the end of a channel.
func (f *Forwarding) to(c int32) int { return f.Net.To(int(c)).Switch }

// write sets the entries of tables that differ from old, and returns the tables.
func (f *Forwarding) write(old *Forwarding) *tables.InfiniBand {
	t := f.Tables.Clone()
	for d, next := range f.next {
		for s, c := range next {
			if c != old.next[d][s] {
				t.SetPort(s, f.Destinations[d].LID, f.port(d, s))
			}
		}
	}
	return t
}

// port returns the output port of an entry, -1 for none.
func (f *Forwarding) port(d, s int) int {
	switch c := f.next[d][s]; c {
	case nowhere:
		return -1
	case dead:
		port, _ := f.Tables.Port(s, f.Destinations[d].LID)
		return port
	case deliver:
		return f.Destinations[d].port(f.Net)
	default:
		return f.Net.From(int(c)).Number
	}
}

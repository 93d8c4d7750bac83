package topology

import (
	"cmp"
	"fmt"
	"slices"
)

// Kind is the kind of an end point. Routing serves all kinds; proofs and statistics tell them
// apart.
type Kind uint8

// Kinds of end points.
const (
	Host        Kind = iota // a compute or service node
	Aggregation             // an in-network reduction node inside a switch
	Router                  // a router to another subnet
)

var kindNames = [...]string{Host: "host", Aggregation: "aggregation", Router: "router"}

func (k Kind) String() string { return kindNames[k] }

// KindNamed returns the kind whose String is name, and whether there is one.
func KindNamed(name string) (Kind, bool) {
	i := slices.Index(kindNames[:], name)
	return Kind(max(i, 0)), i >= 0
}

// Kinds lists all kinds of end points.
func Kinds() []Kind { return []Kind{Host, Aggregation, Router} }

// Switch is a node that forwards packets. Ports are numbered from 1 to Ports;
// port 0 is the management port and carries no link.
type Switch struct {
	ID         string // unique among switches and adapters, such as "s0" or "S-0008f10400410015"
	Name       string // description, may be empty
	Ports      int    // highest port number
	GUID       uint64 // 0 if unknown
	SystemGUID uint64
	VendorID   uint32
	DeviceID   uint32
	LID        uint16 // 0 if unknown
	LMC        uint8  // the switch answers to 2^LMC consecutive LIDs
	Enhanced   bool   // port 0 is an enhanced one
}

// Adapter is a card with one or more ports. Each connected port is an EndPoint.
type Adapter struct {
	ID         string
	Name       string
	Kind       Kind
	Ports      int
	GUID       uint64
	SystemGUID uint64
	VendorID   uint32
	DeviceID   uint32
}

// EndPoint is an adapter port attached to a switch: a source and destination of packets.
type EndPoint struct {
	Adapter     int  // index into Network.Adapters
	AdapterPort int  // port number on the adapter, from 1
	At          Port // where it is attached
	GUID        uint64
	LID         uint16 // 0 if unknown
	LMC         uint8  // the port answers to 2^LMC consecutive LIDs
	Speed       Speed
}

// Port names one port of one switch: index into Network.Switches, and port
// number from 1.
type Port struct{ Switch, Number int }

// Link is a bidirectional cable between two switch ports. Both ends may be on
// one switch (a loop-back cable), or even be the same port (a loop-back plug);
// such a link is kept but never routed over.
type Link struct {
	A, B  Port
	Speed Speed
}

// Network is a set of switches joined by links, with end points attached. It is
// immutable once New has checked it.
//
// Links and end points have a canonical order, so that equal networks number
// their channels and hosts alike whatever they were read or generated from.
//
// Every link is two directed channels: channel 2i leads from Links[i].A to
// Links[i].B and channel 2i+1 back, so c^1 is the reverse of channel c. Links
// between end points and switches are not among them.
type Network struct {
	Name      string
	Switches  []Switch
	Adapters  []Adapter
	EndPoints []EndPoint // in order of (Kind, Switch, Port): hosts come first
	Links     []Link     // A before B, in order of A; see New
	Shape     *Shape     // set by generators whose switches have coordinates; links may be missing, see Without
	// Groups is the group of each switch, from 0, in networks made of groups of switches that are
	// neighbours, with longer links between groups (dragonflies); nil: there are none.
	Groups []int32
	// Racks says which switches stand together, by a number from 0, in networks whose papers say so; nil: nobody
	// does. It is for drawings.
	Racks []int32
	// Leaves says to which switches WithHosts attaches hosts; nil: to all.
	Leaves []bool
	// Notes say what whoever made the network had to assume, and LeftOut what it does not describe,
	// so that no proof covers it: sentences without a full stop.
	Notes, LeftOut []string

	out       [][]int32 // per switch: channels that leave it, by port number
	head      []int32   // per channel: the switch that it leads to
	endPoints [][]int32 // per switch: end points attached, by number
	hosts     int
	shared    map[string]bool // names that several switches have
}

// Shape gives the switches of a regular network coordinates. Switch number s has
// the mixed-radix digits of s, the first dimension varying fastest.
type Shape struct {
	Kind string // "mesh", "torus", "hypercube", "tofu", "hyperx"
	Dims []int  // switches per dimension, each at least 1
	Wrap []bool // dimension has wrap-around links
	Full bool   // all switches that differ in one coordinate only are linked, by one link or several
}

// Coordinates appends the coordinates of switch s to dst.
func (s *Shape) Coordinates(dst []int, sw int) []int {
	for _, d := range s.Dims {
		dst = append(dst, sw%d)
		sw /= d
	}
	return dst
}

// New checks a network and prepares it for use. End points are put in the order
// that Network documents; each link is turned so that A is its lower end, by
// switch and then port, and links are ordered by A. It fails if a port is used
// twice, lies outside its switch or adapter, or an index is out of range.
func New(n Network) (*Network, error) {
	net := n
	net.EndPoints = slices.Clone(n.EndPoints)
	net.Links = slices.Clone(n.Links)
	if err := net.check(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(net.EndPoints, func(a, b EndPoint) int {
		return cmp.Or(
			cmp.Compare(net.Adapters[a.Adapter].Kind, net.Adapters[b.Adapter].Kind),
			a.At.compare(b.At))
	})
	for i, l := range net.Links {
		if l.A.compare(l.B) > 0 {
			net.Links[i].A, net.Links[i].B = l.B, l.A
		}
	}
	slices.SortFunc(net.Links, func(a, b Link) int { return a.A.compare(b.A) })
	net.index()
	return &net, nil
}

func (p Port) compare(q Port) int {
	return cmp.Or(cmp.Compare(p.Switch, q.Switch), cmp.Compare(p.Number, q.Number))
}

func (n *Network) index() {
	n.shared = make(map[string]bool)
	seen := make(map[string]bool, len(n.Switches))
	for _, s := range n.Switches {
		name := cmp.Or(s.Name, s.ID)
		if seen[name] {
			n.shared[name] = true
		}
		seen[name] = true
	}
	n.out = make([][]int32, len(n.Switches))
	n.head = make([]int32, 0, n.Channels())
	for i, l := range n.Links {
		n.head = append(n.head, int32(l.B.Switch), int32(l.A.Switch))
		if l.A.Switch == l.B.Switch {
			continue
		}
		n.out[l.A.Switch] = append(n.out[l.A.Switch], int32(2*i))
		n.out[l.B.Switch] = append(n.out[l.B.Switch], int32(2*i+1))
	}
	for _, cs := range n.out {
		slices.SortFunc(cs, func(a, b int32) int {
			return cmp.Compare(n.From(int(a)).Number, n.From(int(b)).Number)
		})
	}
	n.endPoints = make([][]int32, len(n.Switches))
	n.hosts = 0
	for i, e := range n.EndPoints {
		n.endPoints[e.At.Switch] = append(n.endPoints[e.At.Switch], int32(i))
		if n.KindOf(i) == Host {
			n.hosts++
		}
	}
}

// Channels returns the number of directed channels between switches.
func (n *Network) Channels() int { return 2 * len(n.Links) }

// From returns the output port that channel c starts at.
func (n *Network) From(c int) Port {
	if c&1 == 0 {
		return n.Links[c>>1].A
	}
	return n.Links[c>>1].B
}

// To returns the input port that channel c ends at.
func (n *Network) To(c int) Port { return n.From(c ^ 1) }

// Head returns the switch that channel c ends at, and Tail the one that it starts at. They are in a table of their own, for
// those that look at very many channels.
func (n *Network) Head(c int) int { return int(n.head[c]) }
func (n *Network) Tail(c int) int { return int(n.head[c^1]) }

// Out returns the channels that leave a switch for other switches, ordered by
// output port. The caller must not change the slice.
func (n *Network) Out(sw int) []int32 { return n.out[sw] }

// EndPointsAt returns the numbers of the end points attached to a switch,
// ascending. The caller must not change the slice.
func (n *Network) EndPointsAt(sw int) []int32 { return n.endPoints[sw] }

// Hosts returns the number of end points of kind Host; they are end points 0 to
// Hosts-1.
func (n *Network) Hosts() int { return n.hosts }

// KindOf returns the kind of an end point.
func (n *Network) KindOf(endPoint int) Kind { return n.Adapters[n.EndPoints[endPoint].Adapter].Kind }

// EndPointName returns the readable name of an end point: the adapter's name, or its ID if it has
// none, with the port number if the adapter has several.
func (n *Network) EndPointName(endPoint int) string {
	e := &n.EndPoints[endPoint]
	a := &n.Adapters[e.Adapter]
	name := cmp.Or(a.Name, a.ID)
	if a.Ports > 1 {
		return fmt.Sprintf("%s/%d", name, e.AdapterPort)
	}
	return name
}

// SwitchName returns the name of a switch, or its ID where it has none. If other switches have the
// same name, its GUID follows, or else its ID.
func (n *Network) SwitchName(sw int) string {
	s := &n.Switches[sw]
	name := cmp.Or(s.Name, s.ID)
	switch {
	case !n.shared[name] || s.Name == "":
		return name
	case s.GUID != 0:
		return fmt.Sprintf("%s (0x%016x)", name, s.GUID)
	}
	return fmt.Sprintf("%s (%s)", name, s.ID)
}

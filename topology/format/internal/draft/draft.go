// Package draft makes a network of what a file says of its nodes and cables.
package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"musubi/topology"
	"musubi/topology/format/internal/scan"
)

// Draft collects the nodes and cables of a file, in whatever order and from whichever end the file
// describes them, and makes a Network of them. All readers share it.
//
// A cable may be described from one end or from both. Two descriptions must agree on the ports. The
// lower of two speeds is kept; a node's own description takes precedence over what others say of
// it.
type Draft struct {
	Nodes  []*Node
	ByID   map[string]*Node
	Cables []*Cable

	StatesKinds bool // the format says which nodes are for aggregation
	Describes   bool // the format describes each switch, so one that is only mentioned is missing

	defined int
	plugged map[Plug]*Cable
	notes   []string // see topology.Network
	leftOut []string
}

// Class is what a node is: a switch, an adapter, or not known yet.
type Class uint8

const (
	UnknownClass Class = iota
	SwitchClass
	AdapterClass
)

// Node is a switch or an adapter, as far as known yet.
type Node struct {
	ID, Name   string
	Class      Class
	Kind       topology.Kind
	Ports      int // 0 if the file does not say
	GUID       uint64
	SystemGUID uint64
	Vendor     uint32
	Device     uint32
	LID        uint16
	LMC        uint8
	Enhanced   bool
	Leaf       bool // hosts attach here, although the file names none
	Line       int  // line of its definition or, without one, of its first mention
	Order      int  // among the defined ones, from 1; 0 if only mentioned
	index      int  // in the network
}

// Plug is one port of one node.
type Plug struct {
	Node *Node
	Port int
}

// End is one end of a cable. Port 0 stands for any free port; GUID, LID and LMC
// are known for the ports of adapters only.
type End struct {
	Plug
	GUID uint64
	LID  uint16
	LMC  uint8
}

// Cable joins two ends.
type Cable struct {
	A, B  End
	speed topology.Speed
	Line  int
}

// New returns a draft without nodes.
func New() *Draft {
	return &Draft{ByID: make(map[string]*Node), plugged: make(map[Plug]*Cable)}
}

// NewDump returns a fabric for a format that describes each switch, unless the file is truncated.
func NewDump(truncated bool) *Draft {
	f := New()
	f.Describes = !truncated
	return f
}

// Note records what whoever uses the network should know of how the file was read.
func (f *Draft) Note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// Leave records what the file does not describe.
func (f *Draft) Leave(format string, args ...any) {
	f.leftOut = append(f.leftOut, fmt.Sprintf(format, args...))
}

// Node returns the node with the given ID, which a line mentions.
func (f *Draft) Node(line int, id string) *Node {
	n := f.ByID[id]
	if n == nil {
		n = &Node{ID: id, Line: line}
		f.Nodes = append(f.Nodes, n)
		f.ByID[id] = n
	}
	return n
}

// Define records that the file describes a node here. Nodes are numbered in the order of their
// definitions; nodes that are only mentioned come after them.
func (f *Draft) Define(line int, n *Node) {
	if n.Order == 0 {
		f.defined++
		n.Order, n.Line = f.defined, line
	}
}

// Connect records a cable that the near end describes.
func (f *Draft) Connect(line int, near, far End, speed topology.Speed) error {
	c, d := f.at(near.Plug), f.at(far.Plug)
	switch {
	case c == nil && d == nil:
		if err := f.Full(line); err != nil {
			return err
		}
		f.Add(line, near, far, speed)
		return nil
	case c == d:
		c.describe(near, far, speed)
		return nil
	}
	p := near.Plug
	if c == nil {
		c, p = d, far.Plug
	}
	return scan.Fault(line, "port %d of %s leads from %s port %d to %s port %d; expected the cable between %s port %d and %s port %d of line %d",
		p.Port, scan.Quote(p.Node.ID), scan.Quote(near.Node.ID), near.Port, scan.Quote(far.Node.ID), far.Port,
		scan.Quote(c.A.Node.ID), c.A.Port, scan.Quote(c.B.Node.ID), c.B.Port, c.Line)
}

// Full fails if the file describes more than a network can hold.
func (f *Draft) Full(line int) error {
	if err := topology.CheckSize(float64(len(f.Nodes)), float64(len(f.Cables)), 0); err != nil {
		return scan.Fault(line, "%v", err)
	}
	return nil
}

// at returns the cable plugged in at p; nil if p does not name a port.
func (f *Draft) at(p Plug) *Cable {
	if p.Port == 0 {
		return nil
	}
	return f.plugged[p]
}

// Add adds a cable that no other end describes.
func (f *Draft) Add(line int, a, b End, speed topology.Speed) {
	c := &Cable{A: a, B: b, speed: speed, Line: line}
	f.Cables = append(f.Cables, c)
	if a.Port > 0 {
		f.plugged[a.Plug] = c
	}
	if b.Port > 0 {
		f.plugged[b.Plug] = c
	}
}

// describe merges a second description of the same cable.
func (c *Cable) describe(near, far End, speed topology.Speed) {
	mine, other := &c.A, &c.B
	if mine.Plug != near.Plug {
		mine, other = other, mine
	}
	mine.GUID, other.GUID = cmp.Or(near.GUID, mine.GUID), cmp.Or(other.GUID, far.GUID)
	mine.LID, other.LID = cmp.Or(near.LID, mine.LID), cmp.Or(other.LID, far.LID)
	mine.LMC, other.LMC = cmp.Or(near.LMC, mine.LMC), cmp.Or(other.LMC, far.LMC)
	c.speed = Slower(c.speed, speed)
}

// Network makes the network. hint returns the class of a node for which the file tells none.
func (f *Draft) Network(hint func(*Node) Class) (*topology.Network, error) {
	for _, n := range f.Nodes {
		if n.Class == UnknownClass {
			n.Class = hint(n)
		}
		if n.ID == "" || !scan.IsPrintable(n.ID) {
			return nil, scan.Fault(n.Line, "node name %s; expected printable characters", scan.Quote(n.ID))
		}
		if f.Describes && n.Class == SwitchClass && n.Order == 0 {
			return nil, scan.Truncation(n.Line, "switch %s is known only as the neighbour of others; expected its own description, as in a dump that is not truncated", scan.Quote(n.ID))
		}
		n.Name = scan.Printable(n.Name)
		if !f.StatesKinds && n.isAggregation() {
			n.Kind = topology.Aggregation
		}
	}
	if err := f.assignPorts(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(f.Nodes, func(a, b *Node) int {
		return cmp.Compare(uint(a.Order-1), uint(b.Order-1)) // 0, not defined, comes last
	})
	net := topology.Network{Notes: f.notes, LeftOut: f.leftOut}
	for _, n := range f.Nodes {
		addNode(&net, n)
	}
	for _, c := range f.Cables {
		if err := addCable(&net, c); err != nil {
			return nil, err
		}
	}
	net.Leaves = f.leaves()
	if len(net.Switches) == 0 {
		return nil, scan.Fault(1, "found no switch in the file; expected at least one")
	}
	return topology.New(net)
}

// leaves returns topology.Network.Leaves.
func (f *Draft) leaves() []bool {
	var leaves []bool
	for _, n := range f.Nodes {
		if n.Class == SwitchClass {
			leaves = append(leaves, n.Leaf)
		}
	}
	if !slices.Contains(leaves, true) {
		return nil
	}
	return leaves
}

// Always returns a hint for Network that gives every node one class.
func Always(c Class) func(*Node) Class { return func(*Node) Class { return c } }

// Switches with in-network reduction (SHARP) show an adapter of their own, which
// InfiniBand tells from hosts by its default description or its device ID only.
const (
	aggregationName   = "aggregation node"
	mellanoxVendorID  = 0x2c9
	quantumAggregator = 0xcf09
)

func (n *Node) isAggregation() bool {
	return n.Class == AdapterClass && n.Kind == topology.Host &&
		(strings.Contains(strings.ToLower(n.Name), aggregationName) ||
			n.Vendor == mellanoxVendorID && n.Device == quantumAggregator)
}

// assignPorts chooses free ports, lowest first in the order of the file, for
// cable ends without, and makes sure that every port in use exists.
func (f *Draft) assignPorts() error {
	next := make(map[*Node]int)
	for _, c := range f.Cables {
		for _, e := range []*End{&c.A, &c.B} {
			if e.Port == 0 {
				e.Port = f.freePort(e.Node, next)
				f.plugged[e.Plug] = c
			}
		}
	}
	highest := make(map[*Node]int)
	for _, c := range f.Cables {
		for _, e := range []End{c.A, c.B} {
			if e.Node.Ports > 0 && e.Port > e.Node.Ports {
				return scan.Fault(c.Line, "port %d of %s; expected 1 to %d", e.Port, scan.Quote(e.Node.ID), e.Node.Ports)
			}
			highest[e.Node] = max(highest[e.Node], e.Port)
		}
	}
	for _, n := range f.Nodes {
		n.Ports = cmp.Or(n.Ports, highest[n])
	}
	return nil
}

func (f *Draft) freePort(n *Node, next map[*Node]int) int {
	port := next[n] + 1
	for f.plugged[Plug{Node: n, Port: port}] != nil {
		port++
	}
	next[n] = port
	return port
}

func addNode(net *topology.Network, n *Node) {
	if n.Class == SwitchClass {
		n.index = len(net.Switches)
		net.Switches = append(net.Switches, topology.Switch{
			ID: n.ID, Name: n.Name, Ports: n.Ports, GUID: n.GUID, SystemGUID: n.SystemGUID,
			VendorID: n.Vendor, DeviceID: n.Device, LID: n.LID, LMC: n.LMC, Enhanced: n.Enhanced,
		})
		return
	}
	n.index = len(net.Adapters)
	net.Adapters = append(net.Adapters, topology.Adapter{
		ID: n.ID, Name: n.Name, Kind: n.Kind, Ports: n.Ports, GUID: n.GUID, SystemGUID: n.SystemGUID,
		VendorID: n.Vendor, DeviceID: n.Device,
	})
}

func addCable(net *topology.Network, c *Cable) error {
	a, b := c.A, c.B
	if b.Node.Class == SwitchClass {
		a, b = b, a
	}
	if a.Node.Class == AdapterClass {
		return scan.Fault(c.Line, "adapters %s and %s are linked to each other; expected every adapter on a switch", scan.Quote(a.Node.ID), scan.Quote(b.Node.ID))
	}
	at := topology.Port{Switch: a.Node.index, Number: a.Port}
	if b.Node.Class == SwitchClass {
		net.Links = append(net.Links, topology.Link{A: at, B: topology.Port{Switch: b.Node.index, Number: b.Port}, Speed: c.speed})
		return nil
	}
	net.EndPoints = append(net.EndPoints, topology.EndPoint{
		Adapter: b.Node.index, AdapterPort: b.Port, At: at,
		GUID: b.GUID, LID: b.LID, LMC: b.LMC, Speed: c.speed,
	})
	return nil
}

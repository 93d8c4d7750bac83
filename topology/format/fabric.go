package format

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"musubi/topology"
)

// fabric collects the nodes and cables of a file, in whatever order and from whichever end the file
// describes them, and makes a Network of them. All readers share it.
//
// A cable may be described from one end or from both. Two descriptions must agree on the ports. The
// lower of two speeds is kept; a node's own description takes precedence over what others say of
// it.
type fabric struct {
	nodes       []*node
	byID        map[string]*node
	defined     int
	cables      []*cable
	plugged     map[plug]*cable
	notes       []string // see topology.Network
	leftOut     []string
	statesKinds bool // the format says which nodes are for aggregation
	describes   bool // the format describes each switch, so one that is only mentioned is missing
}

type class uint8

const (
	unknownClass class = iota
	switchClass
	adapterClass
)

// node is a switch or an adapter, as far as known yet.
type node struct {
	id, name   string
	class      class
	kind       topology.Kind
	ports      int // 0 if the file does not say
	guid       uint64
	systemGUID uint64
	vendor     uint32
	device     uint32
	lid        uint16
	lmc        uint8
	enhanced   bool
	leaf       bool // hosts attach here, although the file names none
	line       int  // line of its definition or, without one, of its first mention
	order      int  // among the defined ones, from 1; 0 if only mentioned
	index      int  // in the network
}

// plug is one port of one node.
type plug struct {
	node *node
	port int
}

// end is one end of a cable. Port 0 stands for any free port; GUID, LID and LMC
// are known for the ports of adapters only.
type end struct {
	plug
	guid uint64
	lid  uint16
	lmc  uint8
}

type cable struct {
	a, b  end
	speed topology.Speed
	line  int
}

func newFabric() *fabric {
	return &fabric{byID: make(map[string]*node), plugged: make(map[plug]*cable)}
}

// newDump returns a fabric for a format that describes each switch, unless the file is truncated.
func newDump(truncated bool) *fabric {
	f := newFabric()
	f.describes = !truncated
	return f
}

// note records what whoever uses the network should know of how the file was read.
func (f *fabric) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// leave records what the file does not describe.
func (f *fabric) leave(format string, args ...any) {
	f.leftOut = append(f.leftOut, fmt.Sprintf(format, args...))
}

// node returns the node with the given ID, which a line mentions.
func (f *fabric) node(line int, id string) *node {
	n := f.byID[id]
	if n == nil {
		n = &node{id: id, line: line}
		f.nodes = append(f.nodes, n)
		f.byID[id] = n
	}
	return n
}

// define records that the file describes a node here. Nodes are numbered in the order of their
// definitions; nodes that are only mentioned come after them.
func (f *fabric) define(line int, n *node) {
	if n.order == 0 {
		f.defined++
		n.order, n.line = f.defined, line
	}
}

// connect records a cable that the near end describes.
func (f *fabric) connect(line int, near, far end, speed topology.Speed) error {
	c, d := f.at(near.plug), f.at(far.plug)
	switch {
	case c == nil && d == nil:
		if err := f.full(line); err != nil {
			return err
		}
		f.add(line, near, far, speed)
		return nil
	case c == d:
		c.describe(near, far, speed)
		return nil
	}
	p := near.plug
	if c == nil {
		c, p = d, far.plug
	}
	return fault(line, "port %d of %s leads from %s port %d to %s port %d; expected the cable between %s port %d and %s port %d of line %d",
		p.port, quote(p.node.id), quote(near.node.id), near.port, quote(far.node.id), far.port,
		quote(c.a.node.id), c.a.port, quote(c.b.node.id), c.b.port, c.line)
}

// full fails if the file describes more than a network can hold.
func (f *fabric) full(line int) error {
	if err := topology.CheckSize(float64(len(f.nodes)), float64(len(f.cables)), 0); err != nil {
		return fault(line, "%v", err)
	}
	return nil
}

// at returns the cable plugged in at p; nil if p does not name a port.
func (f *fabric) at(p plug) *cable {
	if p.port == 0 {
		return nil
	}
	return f.plugged[p]
}

func (f *fabric) add(line int, a, b end, speed topology.Speed) {
	c := &cable{a: a, b: b, speed: speed, line: line}
	f.cables = append(f.cables, c)
	if a.port > 0 {
		f.plugged[a.plug] = c
	}
	if b.port > 0 {
		f.plugged[b.plug] = c
	}
}

// describe merges a second description of the same cable.
func (c *cable) describe(near, far end, speed topology.Speed) {
	mine, other := &c.a, &c.b
	if mine.plug != near.plug {
		mine, other = other, mine
	}
	mine.guid, other.guid = cmp.Or(near.guid, mine.guid), cmp.Or(other.guid, far.guid)
	mine.lid, other.lid = cmp.Or(near.lid, mine.lid), cmp.Or(other.lid, far.lid)
	mine.lmc, other.lmc = cmp.Or(near.lmc, mine.lmc), cmp.Or(other.lmc, far.lmc)
	c.speed = slower(c.speed, speed)
}

// network makes the network. hint returns the class of a node for which the file tells none.
func (f *fabric) network(hint func(*node) class) (*topology.Network, error) {
	for _, n := range f.nodes {
		if n.class == unknownClass {
			n.class = hint(n)
		}
		if n.id == "" || !isPrintable(n.id) {
			return nil, fault(n.line, "node name %s; expected printable characters", quote(n.id))
		}
		if f.describes && n.class == switchClass && n.order == 0 {
			return nil, truncation(n.line, "switch %s is known only as the neighbour of others; expected its own description, as in a dump that is not truncated", quote(n.id))
		}
		n.name = printable(n.name)
		if !f.statesKinds && n.isAggregation() {
			n.kind = topology.Aggregation
		}
	}
	if err := f.assignPorts(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(f.nodes, func(a, b *node) int {
		return cmp.Compare(uint(a.order-1), uint(b.order-1)) // 0, not defined, comes last
	})
	net := topology.Network{Notes: f.notes, LeftOut: f.leftOut}
	for _, n := range f.nodes {
		addNode(&net, n)
	}
	for _, c := range f.cables {
		if err := addCable(&net, c); err != nil {
			return nil, err
		}
	}
	net.Leaves = f.leaves()
	if len(net.Switches) == 0 {
		return nil, fault(1, "found no switch in the file; expected at least one")
	}
	return topology.New(net)
}

// leaves returns topology.Network.Leaves.
func (f *fabric) leaves() []bool {
	var leaves []bool
	for _, n := range f.nodes {
		if n.class == switchClass {
			leaves = append(leaves, n.leaf)
		}
	}
	if !slices.Contains(leaves, true) {
		return nil
	}
	return leaves
}

// always returns a hint for fabric.network that gives every node one class.
func always(c class) func(*node) class { return func(*node) class { return c } }

// Switches with in-network reduction (SHARP) show an adapter of their own, which
// InfiniBand tells from hosts by its default description or its device ID only.
const (
	aggregationName   = "aggregation node"
	mellanoxVendorID  = 0x2c9
	quantumAggregator = 0xcf09
)

func (n *node) isAggregation() bool {
	return n.class == adapterClass && n.kind == topology.Host &&
		(strings.Contains(strings.ToLower(n.name), aggregationName) ||
			n.vendor == mellanoxVendorID && n.device == quantumAggregator)
}

// assignPorts chooses free ports, lowest first in the order of the file, for
// cable ends without, and makes sure that every port in use exists.
func (f *fabric) assignPorts() error {
	next := make(map[*node]int)
	for _, c := range f.cables {
		for _, e := range []*end{&c.a, &c.b} {
			if e.port == 0 {
				e.port = f.freePort(e.node, next)
				f.plugged[e.plug] = c
			}
		}
	}
	highest := make(map[*node]int)
	for _, c := range f.cables {
		for _, e := range []end{c.a, c.b} {
			if e.node.ports > 0 && e.port > e.node.ports {
				return fault(c.line, "port %d of %s; expected 1 to %d", e.port, quote(e.node.id), e.node.ports)
			}
			highest[e.node] = max(highest[e.node], e.port)
		}
	}
	for _, n := range f.nodes {
		n.ports = cmp.Or(n.ports, highest[n])
	}
	return nil
}

func (f *fabric) freePort(n *node, next map[*node]int) int {
	port := next[n] + 1
	for f.plugged[plug{node: n, port: port}] != nil {
		port++
	}
	next[n] = port
	return port
}

func addNode(net *topology.Network, n *node) {
	if n.class == switchClass {
		n.index = len(net.Switches)
		net.Switches = append(net.Switches, topology.Switch{
			ID: n.id, Name: n.name, Ports: n.ports, GUID: n.guid, SystemGUID: n.systemGUID,
			VendorID: n.vendor, DeviceID: n.device, LID: n.lid, LMC: n.lmc, Enhanced: n.enhanced,
		})
		return
	}
	n.index = len(net.Adapters)
	net.Adapters = append(net.Adapters, topology.Adapter{
		ID: n.id, Name: n.name, Kind: n.kind, Ports: n.ports, GUID: n.guid, SystemGUID: n.systemGUID,
		VendorID: n.vendor, DeviceID: n.device,
	})
}

func addCable(net *topology.Network, c *cable) error {
	a, b := c.a, c.b
	if b.node.class == switchClass {
		a, b = b, a
	}
	if a.node.class == adapterClass {
		return fault(c.line, "adapters %s and %s are linked to each other; expected every adapter on a switch", quote(a.node.id), quote(b.node.id))
	}
	at := topology.Port{Switch: a.node.index, Number: a.port}
	if b.node.class == switchClass {
		net.Links = append(net.Links, topology.Link{A: at, B: topology.Port{Switch: b.node.index, Number: b.port}, Speed: c.speed})
		return nil
	}
	net.EndPoints = append(net.EndPoints, topology.EndPoint{
		Adapter: b.node.index, AdapterPort: b.port, At: at,
		GUID: b.guid, LID: b.lid, LMC: b.lmc, Speed: c.speed,
	})
	return nil
}

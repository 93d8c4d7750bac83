package infiniband

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// OpenSM and ibdiagnet list the links of a subnet one end at a time (OpenSM,
// osm_dump.c; IBDM, Fabric.cpp), on one line:
//
//	{ SW Ports:24 SystemGUID:... NodeGUID:... PortGUID:... VenID:0002C9 DevID:B924 Rev:000000A0 {name} LID:0006 PN:0C }
//	{ CA ... } PHY=4x LOG=ACT SPD=10
//
// Numbers are hexadecimal. The far end may have its device ID shifted up by 16
// bits, as old versions print it; name and speed may be missing. Lists that were
// made from IBDM topologies call every node CA; then those with more than two
// ports are switches.

var (
	subnetLine = regex.Lazy(`^\s*\{\s*(SW|CA|Rt|RT)(?:-SM)?\s`)
	subnetPort = regex.Lazy(`^\s*\{\s*(SW|CA|Rt|RT)(?:-SM)?\s+Ports:([0-9a-fA-F]+)\s+SystemGUID:([0-9a-fA-F]+)` +
		`\s+NodeGUID:([0-9a-fA-F]+)\s+PortGUID:([0-9a-fA-F]+)\s+VenID:([0-9a-fA-F]+)\s+DevID:([0-9a-fA-F]+)\s+Rev:[0-9a-fA-F]+\s`)
	subnetAnyLine = regex.Lazy(`(?m)^\s*\{\s*(SW|CA|Rt|RT)(-SM)?\s+Ports:`)
	subnetPlace   = regex.Lazy(`^\s*LID:([0-9a-fA-F]+)\s+PN:([0-9a-fA-F]+)\s*\}`)
	subnetLink    = regex.Lazy(`^\s*PHY=(\S+)\s+LOG=(\S+)(?:\s+SPD=(\S+))?\s*$`)
	subnetNameEnd = regex.Lazy(`\}\s*LID:`)
)

// LooksLikeSubnet reports whether the beginning of a file is that of a list of links of OpenSM.
func LooksLikeSubnet(text string) bool { return subnetAnyLine().MatchString(text) }

// subnetReader makes a network of the lines.
type subnetReader struct{ *draft.Draft }

// ReadSubnet reads a list of links of OpenSM.
func ReadSubnet(text string, truncated bool) (*topology.Network, error) {
	f := subnetReader{draft.NewDump(truncated)}
	for number, line := range scan.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		if err := f.line(number, trimmed); err != nil {
			return nil, err
		}
	}
	f.findSwitches()
	return f.Network(draft.Always(draft.SwitchClass))
}

// findSwitches tells switches by their ports in a list that names none.
func (f subnetReader) findSwitches() {
	isSwitch := func(n *draft.Node) bool { return n.Class == draft.SwitchClass }
	if slices.ContainsFunc(f.Nodes, isSwitch) {
		return
	}
	for _, n := range f.Nodes {
		if n.Ports > subnetMaxAdapterPorts && n.Kind == topology.Host {
			n.Class = draft.SwitchClass
		}
	}
}

// subnetMaxAdapterPorts is the number of ports of the largest adapter known.
const subnetMaxAdapterPorts = 2

func (f subnetReader) line(number int, line string) error {
	if !subnetLine().MatchString(line) {
		return scan.Fault(number, "found %s; expected { SW, { CA or { Rt", scan.Quote(line))
	}
	c := scan.Cursor{Rest: line}
	near, err := f.end(number, &c)
	if err != nil {
		return err
	}
	f.Define(number, near.Node)
	far, err := f.end(number, &c)
	if err != nil {
		return err
	}
	m := subnetLink().FindStringSubmatch(c.Rest)
	if m == nil {
		return scan.Fault(number, "found %s; expected PHY=width LOG=state SPD=speed", scan.Quote(c.Rest))
	}
	if m[2] == "DWN" {
		return nil
	}
	return f.Connect(number, near, far, draft.SpeedOf(m[1], strings.ReplaceAll(m[3], "_", "")))
}

// end reads the text between a pair of braces.
func (f subnetReader) end(number int, c *scan.Cursor) (draft.End, error) {
	m := subnetPort().FindStringSubmatch(c.Rest)
	if m == nil {
		return draft.End{}, scan.Fault(number, "found %s; expected { type Ports: SystemGUID: NodeGUID: PortGUID: VenID: DevID: Rev:", scan.Quote(c.Rest))
	}
	c.Rest = c.Rest[len(m[0]):]
	c.SkipSpace()
	name := ""
	if c.Skip("{") {
		i := subnetNameEnd().FindStringIndex(c.Rest)
		if i == nil {
			return draft.End{}, scan.Fault(number, "found %s; expected the name, then } LID:", scan.Quote(c.Rest))
		}
		name, c.Rest = c.Rest[:i[0]], c.Rest[i[0]+1:]
	}
	place := subnetPlace().FindStringSubmatch(c.Rest)
	if place == nil {
		return draft.End{}, scan.Fault(number, "found %s; expected LID: and PN:, then }", scan.Quote(c.Rest))
	}
	c.Rest = c.Rest[len(place[0]):]
	return f.adapterOrSwitch(number, m[1:], name, place[1:])
}

func (f subnetReader) adapterOrSwitch(number int, m []string, name string, place []string) (draft.End, error) {
	var values [8]uint64
	for i, text := range append(m[1:7:7], place...) {
		bits := 64
		if i == 0 || i > 5 {
			bits = 16
		}
		var ok bool
		if values[i], ok = scan.Hexadecimal(text, bits); !ok {
			return draft.End{}, scan.Fault(number, "number %s; expected at most %d bits, in hexadecimal", scan.Quote(text), bits)
		}
	}
	ports, guid, port := int(values[0]), values[2], int(values[7])
	if guid == 0 {
		return draft.End{}, scan.Fault(number, "node GUID of %s is 0; expected another number", scan.Quote(name))
	}
	if port < 1 || port > ports {
		return draft.End{}, scan.Fault(number, "port %d of %s; expected 1 to %d", port, scan.Quote(name), ports)
	}
	prefix := map[string]string{"SW": "S", "CA": "H"}[m[0]]
	if prefix == "" {
		prefix = "R"
	}
	n := f.Node(number, fmt.Sprintf("%s-%016x", prefix, guid))
	if n.Ports != 0 && n.Ports != ports {
		return draft.End{}, scan.Fault(number, "%s has %d ports; expected %d as on line %d", scan.Quote(name), ports, n.Ports, n.Line)
	}
	n.Name, n.Ports, n.SystemGUID, n.GUID = name, ports, values[1], guid
	n.Vendor = uint32(values[4])
	n.Device = max(n.Device, shiftedDevice(values[5]))
	n.Class = draft.AdapterClass
	switch prefix {
	case "S":
		n.Class, n.LID = draft.SwitchClass, uint16(values[6])
	case "R":
		n.Kind = topology.Router
	}
	return draft.End{Plug: draft.Plug{Node: n, Port: port}, GUID: values[3], LID: uint16(values[6])}, nil
}

// shiftedDevice undoes the shift by 16 bits that some versions of OpenSM apply
// to device IDs.
func shiftedDevice(v uint64) uint32 {
	if v > 0xffff {
		return uint32(v >> 16)
	}
	return uint32(v)
}

// WriteSubnet writes a list of links of OpenSM.
func WriteSubnet(w *bufio.Writer, n *topology.Network) error {
	n = n.WithGUIDs()
	cabling := cablingOf(n)
	for s, jacks := range cabling.switches {
		for _, j := range jacks {
			far := subnetSwitch(n, j.far)
			if j.endPoint >= 0 {
				far = subnetAdapter(n, j.endPoint)
			}
			if err := writeSubnetLine(w, subnetSwitch(n, topology.Port{Switch: s, Number: j.port}), far, j.speed); err != nil {
				return err
			}
		}
	}
	for i := range n.Adapters {
		for _, e := range cabling.adapters[i] {
			if err := writeSubnetLine(w, subnetAdapter(n, e), subnetSwitch(n, n.EndPoints[e].At), n.EndPoints[e].Speed); err != nil {
				return err
			}
		}
	}
	return nil
}

// subnetText is the description of one port in the list.
type subnetText struct {
	kind                   string
	ports                  int
	system, guid, portGUID uint64
	vendor, device         uint32
	name                   string
	lid                    uint16
	port                   int
}

func subnetSwitch(n *topology.Network, p topology.Port) subnetText {
	s := &n.Switches[p.Switch]
	return subnetText{"SW", s.Ports, s.SystemGUID, s.GUID, s.GUID, s.VendorID, s.DeviceID, s.Name, s.LID, p.Number}
}

func subnetAdapter(n *topology.Network, endPoint int) subnetText {
	e := &n.EndPoints[endPoint]
	a := &n.Adapters[e.Adapter]
	kind := "CA"
	if a.Kind == topology.Router {
		kind = "Rt"
	}
	return subnetText{kind, a.Ports, a.SystemGUID, a.GUID, e.GUID, a.VendorID, a.DeviceID, a.Name, e.LID, e.AdapterPort}
}

func (t subnetText) write(w *bufio.Writer) {
	fmt.Fprintf(w, "{ %s Ports:%02X SystemGUID:%016x NodeGUID:%016x PortGUID:%016x VenID:%06X DevID:%04X Rev:00000000 {%s} LID:%04X PN:%02X } ",
		t.kind, t.ports, t.system, t.guid, t.portGUID, t.vendor, t.device, t.name, t.lid, t.port)
}

func writeSubnetLine(w *bufio.Writer, near, far subnetText, s topology.Speed) error {
	for _, name := range []string{near.name, far.name} {
		if subnetNameEnd().MatchString(name) {
			return fmt.Errorf("name %q cannot be written: it looks like the end of a name", name)
		}
	}
	near.write(w)
	far.write(w)
	width, rate, ok := draft.GigabitsOf(s)
	if !ok {
		width, rate = "??", "??"
	}
	fmt.Fprintf(w, "PHY=%s LOG=ACT SPD=%s\n", width, rate)
	return nil
}

package draft

import (
	"fmt"
	"strconv"
	"strings"

	"musubi/topology"
	"musubi/topology/format/internal/scan"
)

// Attribute is a named field of a node or cable: a data element in GraphML, an attribute in
// Graphviz. Both formats keep all fields of a network. Unknown attributes are ignored; an attribute
// with one of our names must have one of our values.
type Attribute struct{ Key, Value string }

// Attributes of nodes, besides the kind. The last three are for switches only.
var NodeAttributes = []string{"name", "ports", "guid", "systemguid", "vendorid", "deviceid", "lid", "lmc", "enhanced"}

// Attributes of cables. The last three belong to the adapter's port.
var CableAttributes = []string{"sourceport", "targetport", "speed", "portguid", "lid", "lmc"}

const switchKind = "switch"

// SetAttribute sets a field of a node.
func (n *Node) SetAttribute(line int, key, value string) error {
	var ok bool
	expected := ""
	switch strings.ToLower(key) {
	case "kind":
		expected = "switch, host, aggregation or router"
		ok = n.setKind(value)
	case "type", "role": // other tools mean all sorts of things by it
		ok = true
		if value == switchKind || value == topology.Host.String() {
			n.setKind(value)
		}
	case "name", "label":
		n.Name, ok = value, true
	case "ports":
		expected = fmt.Sprintf("a number from 0 to %d", scan.MaxPort)
		n.Ports, ok = scan.Decimal(value, scan.MaxPort)
	case "guid":
		expected = "a hexadecimal number of 64 bits"
		n.GUID, ok = scan.Hexadecimal(value, 64)
	case "systemguid":
		expected = "a hexadecimal number of 64 bits"
		n.SystemGUID, ok = scan.Hexadecimal(value, 64)
	case "vendorid":
		expected = "a hexadecimal number of 32 bits"
		n.Vendor, ok = hexadecimal32(value)
	case "deviceid":
		expected = "a hexadecimal number of 32 bits"
		n.Device, ok = hexadecimal32(value)
	case "lid":
		expected = "a number from 0 to 65535"
		n.LID, ok = lid(value)
	case "lmc":
		expected = fmt.Sprintf("a number from 0 to %d", MaxLMC)
		n.LMC, ok = lmc(value)
	case "enhanced":
		expected = "true or false"
		n.Enhanced, ok = value == "true", value == "true" || value == "false"
	default:
		return nil
	}
	if !ok {
		return scan.Fault(line, "%s of node %s is %s; expected %s", key, scan.Quote(n.ID), scan.Quote(value), expected)
	}
	return nil
}

func (n *Node) setKind(value string) bool {
	value = strings.ToLower(strings.TrimSpace(value))
	if value == switchKind {
		n.Class = SwitchClass
		return true
	}
	kind, ok := topology.KindNamed(value)
	if ok {
		n.Class, n.Kind = AdapterClass, kind
	}
	return ok
}

// CableText is a cable with the attributes read so far; port GUID, LID and LMC
// go to whichever end turns out to be an adapter.
type CableText struct {
	Ports  [2]int // 0 if not given
	device End
	Speed  topology.Speed
}

// Set sets a field of a cable. It ignores unknown keys.
func (c *CableText) Set(line int, key, value string) error {
	var ok bool
	expected := ""
	switch strings.ToLower(key) {
	case "sourceport":
		expected = fmt.Sprintf("a number from 1 to %d", scan.MaxPort)
		c.Ports[0], ok = scan.PortNumber(value)
	case "targetport":
		expected = fmt.Sprintf("a number from 1 to %d", scan.MaxPort)
		c.Ports[1], ok = scan.PortNumber(value)
	case "speed":
		expected = "a speed such as 4xNDR"
		c.Speed, ok = topology.ParseSpeed(value)
	case "portguid":
		expected = "a hexadecimal number of 64 bits"
		c.device.GUID, ok = scan.Hexadecimal(value, 64)
	case "lid":
		expected = "a number from 0 to 65535"
		c.device.LID, ok = lid(value)
	case "lmc":
		expected = fmt.Sprintf("a number from 0 to %d", MaxLMC)
		c.device.LMC, ok = lmc(value)
	default:
		return nil
	}
	if !ok {
		return scan.Fault(line, "%s is %s; expected %s", key, scan.Quote(value), expected)
	}
	return nil
}

func hexadecimal32(s string) (uint32, bool) {
	v, ok := scan.Hexadecimal(s, 32)
	return uint32(v), ok
}

func lid(s string) (uint16, bool) {
	v, ok := scan.Decimal(s, 1<<16-1)
	return uint16(v), ok
}

func lmc(s string) (uint8, bool) {
	v, ok := scan.Decimal(s, MaxLMC)
	return uint8(v), ok
}

// SwitchAttributes returns the known fields of a switch, in the order of NodeAttributes.
func SwitchAttributes(s *topology.Switch) []Attribute {
	return known("kind", switchKind, "name", s.Name, "ports", Number(s.Ports),
		"guid", hexText(s.GUID), "systemguid", hexText(s.SystemGUID), "vendorid", hexText(uint64(s.VendorID)),
		"deviceid", hexText(uint64(s.DeviceID)), "lid", Number(int(s.LID)), "lmc", Number(int(s.LMC)), "enhanced", trueText(s.Enhanced))
}

// AdapterAttributes returns the known fields of an adapter.
func AdapterAttributes(a *topology.Adapter) []Attribute {
	return known("kind", a.Kind.String(), "name", a.Name, "ports", Number(a.Ports),
		"guid", hexText(a.GUID), "systemguid", hexText(a.SystemGUID), "vendorid", hexText(uint64(a.VendorID)),
		"deviceid", hexText(uint64(a.DeviceID)))
}

// LinkAttributes returns the known fields of a link.
func LinkAttributes(l *topology.Link) []Attribute {
	return known("sourceport", Number(l.A.Number), "targetport", Number(l.B.Number), "speed", l.Speed.String())
}

// EndPointAttributes describes the cable of an end point, from the switch to the adapter.
func EndPointAttributes(e *topology.EndPoint) []Attribute {
	return known("sourceport", Number(e.At.Number), "targetport", Number(e.AdapterPort), "speed", e.Speed.String(),
		"portguid", hexText(e.GUID), "lid", Number(int(e.LID)), "lmc", Number(int(e.LMC)))
}

// known pairs keys with values and leaves out those without.
func known(pairs ...string) []Attribute {
	var as []Attribute
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			as = append(as, Attribute{pairs[i], pairs[i+1]})
		}
	}
	return as
}

// Number writes a number that is not 0.
func Number(v int) string {
	if v == 0 {
		return ""
	}
	return strconv.Itoa(v)
}

func hexText(v uint64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("0x%x", v)
}

func trueText(v bool) string {
	if v {
		return "true"
	}
	return ""
}

// MaxLMC is the largest LID mask control: the field has three bits.
const MaxLMC = 7

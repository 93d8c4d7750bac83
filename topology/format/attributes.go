package format

import (
	"fmt"
	"strconv"
	"strings"

	"musubi/topology"
)

// attribute is a named field of a node or cable: a data element in GraphML, an attribute in
// Graphviz. Both formats keep all fields of a network. Unknown attributes are ignored; an attribute
// with one of our names must have one of our values.
type attribute struct{ key, value string }

// Attributes of nodes, besides the kind. The last three are for switches only.
var nodeAttributes = []string{"name", "ports", "guid", "systemguid", "vendorid", "deviceid", "lid", "lmc", "enhanced"}

// Attributes of cables. The last three belong to the adapter's port.
var cableAttributes = []string{"sourceport", "targetport", "speed", "portguid", "lid", "lmc"}

const switchKind = "switch"

// setAttribute sets a field of a node.
func (n *node) setAttribute(line int, key, value string) error {
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
		n.name, ok = value, true
	case "ports":
		expected = fmt.Sprintf("a number from 0 to %d", maxPort)
		n.ports, ok = decimal(value, maxPort)
	case "guid":
		expected = "a hexadecimal number of 64 bits"
		n.guid, ok = hexadecimal(value, 64)
	case "systemguid":
		expected = "a hexadecimal number of 64 bits"
		n.systemGUID, ok = hexadecimal(value, 64)
	case "vendorid":
		expected = "a hexadecimal number of 32 bits"
		n.vendor, ok = hexadecimal32(value)
	case "deviceid":
		expected = "a hexadecimal number of 32 bits"
		n.device, ok = hexadecimal32(value)
	case "lid":
		expected = "a number from 0 to 65535"
		n.lid, ok = lid(value)
	case "lmc":
		expected = fmt.Sprintf("a number from 0 to %d", maxLMC)
		n.lmc, ok = lmc(value)
	case "enhanced":
		expected = "true or false"
		n.enhanced, ok = value == "true", value == "true" || value == "false"
	default:
		return nil
	}
	if !ok {
		return fault(line, "%s of node %s is %s; expected %s", key, quote(n.id), quote(value), expected)
	}
	return nil
}

func (n *node) setKind(value string) bool {
	value = strings.ToLower(strings.TrimSpace(value))
	if value == switchKind {
		n.class = switchClass
		return true
	}
	kind, ok := topology.KindNamed(value)
	if ok {
		n.class, n.kind = adapterClass, kind
	}
	return ok
}

// cableText is a cable with the attributes read so far; port GUID, LID and LMC
// go to whichever end turns out to be an adapter.
type cableText struct {
	ports  [2]int // 0 if not given
	device end
	speed  topology.Speed
}

// set sets a field of a cable. It ignores unknown keys.
func (c *cableText) set(line int, key, value string) error {
	var ok bool
	expected := ""
	switch strings.ToLower(key) {
	case "sourceport":
		expected = fmt.Sprintf("a number from 1 to %d", maxPort)
		c.ports[0], ok = portNumber(value)
	case "targetport":
		expected = fmt.Sprintf("a number from 1 to %d", maxPort)
		c.ports[1], ok = portNumber(value)
	case "speed":
		expected = "a speed such as 4xNDR"
		c.speed, ok = topology.ParseSpeed(value)
	case "portguid":
		expected = "a hexadecimal number of 64 bits"
		c.device.guid, ok = hexadecimal(value, 64)
	case "lid":
		expected = "a number from 0 to 65535"
		c.device.lid, ok = lid(value)
	case "lmc":
		expected = fmt.Sprintf("a number from 0 to %d", maxLMC)
		c.device.lmc, ok = lmc(value)
	default:
		return nil
	}
	if !ok {
		return fault(line, "%s is %s; expected %s", key, quote(value), expected)
	}
	return nil
}

func hexadecimal32(s string) (uint32, bool) {
	v, ok := hexadecimal(s, 32)
	return uint32(v), ok
}

func lid(s string) (uint16, bool) {
	v, ok := decimal(s, 1<<16-1)
	return uint16(v), ok
}

func lmc(s string) (uint8, bool) {
	v, ok := decimal(s, maxLMC)
	return uint8(v), ok
}

// switchAttributes returns the known fields of a switch, in the order of nodeAttributes.
func switchAttributes(s *topology.Switch) []attribute {
	return known("kind", switchKind, "name", s.Name, "ports", number0(s.Ports),
		"guid", hexText(s.GUID), "systemguid", hexText(s.SystemGUID), "vendorid", hexText(uint64(s.VendorID)),
		"deviceid", hexText(uint64(s.DeviceID)), "lid", number0(int(s.LID)), "lmc", number0(int(s.LMC)), "enhanced", trueText(s.Enhanced))
}

func adapterAttributes(a *topology.Adapter) []attribute {
	return known("kind", a.Kind.String(), "name", a.Name, "ports", number0(a.Ports),
		"guid", hexText(a.GUID), "systemguid", hexText(a.SystemGUID), "vendorid", hexText(uint64(a.VendorID)),
		"deviceid", hexText(uint64(a.DeviceID)))
}

func linkAttributes(l *topology.Link) []attribute {
	return known("sourceport", number0(l.A.Number), "targetport", number0(l.B.Number), "speed", l.Speed.String())
}

// endPointAttributes describes the cable of an end point, from the switch to the adapter.
func endPointAttributes(e *topology.EndPoint) []attribute {
	return known("sourceport", number0(e.At.Number), "targetport", number0(e.AdapterPort), "speed", e.Speed.String(),
		"portguid", hexText(e.GUID), "lid", number0(int(e.LID)), "lmc", number0(int(e.LMC)))
}

// known pairs keys with values and leaves out those without.
func known(pairs ...string) []attribute {
	var as []attribute
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			as = append(as, attribute{pairs[i], pairs[i+1]})
		}
	}
	return as
}

func number0(v int) string {
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

// maxLMC is the largest LID mask control: the field has three bits.
const maxLMC = 7

package infiniband

import (
	"cmp"
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// The grammar that ibnetdiscover prints and ibsim reads (infiniband-diags,
// ibnetdiscover.c; ibsim, sim_net.c). A node is
//
//	vendid=0x2c9
//	devid=0xd2f2
//	sysimgguid=0x2c5eab0300b87b40
//	switchguid=0x2c5eab0300b87b40(2c5eab0300b87b40)
//	Switch	65 "S-2c5eab0300b87b40"		# "name" enhanced port 0 lid 73 lmc 0
//	[1]	"H-e09d7303007a4bd8"[1](e09d7303007a4bd8) 		# "name" lid 647 4xNDR
//
// and for adapters caguid, hcaguid or rtguid, Ca, Hca or Rt, and
//
//	[1](e09d7303007a4bd8) 	"S-2c5eab0300b87b40"[1]		# lid 647 lmc 0 "name" lid 73 4xNDR
//
// Comments may be missing and names unquoted, as old tools print them, external
// port numbers of chassis may follow a port as in [1][ext 7], and messages of the
// tool itself may stand between the lines.

var (
	ibNodeLine  = regex.Lazy(`^\s*(?i:(switch|ca|hca|rt|router))\s+(\d+)\s+"([^"]*)"(.*)$`)
	ibValueLine = regex.Lazy(`^\s*(vendid|devid|sysimgguid|switchguids?|caguids?|hcaguids?|rtguids?)\s*=\s*([0-9A-Za-z]+)`)
	// ibTitleLine matches headings that carry nothing a Network holds.
	ibTitleLine = regex.Lazy(`^\s*(#|Chassis\b|Non-Chassis Nodes|Hostname:|$)`)
	// ibNoiseLine matches what tools write to the terminal between the lines.
	ibNoiseLine = regex.Lazy(`^\s*(\S+\.c:\d+|ib(warn|error|panic|debug)\b|\S+: ib(warn|error|panic)|-[WEI]-|DR path |mad_|umad|\S*ibnetdiscover\b)`)
	// ibOptions matches what ibsim lets a port enable; it is not kept.
	ibOptions = regex.Lazy(`^\s*([a-z]+=\w+\s*)*$`)
	ibAnyLine = regex.Lazy(`(?m)^\s*((?i:switch|ca|hca|rt)\s+\d+\s+"|(vendid|devid|sysimgguid|(switch|ca|hca|rt)guids?)\s*=)`)
)

// LooksLikeIBNet reports whether the beginning of a file is that of a dump of ibnetdiscover or a net file of ibsim.
func LooksLikeIBNet(text string) bool { return ibAnyLine().MatchString(text) }

// ibReader holds the values that precede a node, and the node whose ports follow.
type ibReader struct {
	*draft.Draft
	values draft.Node
	here   *draft.Node
}

// ReadIBNet reads a dump of ibnetdiscover or a net file of ibsim.
func ReadIBNet(text string, truncated bool) (*topology.Network, error) {
	r := ibReader{Draft: draft.NewDump(truncated)}
	for number, line := range scan.Lines(text) {
		if err := r.line(number, line); err != nil {
			return nil, err
		}
	}
	for _, n := range r.Nodes {
		if n.Class == draft.UnknownClass && !classByPrefix(n) {
			return nil, scan.Fault(n.Line, "node %s is not described anywhere; expected a Switch, Ca, Hca or Rt line for it", scan.Quote(n.ID))
		}
	}
	return r.Network(draft.Always(draft.SwitchClass))
}

func (r *ibReader) line(number int, line string) error {
	trimmed := strings.TrimLeft(line, " \t")
	if strings.HasPrefix(trimmed, "[") {
		return r.port(number, trimmed)
	}
	if m := ibNodeLine().FindStringSubmatch(line); m != nil {
		return r.header(number, m[1], m[2], m[3], m[4])
	}
	if m := ibValueLine().FindStringSubmatch(line); m != nil {
		return r.value(number, m[1], m[2])
	}
	if ibTitleLine().MatchString(line) || ibNoiseLine().MatchString(line) {
		return nil
	}
	return scan.Fault(number, "found %s; expected a node (Switch, Ca, Hca, Rt), a port ([1] ...), a GUID or ID (caguid=...) or a comment", scan.Quote(trimmed))
}

func (r *ibReader) value(number int, key, value string) error {
	bits := 64
	if key == "vendid" || key == "devid" {
		bits = 32
	}
	v, ok := scan.Hexadecimal(value, bits)
	if !ok {
		return scan.Fault(number, "%s is %s; expected a hexadecimal number of at most %d bits", key, scan.Quote(value), bits)
	}
	switch key {
	case "vendid":
		r.values.Vendor = uint32(v)
	case "devid":
		r.values.Device = uint32(v)
	case "sysimgguid":
		r.values.SystemGUID = v
	default:
		r.values.GUID = v
	}
	return nil
}

func (r *ibReader) header(number int, keyword, ports, id, comment string) error {
	count, ok := scan.Decimal(ports, scan.MaxPort)
	if !ok {
		return scan.Fault(number, "node %s has %s ports; expected 0 to %d", scan.Quote(id), scan.Quote(ports), scan.MaxPort)
	}
	class, kind := draft.AdapterClass, topology.Host
	switch strings.ToLower(keyword) {
	case "switch":
		class = draft.SwitchClass
	case "rt", "router":
		kind = topology.Router
	}
	guid := cmp.Or(r.values.GUID, guidOfID(id))
	n := r.Node(number, id)
	if n.Order > 0 && (n.Ports != count || n.GUID != guid || n.Class != class || n.Kind != kind) {
		return scan.Fault(number, "node %s differs from its description on line %d; expected the same type, ports and GUID", scan.Quote(id), n.Line)
	}
	r.Define(number, n)
	n.Class, n.Kind, n.Ports, n.GUID = class, kind, count, guid
	n.Vendor, n.Device, n.SystemGUID = r.values.Vendor, r.values.Device, r.values.SystemGUID
	c := parseComment(comment)
	n.Name, n.Enhanced = cmp.Or(c.name, n.Name), c.enhanced
	if n.Class == draft.SwitchClass {
		n.LID, n.LMC = cmp.Or(c.ownLID, c.lid, n.LID), c.ownLMC
	}
	r.values, r.here = draft.Node{}, n
	return nil
}

// port reads a line such as
//
//	[1](guid)	"S-..."[2][ext 3](guid)	# comment
func (r *ibReader) port(number int, line string) error {
	if r.here == nil {
		return scan.Fault(number, "found the port %s; expected a Switch, Ca, Hca or Rt line before it", scan.Quote(line))
	}
	c := scan.Cursor{Rest: line}
	near, err := ibPort(number, &c, r.here)
	if err != nil {
		return err
	}
	c.SkipSpace()
	id, ok := c.Between(`"`, `"`)
	if !ok {
		return scan.Fault(number, "found %s after the port; expected the other node, in quotes", scan.Quote(c.Rest))
	}
	far := draft.End{Plug: draft.Plug{Node: r.Node(number, id), Port: 1}} // ibsim takes 1 if no port is given
	if strings.HasPrefix(c.Rest, "[") {
		if far, err = ibPort(number, &c, far.Node); err != nil {
			return err
		}
	}
	options, _, _ := strings.Cut(c.Rest, "#")
	if !ibOptions().MatchString(options) {
		return scan.Fault(number, "found %s behind the other port; expected a comment or options such as w=4", scan.Quote(options))
	}
	comment := parseComment(c.Rest)
	describeFar(&far, comment)
	if r.here.Class == draft.AdapterClass {
		near.LID, near.LMC = comment.ownLID, comment.ownLMC
	}
	return r.Connect(number, near, far, comment.speed)
}

// describeFar records the description of the far node in a port line.
func describeFar(e *draft.End, c ibComment) {
	e.Node.Name = cmp.Or(e.Node.Name, c.name)
	switch {
	case e.Node.Class == draft.UnknownClass && !classByPrefix(e.Node):
		e.LID = c.lid
	case e.Node.Class == draft.AdapterClass:
		e.LID = c.lid
	case e.Node.Order == 0:
		e.Node.LID = c.lid
	}
}

// ibPort reads a port number with what may follow it: an external port number and
// a port GUID.
func ibPort(number int, c *scan.Cursor, n *draft.Node) (draft.End, error) {
	found := c.Rest
	text, ok := c.Between("[", "]")
	port, isNumber := scan.PortNumber(text)
	if !ok || !isNumber {
		return draft.End{}, scan.Fault(number, "found %s; expected a port number from 1 to %d in brackets", scan.Quote(found), scan.MaxPort)
	}
	if n.Order > 0 && port > n.Ports {
		return draft.End{}, scan.Fault(number, "port %d of %s; expected 1 to %d", port, scan.Quote(n.ID), n.Ports)
	}
	c.Between("[ext", "]")
	e := draft.End{Plug: draft.Plug{Node: n, Port: port}}
	save := c.Rest
	c.SkipSpace()
	if text, ok := c.Between("(", ")"); ok {
		if e.GUID, ok = scan.Hexadecimal(text, 64); !ok {
			return draft.End{}, scan.Fault(number, "port GUID %s; expected a hexadecimal number", scan.Quote(text))
		}
		return e, nil
	}
	c.Rest = save
	return e, nil
}

// guidOfID returns the GUID that ibnetdiscover puts into its IDs, as in
// S-2c5eab0300b87b40, or 0.
func guidOfID(id string) uint64 {
	if len(id) != 18 || id[1] != '-' || !strings.ContainsRune("SHR", rune(id[0])) {
		return 0
	}
	guid, err := strconv.ParseUint(id[2:], 16, 64)
	if err != nil {
		return 0
	}
	return guid
}

// classByPrefix tells what a node is from an ID of the kind that ibnetdiscover
// gives, for nodes that did not answer it themselves.
func classByPrefix(n *draft.Node) bool {
	if guidOfID(n.ID) == 0 {
		return false
	}
	n.GUID, n.Class = guidOfID(n.ID), draft.AdapterClass
	switch n.ID[0] {
	case 'S':
		n.Class = draft.SwitchClass
	case 'R':
		n.Kind = topology.Router
	}
	return true
}

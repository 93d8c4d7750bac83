package format

import (
	"cmp"
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
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

func looksLikeIBNet(text string) bool { return ibAnyLine().MatchString(text) }

// ibReader holds the values that precede a node, and the node whose ports follow.
type ibReader struct {
	*fabric
	values node
	here   *node
}

func readIBNet(text string, truncated bool) (*topology.Network, error) {
	r := ibReader{fabric: newDump(truncated)}
	for number, line := range lines(text) {
		if err := r.line(number, line); err != nil {
			return nil, err
		}
	}
	for _, n := range r.nodes {
		if n.class == unknownClass && !classByPrefix(n) {
			return nil, fault(n.line, "node %s is not described anywhere; expected a Switch, Ca, Hca or Rt line for it", quote(n.id))
		}
	}
	return r.network(always(switchClass))
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
	return fault(number, "found %s; expected a node (Switch, Ca, Hca, Rt), a port ([1] ...), a GUID or ID (caguid=...) or a comment", quote(trimmed))
}

func (r *ibReader) value(number int, key, value string) error {
	bits := 64
	if key == "vendid" || key == "devid" {
		bits = 32
	}
	v, ok := hexadecimal(value, bits)
	if !ok {
		return fault(number, "%s is %s; expected a hexadecimal number of at most %d bits", key, quote(value), bits)
	}
	switch key {
	case "vendid":
		r.values.vendor = uint32(v)
	case "devid":
		r.values.device = uint32(v)
	case "sysimgguid":
		r.values.systemGUID = v
	default:
		r.values.guid = v
	}
	return nil
}

func (r *ibReader) header(number int, keyword, ports, id, comment string) error {
	count, ok := decimal(ports, maxPort)
	if !ok {
		return fault(number, "node %s has %s ports; expected 0 to %d", quote(id), quote(ports), maxPort)
	}
	class, kind := adapterClass, topology.Host
	switch strings.ToLower(keyword) {
	case "switch":
		class = switchClass
	case "rt", "router":
		kind = topology.Router
	}
	guid := cmp.Or(r.values.guid, guidOfID(id))
	n := r.node(number, id)
	if n.order > 0 && (n.ports != count || n.guid != guid || n.class != class || n.kind != kind) {
		return fault(number, "node %s differs from its description on line %d; expected the same type, ports and GUID", quote(id), n.line)
	}
	r.define(number, n)
	n.class, n.kind, n.ports, n.guid = class, kind, count, guid
	n.vendor, n.device, n.systemGUID = r.values.vendor, r.values.device, r.values.systemGUID
	c := parseComment(comment)
	n.name, n.enhanced = cmp.Or(c.name, n.name), c.enhanced
	if n.class == switchClass {
		n.lid, n.lmc = cmp.Or(c.ownLID, c.lid, n.lid), c.ownLMC
	}
	r.values, r.here = node{}, n
	return nil
}

// port reads a line such as
//
//	[1](guid)	"S-..."[2][ext 3](guid)	# comment
func (r *ibReader) port(number int, line string) error {
	if r.here == nil {
		return fault(number, "found the port %s; expected a Switch, Ca, Hca or Rt line before it", quote(line))
	}
	c := cursor{rest: line}
	near, err := ibPort(number, &c, r.here)
	if err != nil {
		return err
	}
	c.skipSpace()
	id, ok := c.between(`"`, `"`)
	if !ok {
		return fault(number, "found %s after the port; expected the other node, in quotes", quote(c.rest))
	}
	far := end{plug: plug{node: r.node(number, id), port: 1}} // ibsim takes 1 if no port is given
	if strings.HasPrefix(c.rest, "[") {
		if far, err = ibPort(number, &c, far.node); err != nil {
			return err
		}
	}
	options, _, _ := strings.Cut(c.rest, "#")
	if !ibOptions().MatchString(options) {
		return fault(number, "found %s behind the other port; expected a comment or options such as w=4", quote(options))
	}
	comment := parseComment(c.rest)
	describeFar(&far, comment)
	if r.here.class == adapterClass {
		near.lid, near.lmc = comment.ownLID, comment.ownLMC
	}
	return r.connect(number, near, far, comment.speed)
}

// describeFar records the description of the far node in a port line.
func describeFar(e *end, c ibComment) {
	e.node.name = cmp.Or(e.node.name, c.name)
	switch {
	case e.node.class == unknownClass && !classByPrefix(e.node):
		e.lid = c.lid
	case e.node.class == adapterClass:
		e.lid = c.lid
	case e.node.order == 0:
		e.node.lid = c.lid
	}
}

// ibPort reads a port number with what may follow it: an external port number and
// a port GUID.
func ibPort(number int, c *cursor, n *node) (end, error) {
	found := c.rest
	text, ok := c.between("[", "]")
	port, isNumber := portNumber(text)
	if !ok || !isNumber {
		return end{}, fault(number, "found %s; expected a port number from 1 to %d in brackets", quote(found), maxPort)
	}
	if n.order > 0 && port > n.ports {
		return end{}, fault(number, "port %d of %s; expected 1 to %d", port, quote(n.id), n.ports)
	}
	c.between("[ext", "]")
	e := end{plug: plug{node: n, port: port}}
	save := c.rest
	c.skipSpace()
	if text, ok := c.between("(", ")"); ok {
		if e.guid, ok = hexadecimal(text, 64); !ok {
			return end{}, fault(number, "port GUID %s; expected a hexadecimal number", quote(text))
		}
		return e, nil
	}
	c.rest = save
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
func classByPrefix(n *node) bool {
	if guidOfID(n.id) == 0 {
		return false
	}
	n.guid, n.class = guidOfID(n.id), adapterClass
	switch n.id[0] {
	case 'S':
		n.class = switchClass
	case 'R':
		n.kind = topology.Router
	}
	return true
}

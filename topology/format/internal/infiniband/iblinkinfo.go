package infiniband

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// iblinkinfo (infiniband-diags, iblinkinfo.c) prints a line for each port, in one of two forms. By
// default the lines of a node follow its heading, and name the other end by LID and port:
//
//	Switch: 0x0000000000200003 leaf4:
//	           7    5[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>       8    4[  ] "spine1" ( )
//	CA: node8 mlx5_0:
//	      0x0000000000100012     16    1[  ] ==( 4X ...)==>       7    2[  ] "leaf4" ( )
//
// With -l all stands on one line, with GUIDs on both sides: that of a switch, and those of ports of
// adapters. So there each port of an adapter is an adapter, and what has several lines is a switch.

var (
	linkInfoArrow  = regex.Lazy(`(?m)==\(.*\)==>`)
	linkInfoHeader = regex.Lazy(`^\s*(Switch|CA|Router): (?:(0x[0-9a-fA-F]{1,16}) )?(.*):\s*$`)
	linkInfoNear   = regex.Lazy(`^\s*(?:(0x[0-9a-fA-F]{1,16})\s+)?(?:"(.*)"\s+)?(\d+)\s+(\d+)\[[^\]]*\]\s*$`)
	linkInfoState  = regex.Lazy(`^\(\s*(?:(\d+[xX])\s+(.*?)\s+)?(\w+)/\s*(\w+)\)(?:\s*\(HOQ:.*\))?$`)
	linkInfoFar    = regex.Lazy(`^\s*(?:(0x[0-9a-fA-F]{1,16})\s+)?(\d+)\s+(\d+)\[[^\]]*\]\s+"(.*)"\s*\(.*\)\s*$`)
	linkInfoNobody = regex.Lazy(`^\s*\[[^\]]*\]\s+"".*$|"Port not available"`)
)

// LooksLikeLinkInfo reports whether the beginning of a file is that of the output of iblinkinfo.
func LooksLikeLinkInfo(head string) bool { return linkInfoArrow().MatchString(head) }

// linkInfoRates are the lane rates by the words of iblinkinfo.
var linkInfoRates = map[string]string{
	"2.5 Gbps": "SDR", "5.0 Gbps": "DDR", "10.0 Gbps": "QDR", "10.0 Gbps (FDR10)": "FDR10", "14.0625 Gbps": "FDR",
	"25.78125 Gbps": "EDR", "25.78 Gbps": "EDR", "53.125 Gbps": "HDR", "106.25 Gbps": "NDR", "212.5 Gbps": "XDR",
}

// linkInfoPort is a line: a port and what it is linked to.
type linkInfoPort struct {
	line  int
	node  *draft.Node
	guid  uint64
	name  string
	lid   uint16
	port  int
	speed topology.Speed
	far   *linkInfoEnd // nil: not connected
}

// linkInfoEnd is the other end as a line names it.
type linkInfoEnd struct {
	guid uint64 // with -l only
	lid  uint16
	port int
	name string
}

type linkInfoReader struct {
	*draft.Draft
	ports    []*linkInfoPort
	byLID    map[uint16]*draft.Node // plain form
	byGUID   map[uint64]*draft.Node // -l
	lines    map[uint64]int         // with -l: lines of each GUID
	adapters bool                   // the file has lines of adapters
	long     bool                   // the form of -l
	heading  []string               // of the plain form: kind, GUID, name
	here     *draft.Node
	inactive int // lines of cables that carry no data yet
	slow     int // lines of cables that run below what both ends can
}

// ReadLinkInfo reads the output of iblinkinfo.
func ReadLinkInfo(text string, truncated bool) (*topology.Network, error) {
	r := linkInfoReader{Draft: draft.NewDump(truncated), byLID: make(map[uint16]*draft.Node), byGUID: make(map[uint64]*draft.Node), lines: make(map[uint64]int)}
	for number, line := range scan.Lines(text) {
		if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		if err := r.line(number, line); err != nil {
			return nil, err
		}
	}
	if r.long {
		r.makeNodes()
	}
	for _, p := range r.ports {
		if err := r.join(p); err != nil {
			return nil, err
		}
	}
	if r.inactive > 0 {
		r.Note("some cables are not active, and carry no data yet; their lines: %d", r.inactive)
	}
	if r.slow > 0 {
		r.Note("some cables run below the width or speed that both ends can; their lines: %d", r.slow)
	}
	return r.Network(draft.Always(draft.AdapterClass))
}

func (r *linkInfoReader) line(number int, line string) error {
	near, rest, ok := strings.Cut(line, "==(")
	state, far, ok2 := strings.Cut(rest, "==>")
	if !ok || !ok2 {
		m := linkInfoHeader().FindStringSubmatch(line)
		if m == nil || (m[1] == "Switch") != (m[2] != "") {
			return scan.Fault(number, "found %s; expected a heading (Switch: 0x... NAME: or CA: NAME:) or a port (... ==( ... )==> ...)", scan.Quote(line))
		}
		r.heading, r.here = m[1:], nil
		return nil
	}
	p, err := r.near(number, near)
	if err != nil {
		return err
	}
	m := linkInfoState().FindStringSubmatch("(" + strings.TrimSpace(state))
	if m == nil {
		return scan.Fault(number, "found %s; expected width, speed, state and physical state, as in ( 4X 25.78125 Gbps Active/ LinkUp)", scan.Quote(state))
	}
	r.ports = append(r.ports, p)
	if m[3] == "Down" || linkInfoNobody().MatchString(far) {
		return nil
	}
	if lane := linkInfoRates[m[2]]; lane != "" {
		p.speed, _ = topology.ParseSpeed(strings.ToLower(m[1]) + lane)
	}
	if m[3] != "Active" {
		r.inactive++
	}
	if strings.Contains(far, `" (Could be`) {
		r.slow++
	}
	p.far, err = r.far(number, far)
	return err
}

// near reads what stands before the arrow, and makes the node of a heading.
func (r *linkInfoReader) near(number int, text string) (*linkInfoPort, error) {
	m := linkInfoNear().FindStringSubmatch(text)
	if m == nil {
		return nil, scan.Fault(number, "found %s; expected perhaps a GUID and a name, then LID and port", scan.Quote(text))
	}
	p := &linkInfoPort{line: number, name: strings.TrimSpace(m[2])}
	p.guid, _ = scan.Hexadecimal(m[1], 64)
	var err error
	if p.lid, p.port, err = linkInfoPlace(number, m[3], m[4]); err != nil {
		return nil, err
	}
	long := strings.Contains(text, `"`)
	if len(r.ports) > 0 && long != r.long {
		return nil, scan.Fault(number, "found a line of the other form, with -l or without; expected one form")
	}
	if r.long = long; long {
		if p.guid == 0 {
			return nil, scan.Fault(number, "found the GUID 0; expected another number")
		}
		r.lines[p.guid]++
		return p, nil
	}
	return p, r.underHeading(p)
}

// underHeading finds the node of a port in the plain form.
func (r *linkInfoReader) underHeading(p *linkInfoPort) error {
	if r.heading == nil {
		return scan.Fault(p.line, "found a port; expected a heading (Switch: or CA:) before it")
	}
	kind, guid, name := r.heading[0], r.heading[1], r.heading[2]
	if r.here == nil {
		class, id, own := draft.AdapterClass, "CA-", p.guid
		if kind == "Switch" {
			class, id = draft.SwitchClass, "S-"
			own, _ = scan.Hexadecimal(guid, 64)
		}
		if own == 0 {
			return scan.Fault(p.line, "found no GUID of %s; expected one", scan.Quote(name))
		}
		id = fmt.Sprintf("%s%016x", id, own)
		if other := r.ByID[id]; other != nil {
			return scan.Fault(p.line, "%s has the GUID of the node on line %d; expected another number", scan.Quote(name), other.Line)
		}
		r.here = r.Node(p.line, id)
		r.Define(p.line, r.here)
		r.here.Name, r.here.Class = name, class
		if kind == "Router" {
			r.here.Kind = topology.Router
		}
		if class == draft.SwitchClass {
			r.here.GUID, r.here.LID = own, p.lid
		} else {
			r.adapters = true
		}
	}
	p.node = r.here
	if p.node.Class == draft.SwitchClass {
		p.node.Ports = max(p.node.Ports, p.port)
	}
	if other := r.byLID[p.lid]; p.lid != 0 && other != nil && (other != p.node || other.Class == draft.AdapterClass) {
		return scan.Fault(p.line, "LID %d of %s is that of the node on line %d; expected different ones", p.lid, scan.Quote(name), other.Line)
	}
	r.byLID[p.lid] = p.node
	return nil
}

// makeNodes makes the nodes of the form of -l.
func (r *linkInfoReader) makeNodes() {
	r.adapters = slices.ContainsFunc(r.ports, func(p *linkInfoPort) bool { return r.lines[p.guid] == 1 })
	for _, p := range r.ports {
		n := r.byGUID[p.guid]
		if n == nil {
			class, id := draft.AdapterClass, "CA-"
			if r.lines[p.guid] > 1 {
				class, id = draft.SwitchClass, "S-"
			}
			n = r.Node(p.line, fmt.Sprintf("%s%016x", id, p.guid))
			r.Define(p.line, n)
			n.Class, n.Name = class, p.name
			if class == draft.SwitchClass {
				n.GUID, n.LID = p.guid, p.lid
			}
			r.byGUID[p.guid] = n
		}
		if p.node = n; n.Class == draft.SwitchClass {
			n.Ports = max(n.Ports, p.port)
		}
	}
}

func (r *linkInfoReader) far(number int, text string) (*linkInfoEnd, error) {
	m := linkInfoFar().FindStringSubmatch(text)
	if m == nil || (m[1] != "") != r.long {
		return nil, scan.Fault(number, "found %s behind the arrow; expected LID, port and name of the other end, with a GUID if the near one has a name", scan.Quote(text))
	}
	e := &linkInfoEnd{name: m[4]}
	e.guid, _ = scan.Hexadecimal(m[1], 64)
	var err error
	e.lid, e.port, err = linkInfoPlace(number, m[2], m[3])
	if err == nil && e.lid == 0 && !r.long {
		err = scan.Fault(number, "LID 0 of %s; expected the LID of a configured subnet", scan.Quote(e.name))
	}
	return e, err
}

func linkInfoPlace(number int, lidText, portText string) (uint16, int, error) {
	lid, err := strconv.ParseUint(lidText, 10, 16)
	if err != nil {
		return 0, 0, scan.Fault(number, "LID %s; expected 0 to 65535", lidText)
	}
	port, ok := scan.PortNumber(portText)
	if !ok {
		return 0, 0, scan.Fault(number, "port %s; expected 1 to %d", portText, scan.MaxPort)
	}
	return uint16(lid), port, nil
}

// join connects a port with the one that its line names.
func (r *linkInfoReader) join(p *linkInfoPort) error {
	if p.far == nil {
		return nil
	}
	far, err := r.neighbour(p)
	if err != nil {
		return err
	}
	return r.Connect(p.line, draft.End{Plug: draft.Plug{Node: p.node, Port: p.port}, GUID: p.guid, LID: p.lid},
		draft.End{Plug: draft.Plug{Node: far, Port: p.far.port}, GUID: p.far.guid, LID: p.far.lid}, p.speed)
}

// neighbour returns the node at the other end. In a dump of switches alone, those that no line
// describes are adapters if one port of them is known, and else switches that are missing.
func (r *linkInfoReader) neighbour(p *linkInfoPort) (*draft.Node, error) {
	known := r.byLID[p.far.lid]
	if r.long {
		known = r.byGUID[p.far.guid]
	}
	if known != nil {
		if known.Class == draft.SwitchClass && known.Order > 0 && p.far.port > known.Ports {
			return nil, scan.Fault(p.line, "port %d of %s; expected 1 to %d", p.far.port, scan.Quote(p.far.name), known.Ports)
		}
		if known.Order == 0 && p.far.port != known.Ports {
			known.Class = draft.SwitchClass
			known.Ports = max(known.Ports, p.far.port)
		}
		return known, nil
	}
	if r.adapters && r.Describes {
		return nil, scan.Truncation(p.line, "%s has no lines of its own; expected them, as in a dump that is not truncated", scan.Quote(p.far.name))
	}
	id := fmt.Sprintf("LID-%d", p.far.lid)
	if r.long {
		id = fmt.Sprintf("N-%016x", p.far.guid)
	}
	n := r.Node(p.line, id)
	n.Class, n.Name, n.Ports = draft.AdapterClass, p.far.name, p.far.port
	r.byLID[p.far.lid], r.byGUID[p.far.guid] = n, n
	return n, nil
}

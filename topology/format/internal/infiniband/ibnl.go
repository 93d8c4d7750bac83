package infiniband

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// IBNL files (ibutils, ibdm-ibnl-file) say what is inside a system: boards with nodes, the cables
// between their ports, and which connectors lead outside.
//
//	SYSTEM LEAF,LEAF:4x
//	NODE SW 24 MT47396 U1
//	   1 -> P13
//	TOPSYSTEM MTS14400
//	SUBSYSTEM LEAF leaf1
//	   P1 -4x-5G-> spine2 P7
//	   P13 -> L1/P1
//
// A connector that a board lacks is no cable: boards for other widths have other connectors.

const ibnlNameText = `[A-Za-z][-\[\]\\*/A-Za-z0-9_.:%@~]+`

var (
	ibnlTop       = regex.Lazy(`(?m)^\s*TOPSYSTEM\s+(\S.*?)\s*$`)
	ibnlNodeMark  = regex.Lazy(`(?m)^\s*NODE\s+(SW|CA|HCA)\s+\d+`)
	ibnlNames     = regex.Lazy(`^` + ibnlNameText + `(\s*,\s*` + ibnlNameText + `)*$`)
	ibnlNode      = regex.Lazy(`^NODE\s+(SW|CA|HCA)\s+(\d+)\s+(\S+)\s+(` + ibnlNameText + `)$`)
	ibnlSubsystem = regex.Lazy(`^SUBSYSTEM\s+(` + ibnlNameText + `)\s+(` + ibnlNameText + `)$`)
	ibnlNodePort  = regex.Lazy(`^(\d+)\s*` + ibnlArrow + `\s*(` + ibnlNameText + `)(?:\s+(\d+))?$`)
	ibnlConnector = regex.Lazy(`^(` + ibnlNameText + `)\s+` + ibnlArrow + `\s*(` + ibnlNameText + `)(?:\s+(` + ibnlNameText + `))?$`)
	ibnlAttribute = regex.Lazy(`^` + ibnlNameText + `=\S+$`)
)

const ibnlArrow = `-(?:(\d+[xX])-)?(?:([0-9.]+)G-)?>`

// LooksLikeIBNL reports whether the beginning of a file is that of an IBNL file.
func LooksLikeIBNL(head string) bool {
	return ibnlTop().MatchString(head) && ibnlNodeMark().MatchString(head)
}

// ibnlFile is what a file says of a type of systems.
type ibnlFile struct {
	boards map[string]*ibnlBoard // by name, with modifiers as in LEAF:12x
	top    *ibnlBoard
}

// ibnlBoard is a board or a whole system: instances and what their ports lead to.
type ibnlBoard struct {
	name      string
	instances []*ibnlInstance
	byName    map[string]*ibnlInstance
}

// ibnlInstance is a node, or another board.
type ibnlInstance struct {
	name  string
	line  int
	class draft.Class // UnknownClass: a board
	ports int         // of a node
	board string
	cfg   map[string]string // modifiers of instances inside
	wires []ibnlWire
}

// ibnlWire leads from a port or connector of an instance to one of another instance, or to a
// connector of the board.
type ibnlWire struct {
	line         int
	from         string
	instance, to string // instance is empty for a connector of the board
	width, rate  string
}

func parseIBNL(text string) (*ibnlFile, error) {
	p := ibnlParser{file: &ibnlFile{boards: make(map[string]*ibnlBoard)}}
	for number, line := range scan.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := p.line(number, line); err != nil {
			return nil, err
		}
	}
	if p.file.top == nil {
		return nil, scan.Fault(1, "found no TOPSYSTEM; expected one at the end")
	}
	return p.file, nil
}

type ibnlParser struct {
	file *ibnlFile
	here *ibnlBoard
	part *ibnlInstance
}

func (p *ibnlParser) line(number int, line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "SYSTEM", "TOPSYSTEM":
		return p.system(number, word == "TOPSYSTEM", strings.TrimSpace(rest))
	case "NODE":
		return p.node(number, line)
	case "SUBSYSTEM":
		m := ibnlSubsystem().FindStringSubmatch(line)
		if m == nil {
			return scan.Fault(number, "found %s; expected SUBSYSTEM, a board and a name", scan.Quote(line))
		}
		return p.instance(&ibnlInstance{name: m[2], line: number, board: m[1]})
	}
	if cfg, ok := strings.CutPrefix(line, "CFG:"); ok {
		if p.part == nil || p.part.board == "" {
			return scan.Fault(number, "found %s; expected a SUBSYSTEM before it", scan.Quote(line))
		}
		var err error
		p.part.cfg, err = parseCFG(number, cfg)
		return err
	}
	if p.part == nil {
		if p.here != nil && p.here == p.file.top && ibnlAttribute().MatchString(line) {
			return nil
		}
		return scan.Fault(number, "found %s; expected SYSTEM, TOPSYSTEM, NODE or SUBSYSTEM", scan.Quote(line))
	}
	return p.wire(number, line)
}

func (p *ibnlParser) system(number int, top bool, names string) error {
	if p.file.top != nil {
		return scan.Fault(number, "found another system behind TOPSYSTEM; expected one, at the end")
	}
	if !ibnlNames().MatchString(names) {
		return scan.Fault(number, "found the names %s; expected names of two characters or more, separated by commas", scan.Quote(names))
	}
	p.here, p.part = &ibnlBoard{name: names, byName: make(map[string]*ibnlInstance)}, nil
	if top {
		p.file.top = p.here
		return nil
	}
	for name := range strings.SplitSeq(names, ",") {
		p.file.boards[strings.TrimSpace(name)] = p.here
	}
	return nil
}

func (p *ibnlParser) node(number int, line string) error {
	m := ibnlNode().FindStringSubmatch(line)
	if m == nil {
		return scan.Fault(number, "found %s; expected NODE, SW or CA, the number of ports, a device and a name", scan.Quote(line))
	}
	ports, ok := scan.PortNumber(m[2])
	if !ok {
		return scan.Fault(number, "node %s has %s ports; expected 1 to %d", m[4], m[2], scan.MaxPort)
	}
	class := draft.AdapterClass
	if m[1] == "SW" {
		class = draft.SwitchClass
	}
	return p.instance(&ibnlInstance{name: m[4], line: number, class: class, ports: ports})
}

func (p *ibnlParser) instance(i *ibnlInstance) error {
	if p.here == nil {
		return scan.Fault(i.line, "found %s; expected SYSTEM or TOPSYSTEM before it", scan.Quote(i.name))
	}
	if other := p.here.byName[i.name]; other != nil {
		return scan.Fault(i.line, "%s appears again; expected it on line %d only", scan.Quote(i.name), other.line)
	}
	p.here.instances, p.here.byName[i.name], p.part = append(p.here.instances, i), i, i
	return nil
}

func (p *ibnlParser) wire(number int, line string) error {
	form, expected := ibnlNodePort(), "a port, as in 1 -> P1 or 1 -4x-5G-> U2 7"
	if p.part.class == draft.UnknownClass {
		form, expected = ibnlConnector(), "a connector, as in P1 -> L1/P1 or P1 -4x-5G-> leaf2 P7"
	}
	m := form.FindStringSubmatch(line)
	if m == nil {
		return scan.Fault(number, "found %s; expected %s", scan.Quote(line), expected)
	}
	w := ibnlWire{line: number, from: m[1], width: strings.ToLower(m[2]), rate: m[3], to: m[4]}
	if m[5] != "" {
		w.instance, w.to = m[4], m[5]
	}
	if p.part.class != draft.UnknownClass {
		if err := p.part.checkPort(number, w.from); err != nil {
			return err
		}
	}
	if j := slices.IndexFunc(p.part.wires, func(o ibnlWire) bool { return o.from == w.from }); j >= 0 {
		return scan.Fault(number, "%s of %s leads to two places; expected one, as on line %d", scan.Quote(w.from), scan.Quote(p.part.name), p.part.wires[j].line)
	}
	p.part.wires = append(p.part.wires, w)
	return nil
}

func (i *ibnlInstance) checkPort(number int, text string) error {
	if port, ok := scan.PortNumber(text); !ok || port > i.ports {
		return scan.Fault(number, "port %s of %s; expected 1 to %d", text, scan.Quote(i.name), i.ports)
	}
	return nil
}

// parseCFG reads modifiers such as "leaf1=12x,leaf2=Removed".
func parseCFG(number int, text string) (map[string]string, error) {
	cfg := make(map[string]string)
	for _, setting := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		name, value, ok := strings.Cut(setting, "=")
		if !ok || name == "" || value == "" {
			return nil, scan.Fault(number, "found %s; expected modifiers such as leaf1=12x", scan.Quote(setting))
		}
		cfg[name] = value
	}
	return cfg, nil
}

// ibnlPort is a port of a chip, with the width and rate that are known of what leads there.
type ibnlPort struct {
	draft.Plug
	width, rate string
}

// over returns the port with the width and rate of an upper level where the lower says nothing.
func (p ibnlPort) over(w ibnlWire) ibnlPort {
	p.width, p.rate = cmp.Or(p.width, w.width), cmp.Or(p.rate, w.rate)
	return p
}

// ibnlExpander puts the chips of a system into a draft.
type ibnlExpander struct {
	fabric *draft.Draft
	file   *ibnlFile
	line   int // of the file that mentions the system; 0: there is none
	depth  int
}

// ibnlMaxDepth is how deeply boards may be nested; more is a board that contains itself.
const ibnlMaxDepth = 16

// expand puts the chips of a board into the draft and returns what its connectors lead to.
func (x *ibnlExpander) expand(b *ibnlBoard, prefix string, cfg map[string]string) (map[string]ibnlPort, error) {
	if x.depth++; x.depth > ibnlMaxDepth {
		return nil, fmt.Errorf("board %s is nested more than %d times; expected boards that do not contain themselves", scan.Quote(b.name), ibnlMaxDepth)
	}
	defer func() { x.depth-- }()
	inside := make(map[*ibnlInstance]map[string]ibnlPort)
	for _, i := range b.instances {
		modifier := cfg[i.name]
		if modifier == "Removed" || modifier == "X" || modifier == "R" {
			continue
		}
		var err error
		if inside[i], err = x.instance(i, prefix+"/"+i.name, modifier, within(cfg, i)); err != nil {
			return nil, err
		}
	}
	connectors := make(map[string]ibnlPort)
	for _, i := range b.instances {
		for _, w := range i.wires {
			if err := x.wire(b, i, w, inside, connectors); err != nil {
				return nil, err
			}
		}
	}
	return connectors, nil
}

// within returns the modifiers of what is inside an instance: its own, then those from outside.
func within(cfg map[string]string, i *ibnlInstance) map[string]string {
	inner := maps.Clone(i.cfg)
	if inner == nil {
		inner = make(map[string]string)
	}
	for name, value := range cfg {
		if rest, ok := strings.CutPrefix(name, i.name+"/"); ok {
			inner[rest] = value
		}
	}
	return inner
}

// instance puts a chip, or the chips of a board, into the draft.
func (x *ibnlExpander) instance(i *ibnlInstance, name, modifier string, cfg map[string]string) (map[string]ibnlPort, error) {
	if i.class == draft.UnknownClass {
		board := i.board
		if modifier != "" {
			board += ":" + modifier
		}
		b := x.file.boards[board]
		if b == nil {
			return nil, scan.Fault(i.line, "%s is a board %s, which the file does not describe; expected a SYSTEM of that name", scan.Quote(name), scan.Quote(board))
		}
		return x.expand(b, name, cfg)
	}
	if err := x.fabric.Full(i.line); err != nil {
		return nil, err
	}
	line := cmp.Or(x.line, i.line)
	n := x.fabric.Node(line, name)
	x.fabric.Define(line, n)
	n.Class, n.Ports = i.class, i.ports
	ports := make(map[string]ibnlPort)
	for p := 1; p <= i.ports; p++ {
		ports[strconv.Itoa(p)] = ibnlPort{Plug: draft.Plug{Node: n, Port: p}}
	}
	return ports, nil
}

// wire follows a wire of an instance to another one or to a connector of the board.
func (x *ibnlExpander) wire(b *ibnlBoard, i *ibnlInstance, w ibnlWire, inside map[*ibnlInstance]map[string]ibnlPort, connectors map[string]ibnlPort) error {
	near, ok := inside[i][w.from]
	if w.instance == "" {
		if !ok {
			return nil
		}
		if other, taken := connectors[w.to]; taken && other.Plug != near.Plug {
			return scan.Fault(w.line, "connector %s leads to two ports; expected one", scan.Quote(w.to))
		}
		connectors[w.to] = near.over(w)
		return nil
	}
	other := b.byName[w.instance]
	if other == nil {
		return scan.Fault(w.line, "found %s; expected a part of this board", scan.Quote(w.instance))
	}
	if other.class != draft.UnknownClass {
		if err := other.checkPort(w.line, w.to); err != nil {
			return err
		}
	}
	far, there := inside[other][w.to]
	if !ok || !there {
		return nil
	}
	near = near.over(w)
	return x.fabric.Connect(w.line, draft.End{Plug: near.Plug}, draft.End{Plug: far.Plug}, draft.SpeedOf(cmp.Or(near.width, far.width), cmp.Or(near.rate, far.rate)))
}

// ReadIBNL reads a system as a network of its own.
func ReadIBNL(text string) (*topology.Network, error) {
	file, err := parseIBNL(text)
	if err != nil {
		return nil, err
	}
	f := draft.New()
	f.StatesKinds = true
	x := ibnlExpander{fabric: f, file: file}
	front, err := x.expand(file.top, "system", nil)
	if err != nil {
		return nil, err
	}
	f.Note("one system by itself, with %d ports at its front panel", len(front))
	return f.Network(draft.Always(draft.SwitchClass))
}

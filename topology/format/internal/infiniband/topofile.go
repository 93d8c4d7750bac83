package infiniband

import (
	"bufio"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// IBDM topology files (ibutils, ibdm-topo-file) list systems and, indented, the
// cables of their front panel ports:
//
//	MTS2400 S-1
//	   P1 -4x-5G-> MT23108 H-1 P1
//
// What is inside a system stands in other files (see ibnl.go) that a fabric's owner may
// not have. A system without one is taken as a single node: an adapter if its type is
// known as one, or if nobody knows the type and it has at most two ports, else
// one switch. Port Pn is port n; other names are numbered in the order in which
// they appear.

var (
	topoSystem  = regex.Lazy(`^\s*([^/\s]+)\s+([^/\s]+)\s*(?:CFG:(.*))?$`)
	topoPort    = regex.Lazy(`^\s+(\S+)\s+-(?:(\d+[xX])-)?(?:([0-9.]+)G-|(FDR10)-)?>\s+(\S+)\s+(\S+)\s+(\S+)\s*$`)
	topoAnyPort = regex.Lazy(`(?m)^\s+\S+\s+-(?:\d+[xX]-)?(?:[0-9.]+G-|FDR10-)?>\s+\S+\s+\S+\s+\S+\s*$`)
	topoAnyHead = regex.Lazy(`(?m)^[^#/\s]+[ \t]+[^/\s]+[ \t]*(CFG:.*)?\r?$`)
	topoPanel   = regex.Lazy(`^P(\d{1,5})$`)

	// topoAdapter matches the types of IBDM's library that are channel adapters,
	// the chips and cards they are made of, and the types that writeTopo uses.
	topoAdapter = regex.Lazy(`(?i)^(hca|ca|an|rt|cougar|cougarcub|lion|lionmini|cheetah|eagle|mh[a-z]|mc[bx]|mt[lp]?[bp]?2(3108|[5-8][0-9]{3})|mt4[0-9]{3}$|connect)`)
	topoSwitch  = regex.Lazy(`(?i)^(sw\d|mts|mtx|mis|is\d|msx|msb|mqm|mt4[378]|gnu|gazelle|gz|rhino|reindeer|buffalo|shark|mammoth|orca|sun)`)
	topoOwnSize = regex.Lazy(`^(SW|HCA|AN|RT)(\d{1,5})$`)
)

const (
	topoMaxAdapterPorts = 2
	topoArrowMark       = "->" // no name may contain it
)

// LooksLikeTopo reports whether the beginning of a file is that of an IBDM topology file.
func LooksLikeTopo(head string) bool {
	return topoAnyPort().MatchString(head) && topoAnyHead().MatchString(head) && !LooksLikeIBNL(head)
}

// topoBox is a system: one node, or what its IBNL file says.
type topoBox struct {
	kind, name string
	line       int
	cfg        map[string]string
	node       *draft.Node         // nil if it is expanded
	front      map[string]ibnlPort // what the ports at its front panel lead to, if it is expanded
	panels     map[string]int      // numbers of ports not called Pn
	highest    int                 // port in use
}

type topoReader struct {
	*draft.Draft
	library *systemLibrary
	boxes   []*topoBox
	byName  map[string]*topoBox
	here    *topoBox
}

// ReadTopo reads an IBDM topology file.
func ReadTopo(text string, systems []fs.FS) (*topology.Network, error) {
	r := topoReader{
		Draft:   draft.New(),
		library: &systemLibrary{dirs: systems},
		byName:  make(map[string]*topoBox),
	}
	r.StatesKinds = true
	headings := func(int, []string) error { return nil }
	for _, pass := range []func(int, []string) error{headings, r.mention, r.cable} {
		r.here = nil
		for number, line := range scan.Lines(text) {
			if err := r.line(number, line, pass); err != nil {
				return nil, err
			}
		}
		if err := r.open(); err != nil {
			return nil, err
		}
	}
	r.noteWhole()
	return r.Network(r.class)
}

// line reads a heading, or hands the parts of a cable to a pass.
func (r *topoReader) line(number int, line string, cable func(int, []string) error) error {
	trimmed := strings.TrimSpace(line)
	if trimmed == "" || trimmed[0] == '#' {
		return nil
	}
	if m := topoPort().FindStringSubmatch(line); m != nil && !hasArrow(m[1], m[5], m[6], m[7]) {
		if r.here == nil {
			return scan.Fault(number, "found a cable; expected a system (type and name) before it")
		}
		return cable(number, m)
	}
	m := topoSystem().FindStringSubmatch(line)
	if m == nil || hasArrow(line) {
		return scan.Fault(number, "found %s; expected a system (type and name) or, indented, a cable (port -> type name port)", scan.Quote(trimmed))
	}
	b, err := r.box(number, m[1], m[2])
	if err != nil {
		return err
	}
	r.here = b
	if m[3] != "" {
		b.cfg, err = parseCFG(number, m[3])
	}
	return err
}

func hasArrow(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, topoArrowMark) })
}

// box returns the system with a name.
func (r *topoReader) box(number int, kind, name string) (*topoBox, error) {
	b := r.byName[name]
	if b == nil {
		b = &topoBox{kind: kind, name: name, line: number, panels: make(map[string]int)}
		r.byName[name] = b
		r.boxes = append(r.boxes, b)
	}
	if b.kind != kind {
		return nil, scan.Fault(number, "system %s has type %s; expected %s as on line %d", scan.Quote(name), scan.Quote(kind), scan.Quote(b.kind), b.line)
	}
	return b, nil
}

// mention notes the system at the far end of a cable.
func (r *topoReader) mention(number int, m []string) error {
	_, err := r.box(number, m[5], m[6])
	return err
}

// open makes nodes of systems that have none yet.
func (r *topoReader) open() error {
	for _, b := range r.boxes {
		if b.node != nil || b.front != nil {
			continue
		}
		file, err := r.library.lookup(b.kind)
		if err != nil {
			return scan.Fault(b.line, "type %s of system %s: %v", scan.Quote(b.kind), scan.Quote(b.name), err)
		}
		if file != nil {
			x := ibnlExpander{fabric: r.Draft, file: file, line: b.line}
			if b.front, err = x.expand(file.top, b.name, b.cfg); err != nil {
				return scan.Fault(b.line, "system %s, by the IBNL file of type %s: %v", scan.Quote(b.name), scan.Quote(b.kind), err)
			}
			continue
		}
		b.node = r.Node(b.line, b.name)
		r.Define(b.line, b.node)
		b.node.Name = b.name
		if m := topoOwnSize().FindStringSubmatch(b.kind); m != nil {
			b.node.Ports, _ = strconv.Atoi(m[2])
			b.node.Kind = map[string]topology.Kind{"AN": topology.Aggregation, "RT": topology.Router}[m[1]]
		}
	}
	return nil
}

func (r *topoReader) cable(number int, m []string) error {
	far, err := r.box(number, m[5], m[6])
	if err != nil {
		return err
	}
	a, err := r.here.panel(number, m[1])
	if err != nil {
		return err
	}
	b, err := far.panel(number, m[7])
	if err != nil {
		return err
	}
	return r.Connect(number, a, b, draft.SpeedOf(strings.ToLower(m[2]), m[3]+m[4]))
}

// panel returns the port with a name such as P3 or L1/P3.
func (b *topoBox) panel(number int, name string) (draft.End, error) {
	if b.front != nil {
		p, ok := b.front[name]
		if !ok {
			return draft.End{}, scan.Fault(number, "port %s of system %s; expected one of the %d that its type %s has", scan.Quote(name), scan.Quote(b.name), len(b.front), scan.Quote(b.kind))
		}
		return draft.End{Plug: p.Plug}, nil
	}
	port, ok := b.panels[name]
	if m := topoPanel().FindStringSubmatch(name); m != nil {
		if port, ok = scan.PortNumber(m[1]); !ok {
			return draft.End{}, scan.Fault(number, "port %s; expected P1 to P%d", scan.Quote(name), scan.MaxPort)
		}
	} else if !ok {
		port = len(b.panels) + 1
		b.panels[name] = port
	}
	b.highest = max(b.highest, port)
	return draft.End{Plug: draft.Plug{Node: b.node, Port: port}}, nil
}

// class tells switches from adapters by type, else by the number of ports.
func (r *topoReader) class(n *draft.Node) draft.Class {
	b := r.byName[n.ID]
	switch {
	case topoSwitch().MatchString(b.kind):
		return draft.SwitchClass
	case topoAdapter().MatchString(b.kind):
		return draft.AdapterClass
	}
	if b.highest > topoMaxAdapterPorts {
		return draft.SwitchClass
	}
	return draft.AdapterClass
}

// noteWhole says which systems are taken for one switch although there may be several inside.
func (r *topoReader) noteWhole() {
	count := make(map[string]int)
	for _, b := range r.boxes {
		if b.node != nil && !topoOwnSize().MatchString(b.kind) && r.class(b.node) == draft.SwitchClass {
			count[b.kind]++
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(count)) {
		r.Leave("the inside of %s, as there is no IBNL file of it: %s",
			kind, scan.Counted(count[kind], "system is taken for one switch", "systems are taken for one switch each"))
	}
}

// WriteTopo writes an IBDM topology file.
func WriteTopo(w *bufio.Writer, n *topology.Network) error {
	cabling := cablingOf(n)
	fmt.Fprintln(w, "# Topology file for IBDM: generated by musubi")
	for s, jacks := range cabling.switches {
		if err := writeTopoSystem(w, switchSystem(n, s)); err != nil {
			return err
		}
		for _, j := range jacks {
			far, port := switchSystem(n, j.far.Switch), j.far.Number
			if j.endPoint >= 0 {
				e := &n.EndPoints[j.endPoint]
				far, port = adapterSystem(n, e.Adapter), e.AdapterPort
			}
			fmt.Fprintf(w, "   P%d %s %s P%d\n", j.port, topoArrow(j.speed), far, port)
		}
	}
	for a := range n.Adapters {
		if err := writeTopoSystem(w, adapterSystem(n, a)); err != nil {
			return err
		}
	}
	return nil
}

// topoText is the type and name of a system.
type topoText struct{ kind, id string }

func (t topoText) String() string { return t.kind + " " + t.id }

func writeTopoSystem(w *bufio.Writer, t topoText) error {
	for _, reserved := range []string{" ", "/", topoArrowMark} {
		if err := scan.Refuse(reserved, t.id); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "\n%s\n", t)
	return nil
}

func switchSystem(n *topology.Network, s int) topoText {
	return topoText{fmt.Sprintf("SW%d", n.Switches[s].Ports), n.Switches[s].ID}
}

func adapterSystem(n *topology.Network, i int) topoText {
	a := &n.Adapters[i]
	kind := [...]string{topology.Host: "HCA", topology.Aggregation: "AN", topology.Router: "RT"}[a.Kind]
	return topoText{fmt.Sprintf("%s%d", kind, a.Ports), a.ID}
}

func topoArrow(s topology.Speed) string {
	width, rate, ok := draft.GigabitsOf(s)
	switch {
	case !ok:
		return "->"
	case rate == "FDR10":
		return fmt.Sprintf("-%s-FDR10->", width)
	}
	return fmt.Sprintf("-%s-%sG->", width, rate)
}

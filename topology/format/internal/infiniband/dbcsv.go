package infiniband

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// The file ibdiagnet2.db_csv of ibdiagnet has sections of comma-separated values, each with a line
// of column names, whose order and case differ between versions:
//
//	START_LINKS
//	NodeGuid1,PortNum1,NodeGuid2,PortNum2
//	0xe8ebd30300000700,1,0xe8ebd30300000300,1
//	END_LINKS
//
// Nodes, ports and links are read. Nodes are known by GUID, and links stand there once.

var (
	dbMark   = regex.Lazy(`(?m)^START_[A-Z_0-9]+\s*$`)
	dbHeader = regex.Lazy(`(?mi)^(NodeDesc|NodeGUID1?),\S`)
	dbBorder = regex.Lazy(`^(START|END)_([A-Z_0-9]+)\s*$`)
)

// LooksLikeDBCSV reports whether the beginning of a file is that of the db_csv of ibdiagnet.
func LooksLikeDBCSV(head string) bool {
	return dbMark().MatchString(head) && dbHeader().MatchString(head)
}

// Node types.
const (
	dbSwitch = 2
	dbRouter = 3
)

// dbReader reads one section after the other.
type dbReader struct {
	*draft.Draft
	seen    map[string]int // lines where sections begin
	section string         // that the line is in; empty: none
	columns map[string]int // of the section by name in lower case; nil: its names come next
	links   []dbRow
	byGUID  map[uint64]*draft.Node
	ports   map[dbPort]dbRow
}

type dbPort struct {
	guid uint64
	port int
}

// dbRow is a line of a section.
type dbRow struct {
	line    int
	section string
	columns map[string]int
	values  []string
}

// ReadDBCSV reads the db_csv of ibdiagnet.
func ReadDBCSV(text string) (*topology.Network, error) {
	r := dbReader{Draft: draft.New(), seen: make(map[string]int), byGUID: make(map[uint64]*draft.Node), ports: make(map[dbPort]dbRow)}
	for number, line := range scan.Lines(text) {
		if err := r.line(number, strings.TrimSpace(line)); err != nil {
			return nil, err
		}
	}
	switch {
	case r.section != "":
		return nil, scan.Fault(r.seen[r.section], "section %s has no end; expected END_%s, as in a file that is not truncated", r.section, r.section)
	case r.seen["NODES"] == 0:
		return nil, scan.Fault(1, "found no section NODES; expected the output of ibdiagnet with csv:nodes")
	case r.seen["LINKS"] == 0:
		return nil, scan.Fault(1, "found no section LINKS, so no cables; expected the output of ibdiagnet with csv:links")
	}
	for _, l := range r.links {
		if err := r.link(l); err != nil {
			return nil, err
		}
	}
	for _, n := range r.Nodes {
		if n.Class == draft.SwitchClass {
			n.LID, n.LMC = r.address(dbPort{n.GUID, 0})
		}
	}
	return r.Network(draft.Always(draft.SwitchClass))
}

func (r *dbReader) line(number int, line string) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	if m := dbBorder().FindStringSubmatch(line); m != nil {
		return r.border(number, m[1] == "START", m[2])
	}
	if r.section == "" {
		return scan.Fault(number, "found %s between sections; expected START_ and the name of a section", scan.Quote(line))
	}
	take := map[string]func(dbRow) error{"NODES": r.describe, "PORTS": r.port, "LINKS": r.keep}[r.section]
	if take == nil {
		return nil
	}
	reader := csv.NewReader(strings.NewReader(line))
	values, err := reader.Read()
	if err != nil {
		return scan.Fault(number, "found %s; expected values separated by commas", scan.Quote(line))
	}
	if r.columns == nil {
		r.columns = make(map[string]int)
		for i, name := range values {
			r.columns[strings.ToLower(strings.TrimSpace(name))] = i
		}
		return nil
	}
	if len(values) != len(r.columns) {
		return scan.Fault(number, "found %d values; expected %d, one for each column", len(values), len(r.columns))
	}
	return take(dbRow{number, r.section, r.columns, values})
}

func (r *dbReader) border(number int, start bool, name string) error {
	switch {
	case start && r.section != "", !start && r.section != name:
		return scan.Fault(number, "found the border of section %s inside section %s; expected its end first", name, scan.Quote(r.section))
	case start && r.seen[name] > 0:
		return scan.Fault(number, "section %s appears again; expected it on line %d only", name, r.seen[name])
	case !start:
		r.section = ""
		return nil
	}
	r.seen[name] = number
	r.section, r.columns = name, nil
	return nil
}

// text returns the value of a column.
func (w dbRow) text(column string) (string, error) {
	i, ok := w.columns[column]
	if !ok {
		return "", scan.Fault(w.line, "section %s has no column %s; expected one", w.section, column)
	}
	return strings.TrimSpace(w.values[i]), nil
}

func (w dbRow) guid(column string) (uint64, error) {
	text, err := w.text(column)
	if err != nil {
		return 0, err
	}
	v, ok := scan.Hexadecimal(text, 64)
	if !ok {
		return 0, scan.Fault(w.line, "%s is %s; expected a hexadecimal number of 64 bits", column, scan.Quote(text))
	}
	return v, nil
}

func (w dbRow) number(column string, most int) (int, error) {
	text, err := w.text(column)
	if err != nil {
		return 0, err
	}
	v, ok := scan.Decimal(text, most)
	if !ok {
		return 0, scan.Fault(w.line, "%s is %s; expected a number from 0 to %d", column, scan.Quote(text), most)
	}
	return v, nil
}

// maybe returns a number that may be missing, as a column or because it is N/A.
func (w dbRow) maybe(column string) int {
	i, ok := w.columns[column]
	if !ok {
		return 0
	}
	v, _ := strconv.Atoi(strings.TrimSpace(w.values[i]))
	return max(v, 0)
}

func (r *dbReader) describe(w dbRow) error {
	guid, err := w.guid("nodeguid")
	if err != nil {
		return err
	}
	kind, err := w.number("nodetype", dbRouter)
	if err != nil {
		return err
	}
	ports, err := w.number("numports", scan.MaxPort)
	if err != nil {
		return err
	}
	if other := r.byGUID[guid]; other != nil || guid == 0 {
		return scan.Fault(w.line, "node GUID 0x%016x is 0 or that of another node; expected another number", guid)
	}
	if err := r.Full(w.line); err != nil {
		return err
	}
	prefix := "H"
	switch kind {
	case dbSwitch:
		prefix = "S"
	case dbRouter:
		prefix = "R"
	}
	n := r.Node(w.line, fmt.Sprintf("%s-%016x", prefix, guid))
	r.Define(w.line, n)
	r.byGUID[guid] = n
	n.Class, n.GUID, n.Ports = draft.AdapterClass, guid, ports
	switch kind {
	case dbSwitch:
		n.Class = draft.SwitchClass
	case dbRouter:
		n.Kind = topology.Router
	}
	n.Name, _ = w.text("nodedesc")
	n.SystemGUID, _ = w.guid("systemimageguid")
	n.Vendor, n.Device = uint32(w.maybe("vendorid")), uint32(w.maybe("deviceid"))
	return nil
}

func (r *dbReader) port(w dbRow) error {
	guid, err := w.guid("nodeguid")
	if err != nil {
		return err
	}
	port, err := w.number("portnum", scan.MaxPort)
	if err != nil {
		return err
	}
	r.ports[dbPort{guid, port}] = w
	return nil
}

func (r *dbReader) keep(w dbRow) error {
	r.links = append(r.links, w)
	return nil
}

func (r *dbReader) address(p dbPort) (lid uint16, lmc uint8) {
	w, ok := r.ports[p]
	if !ok {
		return 0, 0
	}
	return uint16(min(w.maybe("lid"), 1<<16-1)), uint8(min(w.maybe("lmc"), draft.MaxLMC))
}

func (r *dbReader) link(w dbRow) error {
	var ends [2]draft.End
	var speeds [2]topology.Speed
	for i, column := range []string{"1", "2"} {
		guid, err := w.guid("nodeguid" + column)
		if err != nil {
			return err
		}
		port, err := w.number("portnum"+column, scan.MaxPort)
		if err != nil {
			return err
		}
		n := r.byGUID[guid]
		if n == nil {
			return scan.Fault(w.line, "a link of node 0x%016x, which section NODES does not have; expected one of its nodes", guid)
		}
		if port < 1 || port > n.Ports {
			return scan.Fault(w.line, "port %d of %s; expected 1 to %d", port, scan.Quote(n.Name), n.Ports)
		}
		ends[i].Plug = draft.Plug{Node: n, Port: port}
		p := dbPort{guid, port}
		if row, ok := r.ports[p]; ok {
			speeds[i] = row.speed()
			if n.Class == draft.AdapterClass {
				ends[i].GUID, _ = row.guid("portguid")
				ends[i].LID, ends[i].LMC = r.address(p)
			}
		}
	}
	return r.Connect(w.line, ends[0], ends[1], draft.Slower(speeds[0], speeds[1]))
}

// Codes of the InfiniBand specification for active widths and speeds; those of extended speeds
// stand in the high byte, and win.
var (
	dbWidths   = map[int]int{1: 1, 2: 4, 4: 8, 8: 12, 16: 2}
	dbSpeeds   = map[int]string{1: "SDR", 2: "DDR", 4: "QDR"}
	dbExtended = map[int]string{1: "FDR", 2: "EDR", 4: "HDR", 8: "NDR", 16: "XDR"}
)

func (w dbRow) speed() topology.Speed {
	code := w.maybe("linkspeedactv")
	lane := dbSpeeds[code&0xff]
	if code>>8 != 0 {
		lane = dbExtended[code>>8]
	}
	s, _ := topology.ParseSpeed(strconv.Itoa(dbWidths[w.maybe("linkwidthactv")]) + "x" + lane)
	return s
}

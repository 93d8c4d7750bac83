package tables

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
)

// WriteForwarding writes the forwarding tables in the grammar of OpenSM's
// opensm-lfts.dump and of the tool dump_lfts, which OpenSM loads with -R file -U.
// With the port GUIDs in the comments it follows ports whose LID has changed.
func (t *InfiniBand) WriteForwarding(w io.Writer) error {
	b := bufio.NewWriter(w)
	lids := t.Addresses.All()
	last := 0
	if len(lids) > 0 {
		last = int(lids[len(lids)-1])
	}
	for s := range t.Net.Switches {
		fmt.Fprintf(b, "Unicast lids [0-%d] of switch Lid %d guid 0x%016x ('%s'):\n",
			last, t.Addresses.base(s), t.Addresses.net.Switches[s].GUID, cmp.Or(t.Net.Switches[s].Name, t.Net.Switches[s].ID))
		for _, lid := range lids {
			if port := t.port(s, lid); port != noEntry {
				o := t.Addresses.owners[lid]
				fmt.Fprintf(b, "0x%04x %03d # %s portguid 0x%016x: '%s'\n",
					lid, port, t.Addresses.nodeType(o), t.Addresses.guid(o), t.Addresses.description(o))
			}
		}
	}
	return b.Flush()
}

// base returns the first LID of a switch; 0 if it has none.
func (a *Addresses) base(s int) int {
	if len(a.switches[s]) == 0 {
		return 0
	}
	return int(a.switches[s][0])
}

// nodeType returns OpenSM's name for the node of an owner.
func (a *Addresses) nodeType(o owner) string {
	switch {
	case o.isSwitch:
		return "Switch"
	case a.net.KindOf(o.index) == topology.Router:
		return "Router"
	}
	return "Channel Adapter"
}

// description is the node description of an owner.
func (a *Addresses) description(o owner) string {
	if o.isSwitch {
		return a.net.SwitchName(o.index)
	}
	n := &a.net.Adapters[a.net.EndPoints[o.index].Adapter]
	return cmp.Or(n.Name, n.ID)
}

// Headers of the tables of a switch, as dump_lfts, ibroute and OpenSM write them
// to opensm-lfts.dump, and as OpenSM writes them to opensm.fdbs.
var (
	lftHeader  = regex.Lazy(`^Unicast lids .*?\bof switch .*?\bguid (0x[0-9a-fA-F]+) *(.*)$`)
	fdbsHeader = regex.Lazy(`^\S*dump_ucast_routes: Switch (0x[0-9a-fA-F]+)(.*)$`)
	// lftNoise matches the other lines that these tools write.
	lftNoise = regex.Lazy(`^(Lid\s+Out\s+Destination|Port\s+Info|LID\s*:\s*Port\s*:|\d+ (valid )?lids dumped|ibwarn:|ibroute:|dump_lfts:|\*\*\* WARNING)`)
	// lftPort finds the port GUID and the node description in a comment.
	lftPort = regex.Lazy(`portguid (0x[0-9a-fA-F]+)(?:: '(.*)')?`)
)

// unreachable is what opensm.fdbs says instead of a port.
const unreachable = "UNREACHABLE"

// ReadForwarding reads the forwarding tables of net: opensm-lfts.dump or opensm.fdbs
// as OpenSM writes them, or the output of dump_lfts or ibroute, one or several
// switches in a file. Switches without a table know no LID.
//
// Port GUIDs and node descriptions in the comments tell the owner of a LID; a LID without a comment
// belongs to the port that has it in the network. LIDs of ports that the network does not have are
// ignored. Service levels and lanes are 0 until they are read from files of their own. Errors name
// file, line and what was expected.
func ReadForwarding(r io.Reader, file string, net *topology.Network) (*InfiniBand, error) {
	if err := checkPorts(net); err != nil {
		return nil, err
	}
	f := lftReader{
		lineReader: newLineReader(r, file),
		dir:        newDirectory(net),
		done:       make([]bool, len(net.Switches)),
		comments:   make(map[int]string),
		owners:     make(map[int]owner),
		at:         -1,
		t: &InfiniBand{Algorithm: file, Net: net,
			Forward: make([][]uint8, len(net.Switches)), Levels: []PairTable{NewPairTable(len(net.EndPoints))}},
	}
	if err := f.each(f.line); err != nil {
		return nil, err
	}
	if f.at < 0 {
		return nil, fmt.Errorf("%s: no forwarding table; expected lines such as \"Unicast lids [0-32] of switch Lid 2 guid 0x2c90200401cc8:\", or \"dump_ucast_routes: Switch 0x2c90200401cc8\" as in opensm.fdbs", file)
	}
	var err error
	if f.t.Addresses, err = f.dir.addresses(f.owners); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	f.t.dir = f.dir
	return f.t, nil
}

// lftReader is the state of ReadForwarding.
type lftReader struct {
	*lineReader
	dir      *directory
	t        *InfiniBand
	at       int    // switch whose table is being read
	done     []bool // by switch: the table was begun
	comments map[int]string
	owners   map[int]owner // by LID, as far as comments tell
}

func (f *lftReader) line(line string) error {
	if strings.HasPrefix(line, "0x") {
		return f.entry(line)
	}
	m := lftHeader().FindStringSubmatch(line)
	if m == nil {
		m = fdbsHeader().FindStringSubmatch(line)
	}
	if m != nil {
		return f.header(m[1], headerName(m[2]))
	}
	if lftNoise().MatchString(line) {
		return nil
	}
	return f.errorf("%.80q; expected a line \"Unicast lids ...\" or \"0x0001 001 ...\"", line)
}

// headerName returns the name behind a GUID, in parentheses and perhaps in
// quotation marks.
func headerName(text string) string {
	i, j := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if i < 0 || j < i {
		return ""
	}
	name := text[i+1 : j]
	if len(name) >= 2 && name[0] == '\'' && name[len(name)-1] == '\'' {
		name = name[1 : len(name)-1]
	}
	return name
}

func (f *lftReader) header(guidText, name string) error {
	guid, err := f.hex(guidText, "GUID")
	if err != nil {
		return err
	}
	if f.at, err = f.dir.findSwitch(guid, name); err != nil {
		return f.errorf("%v", err)
	}
	if f.done[f.at] {
		return f.errorf("a second table of switch %s", f.t.Net.SwitchName(f.at))
	}
	f.done[f.at] = true
	return nil
}

// entry reads "0x0001 001 # comment" or "0x0001 : 001 : 01 : yes".
func (f *lftReader) entry(line string) error {
	if f.at < 0 {
		return f.errorf("an entry before the first switch; expected a line \"Unicast lids ...\"")
	}
	lidText, rest := cutField(line)
	lid, err := f.integer(lidText, "LID", 0, maxLID)
	if err != nil {
		return err
	}
	portText, comment := cutField(strings.TrimLeft(rest, ": \t"))
	port := noPort
	if portText != unreachable {
		if port, err = f.integer(portText, "port", 0, noPort); err != nil {
			return err
		}
	}
	if f.t.port(f.at, uint16(lid)) != noEntry {
		return f.errorf("a second entry for LID %d", lid)
	}
	f.t.setPort(f.at, uint16(lid), uint8(port))
	return f.comment(lid, comment)
}

// comment reads the owner of a LID.
func (f *lftReader) comment(lid int, comment string) error {
	if f.comments[lid] == comment || lid == 0 {
		return nil
	}
	m := lftPort().FindStringSubmatch(comment)
	if m == nil {
		return nil
	}
	guid, err := f.hex(m[1], "port GUID")
	if err != nil {
		return err
	}
	o, ok := f.dir.find(guid, m[2])
	if !ok {
		return nil
	}
	if other, known := f.owners[lid]; known && other != o {
		return f.errorf("LID %d is that of port GUID 0x%x, but the comment of an earlier table says otherwise: %s", lid, guid, f.comments[lid])
	}
	f.comments[lid], f.owners[lid] = comment, o
	return nil
}

// addresses returns the LIDs that comments tell, and for ports that occur in none
// the LIDs that the network knows.
func (d *directory) addresses(told map[int]owner) (*Addresses, error) {
	a := newAddresses(d.net)
	has := make(map[owner]bool)
	for _, lid := range slices.Sorted(maps.Keys(told)) {
		has[told[lid]] = true
		if err := a.claim(uint16(lid), told[lid]); err != nil {
			return nil, err
		}
	}
	known := newAddresses(d.net)
	if err := known.claimKnown(); err != nil {
		return nil, err
	}
	for _, lid := range known.All() {
		o := known.owners[lid]
		if _, taken := a.owners[lid]; !taken && !has[o] {
			if err := a.claim(lid, o); err != nil {
				return nil, err
			}
		}
	}
	if len(a.owners) == 0 {
		return nil, fmt.Errorf("whose LIDs these are is not known: neither does the network have LIDs, nor the file comments with port GUIDs or node names that occur in the network")
	}
	return a, nil
}

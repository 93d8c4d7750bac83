package tables

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
)

// Adaptive are the tables of InfiniBand switches that route adaptively: for each LID a static port and,
// unless its state is Static, a group of ports from which the switch chooses. The grammar is that of
// ibdiagnet2.far; there is no public description of it.
type Adaptive struct {
	*InfiniBand // service levels and lanes; its Forward is empty

	// PLFTs is how many forwarding tables switches have at most. Which of them holds depends on the
	// port of arrival and the service level by a map that is not in the file, so packets may
	// follow all.
	PLFTs int

	ports [][]int32 // by switch and LID: index into sets, 0 if there is no entry
	sets  [][]uint8
	index map[string]int32 // of sets
}

var (
	farSwitch = regex.Lazy(`^Switch (0x[0-9a-fA-F]+)(.*)$`)
	farTable  = regex.Lazy(`^PLFT_NUM: *(\d+)(?:, *top: *(0x[0-9a-fA-F]+))?$`)
	// farNoise matches the other lines with a meaning.
	farNoise = regex.Lazy(`^(File version:|Groups Definition:|LFT Definition:|Group\s+Sub Group|LID\s+Static Port|-+$)`)
)

// States of LIDs: Bounded and Free differ in when a packet may change its port, and in HBF a hash
// decides; none of that matters for what can happen.
var farStates = []string{"Bounded", "Free", "Static", "HBF"}

// ReadAdaptive reads tables such as ibdiagnet2.far. LIDs belong to the ports that have them in the
// network. A packet may leave by its static port or by any port of its group, also after a fault.
// Errors name file, line and what was expected.
func ReadAdaptive(r io.Reader, file string, net *topology.Network) (*Adaptive, error) {
	if err := checkPorts(net); err != nil {
		return nil, err
	}
	dir := newDirectory(net)
	addresses, err := dir.addresses(nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	f := farReader{lineReader: newLineReader(r, file), at: -1, done: make([]bool, len(net.Switches)), t: &Adaptive{
		InfiniBand: &InfiniBand{Algorithm: file, Net: net, Addresses: addresses, dir: dir,
			Forward: make([][]uint8, len(net.Switches)), Levels: []PairTable{NewPairTable(len(net.EndPoints))}},
		ports: make([][]int32, len(net.Switches)), sets: make([][]uint8, 1), index: make(map[string]int32)}}
	if err := f.each(f.line); err != nil {
		return nil, err
	}
	if f.t.PLFTs == 0 {
		return nil, fmt.Errorf("%s: no table of adaptive routing; expected lines such as \"Switch 0x2c90200401cc8\" and \"PLFT_NUM: 0, top: 0x0e05\"", file)
	}
	return f.t, nil
}

// farReader is the state of ReadAdaptive.
type farReader struct {
	*lineReader
	t      *Adaptive
	at     int // switch
	done   []bool
	groups map[int][]uint8 // ports by group
	table  bool            // an LFT has begun
	top    int             // highest LID of it
	seen   map[int]bool    // LIDs of it
	tables map[int]bool    // of this switch
}

func (f *farReader) line(line string) error {
	if m := farSwitch().FindStringSubmatch(line); m != nil {
		return f.header(m[1])
	}
	fields := strings.Fields(line)
	switch m := farTable().FindStringSubmatch(line); {
	case farNoise().MatchString(line):
		if strings.HasPrefix(line, "Groups") {
			f.table = false
		}
		return nil
	case f.at < 0:
		return f.errorf("%.80q before the first switch; expected a line \"Switch 0x2c90200401cc8\"", line)
	case m != nil:
		return f.begin(m[1], m[2])
	case f.table && strings.HasPrefix(line, "0x"):
		return f.entry(fields)
	case !f.table && len(fields) >= 2 && len(fields) <= 4 && isDigits(fields[0]) && isDigits(fields[1]):
		return f.group(fields)
	case f.groups == nil && !f.table:
		return nil // what the switch can do
	}
	return f.errorf("%.80q; expected a group of ports or an entry such as \"0x0001 033 Free 0\"", line)
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

func (f *farReader) header(guidText string) error {
	guid, err := f.hex(guidText, "GUID")
	if err != nil {
		return err
	}
	if f.at, err = f.t.dir.findSwitch(guid, ""); err != nil {
		return f.errorf("%v", err)
	}
	if f.done[f.at] {
		return f.errorf("a second table of switch %s", f.t.Net.SwitchName(f.at))
	}
	f.done[f.at] = true
	f.groups, f.table, f.tables = nil, false, make(map[int]bool)
	return nil
}

// group reads "0 1 33,34," or "0 1 8 33,34,": group, sub group, perhaps a weight, and ports.
func (f *farReader) group(fields []string) error {
	number, err := f.integer(fields[0], "group", 0, 1<<16)
	if err != nil {
		return err
	}
	if f.groups == nil {
		f.groups = make(map[int][]uint8)
	}
	list := f.groups[number]
	if last := fields[len(fields)-1]; len(fields) > 2 && (strings.Contains(last, ",") || len(fields) == 4) {
		for text := range strings.SplitSeq(strings.TrimRight(last, ","), ",") {
			port, err := f.port(text)
			if err != nil {
				return err
			}
			list = append(list, port)
		}
	}
	f.groups[number] = list
	return nil
}

func (f *farReader) port(text string) (uint8, error) {
	// Ports are decimal, perhaps with zeros before them.
	port, err := f.integer(text, "port of switch "+f.t.Net.SwitchName(f.at), 0, noPort)
	if err == nil && port != noPort && port > f.t.Net.Switches[f.at].Ports {
		err = f.errorf("port %d of switch %s; expected a number up to %d", port, f.t.Net.SwitchName(f.at), f.t.Net.Switches[f.at].Ports)
	}
	return uint8(port), err
}

// begin starts a forwarding table.
func (f *farReader) begin(numberText, topText string) error {
	number, err := f.integer(numberText, "PLFT_NUM", 0, 255)
	if err != nil {
		return err
	}
	f.top = maxLID
	if topText != "" {
		if f.top, err = f.integer(topText, "top", 0, maxLID); err != nil {
			return err
		}
	}
	if f.tables[number] {
		return f.errorf("a second table PLFT_NUM: %d of switch %s", number, f.t.Net.SwitchName(f.at))
	}
	f.tables[number] = true
	f.table, f.seen = true, make(map[int]bool)
	f.t.PLFTs = max(f.t.PLFTs, len(f.tables))
	return nil
}

// entry reads "0x0001 033 Free 0": LID, static port, state and group.
func (f *farReader) entry(fields []string) error {
	if len(fields) < 3 || len(fields) > 4 {
		return f.errorf("an entry of %d values; expected LID, static port, state and group", len(fields))
	}
	lid, err := f.integer(fields[0], "LID", 0, f.top)
	if err != nil {
		return err
	}
	static, err := f.port(fields[1])
	if err != nil {
		return err
	}
	if f.seen[lid] {
		return f.errorf("a second entry for LID %d", lid)
	}
	f.seen[lid] = true
	set := []uint8{static}
	switch state := fields[2]; {
	case !slices.Contains(farStates, state):
		return f.errorf("state %.80q; expected one of %s", state, strings.Join(farStates, ", "))
	case state != "Static":
		if len(fields) < 4 {
			return f.errorf("state %s without a group", state)
		}
		number, err := f.integer(fields[3], "group", 0, 1<<16)
		if err != nil {
			return err
		}
		ports, ok := f.groups[number]
		if !ok {
			return f.errorf("group %d, which switch %s does not define", number, f.t.Net.SwitchName(f.at))
		}
		set = append(set, ports...)
	}
	f.t.add(f.at, lid, slices.DeleteFunc(set, func(p uint8) bool { return p == noPort }))
	return nil
}

// add lets packets to a LID leave a switch by further ports.
func (t *Adaptive) add(sw, lid int, set []uint8) {
	row := t.ports[sw]
	if lid >= len(row) {
		row = slices.Grow(row, lid+1-len(row))[:lid+1]
		t.ports[sw] = row
	}
	set = append(set, t.sets[row[lid]]...)
	slices.Sort(set)
	set = slices.Compact(set)
	number, ok := t.index[string(set)]
	if !ok && len(set) > 0 {
		number = int32(len(t.sets))
		t.sets = append(t.sets, set)
		t.index[string(set)] = number
	}
	row[lid] = number
}

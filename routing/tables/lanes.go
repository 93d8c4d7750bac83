package tables

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"musubi/internal/regex"
)

// WriteLanes writes the tables from service level to virtual lane in the format of OpenSM's
// opensm-sl2vl.dump.
func (t *InfiniBand) WriteLanes(w io.Writer) error {
	b := bufio.NewWriter(w)
	for s, sw := range t.Net.Switches {
		fmt.Fprintf(b, "Switch 0x%016x, base LID %d, \"%s\"\n", t.Addresses.net.Switches[s].GUID, t.Addresses.base(s), cmp.Or(t.Net.Switches[s].Name, t.Net.Switches[s].ID))
		fmt.Fprint(b, "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n")
		for out := 1; out <= sw.Ports; out++ {
			for in := 0; in <= sw.Ports; in++ {
				fmt.Fprintf(b, "%-3d %-3d :", in, out)
				for level := range numSLs {
					fmt.Fprintf(b, " %-2d", t.Lane(s, in, out, level))
				}
				fmt.Fprintln(b)
			}
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

// WriteLanesIBDM writes the tables from service level to virtual lane in the format that ibdmchk
// reads with -d: GUID of the switch, input port, output port, and two lanes a byte.
func (t *InfiniBand) WriteLanesIBDM(w io.Writer) error {
	b := bufio.NewWriter(w)
	for s, sw := range t.Net.Switches {
		for in := 1; in <= sw.Ports; in++ {
			for out := 1; out <= sw.Ports; out++ {
				fmt.Fprintf(b, "0x%016x %d %d", t.Addresses.net.Switches[s].GUID, in, out)
				for level := 0; level < numSLs; level += 2 {
					fmt.Fprintf(b, " 0x%x%x", t.Lane(s, in, out, level), t.Lane(s, in, out, level+1))
				}
				fmt.Fprintln(b)
			}
		}
	}
	return b.Flush()
}

// laneHeader begins the tables of a node in opensm-sl2vl.dump.
var laneHeader = regex.Lazy(`^(Switch|Channel Adapter|Router) (0x[0-9a-fA-F]+), base LID [0-9]+, "(.*)"$`)

// ReadLanes reads the tables from service level to virtual lane, in the format of WriteLanes or
// WriteLanesIBDM. It skips the tables of adapters, because nothing waits for the links that leave
// them. Where there is no line, service level n uses lane n; a file without any line is refused.
// Errors name file, line and what was expected.
func (t *InfiniBand) ReadLanes(r io.Reader, file string) error {
	if err := checkPorts(t.Net); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	l := laneReader{lineReader: newLineReader(r, file), t: t, at: noNode}
	lanes := t.Lanes
	t.Lanes = newLanes(t.Net)
	if err := l.each(l.line); err != nil {
		t.Lanes = lanes
		return err
	}
	if !l.told {
		t.Lanes = lanes
		return fmt.Errorf("%s: no table of lanes; expected a line \"Switch 0x..., base LID ..., \"name\"\" or \"0x2c90200401cc8 1 2 0x01 ...\"", file)
	}
	return nil
}

// laneReader is the state of ReadLanes.
type laneReader struct {
	*lineReader
	t  *InfiniBand
	at int // the switch whose tables are being read, or one of the values below
}

const (
	noNode  = -1 // no header yet
	adapter = -2
)

func (l *laneReader) line(line string) error {
	if strings.HasPrefix(line, "0x") {
		return l.packedRow(line)
	}
	if m := laneHeader().FindStringSubmatch(line); m != nil {
		return l.header(m[1], m[2], m[3])
	}
	return l.row(line)
}

func (l *laneReader) header(kind, guidText, name string) error {
	l.at = adapter
	if kind != "Switch" {
		return nil
	}
	var err error
	l.at, err = l.switchOf(guidText, name)
	return err
}

func (l *laneReader) switchOf(guidText, name string) (int, error) {
	guid, err := l.hex(guidText, "GUID")
	if err != nil {
		return 0, err
	}
	s, err := l.t.directory().findSwitch(guid, name)
	if err != nil {
		return 0, l.errorf("%v", err)
	}
	return s, nil
}

// row reads "1 2 : 0 1 2 ...".
func (l *laneReader) row(line string) error {
	ports, lanes, found := strings.Cut(line, ":")
	fields := append(strings.Fields(ports), strings.Fields(lanes)...)
	if !found || len(fields) != 2+numSLs {
		return l.errorf("%.80q; expected a line \"Switch 0x..., base LID ..., \"name\"\", or input port, output port, a colon and %d lanes", line, numSLs)
	}
	switch l.at {
	case noNode:
		return l.errorf("a table before the first switch; expected a line \"Switch 0x..., base LID ..., \"name\"\"")
	case adapter:
		return nil
	}
	table, err := l.table(l.at, fields[0], fields[1])
	if err != nil {
		return err
	}
	for level, text := range fields[2:] {
		lane, err := l.integer(text, "lane", 0, maxDataVLs)
		if err != nil {
			return err
		}
		table[level] = uint8(lane)
	}
	return nil
}

// packedRow reads "0x2c90200401cc8 1 2 0x01 0x23 ...".
func (l *laneReader) packedRow(line string) error {
	fields := strings.Fields(line)
	if len(fields) != 3+numSLs/2 {
		return l.errorf("%.80q; expected the GUID of a switch, input port, output port and %d bytes of two lanes each", line, numSLs/2)
	}
	s, err := l.switchOf(fields[0], "")
	if err != nil {
		return err
	}
	table, err := l.table(s, fields[1], fields[2])
	if err != nil {
		return err
	}
	for i, text := range fields[3:] {
		two, err := l.hex(text, "pair of lanes")
		if err != nil {
			return err
		}
		if two > 0xff {
			return l.errorf("pair of lanes %.80q; expected a byte", text)
		}
		table[2*i], table[2*i+1] = uint8(two>>4), uint8(two&0xf)
	}
	return nil
}

// table finds the lanes of a pair of ports.
func (l *laneReader) table(s int, inText, outText string) ([]uint8, error) {
	in, err := l.integer(inText, "input port", 0, l.t.Net.Switches[s].Ports)
	if err != nil {
		return nil, err
	}
	out, err := l.integer(outText, "output port", 0, l.t.Net.Switches[s].Ports)
	if err != nil {
		return nil, err
	}
	return l.t.LanesAt(s, in, out), nil
}

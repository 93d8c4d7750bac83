package tables

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/routing/multicast"
	"musubi/topology"
)

// LIDs of multicast groups.
const (
	minMLID = 0xc000
	maxMLID = 0xfffe
)

var (
	mftHeader   = regex.Lazy(`^Multicast mlids .*\bof switch .*?\bguid (0x[0-9a-fA-F]+) *(.*)$`)
	mcfdbSwitch = regex.Lazy(`^Switch (0x[0-9a-fA-F]+)$`)
	mcfdbEntry  = regex.Lazy(`^(0x[0-9a-fA-F]+) +: +((?:0x[0-9a-fA-F]+ *)*)$`)
	mftCount    = regex.Lazy(`^(\d+) valid mlids dumped$`)
	mftRow      = regex.Lazy(`^0x[0-9a-fA-F]{4}([ x]|$)`)
	mftMasks    = regex.Lazy(`^(0x[0-9a-fA-F]{4}) +([0-9a-fA-F]{4}(?: *[0-9a-fA-F]{4})*)$`)
)

// ReadMulticast reads multicast forwarding tables: the output of dump_fts -M or ibroute -M, also with
// -n, or opensm.mcfdbs. Errors name file, line and what was expected.
func ReadMulticast(r io.Reader, file string, net *topology.Network) (*multicast.Tables, error) {
	m := mftReader{lineReader: newLineReader(r, file), dir: newDirectory(net), at: -1, done: make([]bool, len(net.Switches)),
		t: &multicast.Tables{Net: net, Groups: make(map[uint16]map[int][]int)}}
	for m.scanner.Scan() {
		m.number++
		line := strings.TrimRight(m.scanner.Text(), " \r\t")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := m.line(line); err != nil {
			return nil, err
		}
	}
	if err := m.scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, m.number+1, err)
	}
	if m.at < 0 {
		return nil, fmt.Errorf("%s: no multicast table; expected lines such as \"Multicast mlids [0xc000-0xc3ff] of switch Lid 2 guid 0x2c90200401cc8\" or \"Switch 0x2c90200401cc8\"", file)
	}
	if m.counted && !m.ended {
		return nil, fmt.Errorf("%s: the table of switch %s has no line \"N valid mlids dumped\": it may be truncated", file, net.SwitchName(m.at))
	}
	return m.t, nil
}

// mftReader is the state of ReadMulticast.
type mftReader struct {
	*lineReader
	dir     *directory
	t       *multicast.Tables
	at      int // switch
	done    []bool
	counted bool // tables end with their number of rows
	ended   bool
	rows    int
	column  int // of port 0 in rows of marks; 0: rows of masks
}

func (m *mftReader) line(line string) error {
	trimmed := strings.TrimSpace(line)
	if h := mftHeader().FindStringSubmatch(trimmed); h != nil {
		if m.counted && !m.ended {
			return m.errorf("a table before the line \"N valid mlids dumped\" of the one before")
		}
		m.counted, m.ended = true, false
		return m.header(h[1], headerName(h[2]))
	}
	if h := mcfdbSwitch().FindStringSubmatch(trimmed); h != nil {
		return m.header(h[1], "")
	}
	switch count := mftCount().FindStringSubmatch(trimmed); {
	case m.at < 0:
		return m.errorf("%.80q before the first switch", trimmed)
	case count != nil:
		if n, _ := strconv.Atoi(count[1]); n != m.rows {
			return m.errorf("%d valid mlids dumped, but %d rows", n, m.rows)
		}
		m.ended = true
		return nil
	case strings.HasPrefix(trimmed, "Ports:"):
		m.column = strings.Index(line, "0")
		return nil
	case strings.HasPrefix(trimmed, "MLid") || strings.HasPrefix(trimmed, "LID ") || strings.Trim(trimmed, "0123456789 ") == "":
		return nil
	}
	if e := mcfdbEntry().FindStringSubmatch(trimmed); e != nil {
		return m.list(e[1], strings.Fields(e[2]))
	}
	if e := mftMasks().FindStringSubmatch(trimmed); e != nil && m.column == 0 {
		return m.masks(e[1], strings.ReplaceAll(e[2], " ", ""))
	}
	if mftRow().MatchString(line) && m.column > 0 {
		return m.marks(line)
	}
	return m.errorf("%.80q; expected a row of ports, such as \"0xc000 : 0x001  0x005\"", trimmed)
}

func (m *mftReader) header(guidText, name string) error {
	guid, err := m.hex(guidText, "GUID")
	if err != nil {
		return err
	}
	if m.at, err = m.dir.findSwitch(guid, name); err != nil {
		return m.errorf("%v", err)
	}
	if m.done[m.at] {
		return m.errorf("a second table of switch %s", m.t.Net.SwitchName(m.at))
	}
	m.done[m.at] = true
	m.rows, m.column = 0, 0
	return nil
}

// list reads ports, which opensm.mcfdbs has in hexadecimal.
func (m *mftReader) list(mlid string, texts []string) error {
	var ports []int
	for _, text := range texts {
		port, err := m.integer(text, "port", 0, m.t.Net.Switches[m.at].Ports)
		if err != nil {
			return err
		}
		ports = append(ports, port)
	}
	return m.row(mlid, ports)
}

// marks reads a row with an x below each port: two columns a port.
func (m *mftReader) marks(line string) error {
	var ports []int
	for i := 6; i < len(line); i++ {
		switch offset := i - m.column; {
		case line[i] == ' ':
		case line[i] != 'x' || offset < 0 || offset%2 != 0 || offset/2 > m.t.Net.Switches[m.at].Ports:
			return m.errorf("%.80q; expected an x below a port from 0 to %d", line, m.t.Net.Switches[m.at].Ports)
		default:
			ports = append(ports, offset/2)
		}
	}
	return m.row(line[:6], ports)
}

// masks reads a row of masks of 16 ports, the lowest first.
func (m *mftReader) masks(mlid, digits string) error {
	var ports []int
	for i := 0; i+4 <= len(digits); i += 4 {
		mask, _ := strconv.ParseUint(digits[i:i+4], 16, 16)
		for bit := range 16 {
			if mask>>bit&1 != 0 {
				ports = append(ports, i*4+bit)
			}
		}
	}
	if n := len(ports); n > 0 && ports[n-1] > m.t.Net.Switches[m.at].Ports {
		return m.errorf("port %d of switch %s; expected 0 to %d", ports[n-1], m.t.Net.SwitchName(m.at), m.t.Net.Switches[m.at].Ports)
	}
	return m.row(mlid, ports)
}

// row records an entry; one without ports is none.
func (m *mftReader) row(text string, ports []int) error {
	mlid, err := m.integer(strings.ToLower(text), "MLID", minMLID, maxMLID)
	if err != nil {
		return err
	}
	m.rows++
	group := m.t.Groups[uint16(mlid)]
	if group == nil {
		group = make(map[int][]int)
		m.t.Groups[uint16(mlid)] = group
	}
	if _, twice := group[m.at]; twice {
		return m.errorf("a second entry for MLID 0x%x", mlid)
	}
	if len(ports) > 0 {
		slices.Sort(ports)
		group[m.at] = ports
	}
	return nil
}

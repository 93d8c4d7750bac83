package infiniband

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// The port list of ibnetdiscover -p has one line per port: type, LID, port, port
// GUID, speed, then the same of the other end if the port is connected.
//
//	CA   134  1 0x7cfe9003003b4bde 4x EDR - SW  1719 10 0x7cfe9003009ce5b0 ( 'o0001 HCA-1' - 'leaf 1' )
//	SW  1781 80 0x08c0eb0300add20e 4x SDR                                    'leaf 7'
//
// It names adapters by port GUID only, so ports make one adapter if they have the
// same name and their GUIDs differ as their numbers do, which is how adapters with
// several ports number them.

const portListEnd = `(SW|CA|RT)\s+(\d+)\s+(\d+)\s+0x([0-9a-fA-F]{1,16})`

var (
	portListLine     = regex.Lazy(`^\s*` + portListEnd + `\s+(\S+)\s+(\S+)\s+(.*)$`)
	portListFar      = regex.Lazy(`^-\s+` + portListEnd + `\s+\(\s*'(.*)'\s*\)\s*$`)
	portListAnyLine  = regex.Lazy(`(?m)^\s*` + portListEnd + `\s`)
	portListNameMark = "' - '"
)

// LooksLikePortList reports whether the beginning of a file is that of the port list of ibnetdiscover.
func LooksLikePortList(text string) bool { return portListAnyLine().MatchString(text) }

// portListReader makes a network of the lines.
type portListReader struct{ *draft.Draft }

// ReadPortList reads the port list of ibnetdiscover.
func ReadPortList(text string, truncated bool) (*topology.Network, error) {
	f := portListReader{draft.NewDump(truncated)}
	for number, line := range scan.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' || ibNoiseLine().MatchString(line) {
			continue
		}
		if err := f.line(number, line); err != nil {
			return nil, err
		}
	}
	return f.Network(draft.Always(draft.SwitchClass))
}

func (f portListReader) line(number int, line string) error {
	m := portListLine().FindStringSubmatch(line)
	if m == nil {
		return scan.Fault(number, "found %s; expected SW, CA or RT, LID, port, GUID, width and speed", scan.Quote(line))
	}
	nearFields, width, lane, rest := m[1:5], m[5], m[6], m[7]
	if !strings.HasPrefix(rest, "-") {
		_, err := f.port(number, nearFields, strings.Trim(rest, " '"), true)
		return err
	}
	far := portListFar().FindStringSubmatch(rest)
	if far == nil {
		return scan.Fault(number, "found %s; expected - and the other port, then ( 'name' - 'name' )", scan.Quote(rest))
	}
	nearName, farName, ok := strings.Cut(far[5], portListNameMark)
	if !ok {
		return scan.Fault(number, "found the names %s; expected two, as in ( 'name' - 'name' )", scan.Quote(far[5]))
	}
	a, err := f.port(number, nearFields, nearName, true)
	if err != nil {
		return err
	}
	b, err := f.port(number, far[1:5], farName, false)
	if err != nil {
		return err
	}
	speed, _ := topology.ParseSpeed(width + lane)
	return f.Connect(number, a, b, speed)
}

// port returns the port that type, LID, number and GUID describe.
func (f portListReader) port(number int, fields []string, name string, defined bool) (draft.End, error) {
	port, ok := scan.PortNumber(fields[2])
	if !ok {
		return draft.End{}, scan.Fault(number, "port %s; expected 1 to %d", fields[2], scan.MaxPort)
	}
	lid, err := strconv.ParseUint(fields[1], 10, 16)
	if err != nil {
		return draft.End{}, scan.Fault(number, "LID %s; expected 0 to 65535", fields[1])
	}
	guid, ok := scan.Hexadecimal(fields[3], 64)
	if !ok || guid == 0 {
		return draft.End{}, scan.Fault(number, "port GUID %s; expected a hexadecimal number above 0", fields[3])
	}
	var n *draft.Node
	if fields[0] == "SW" {
		n = f.Node(number, fmt.Sprintf("S-%016x", guid))
		n.Class, n.GUID, n.LID = draft.SwitchClass, guid, uint16(lid)
	} else if n, err = f.adapter(number, fields[0], guid-uint64(port), name); err != nil {
		return draft.End{}, err
	}
	n.Name, n.Ports = name, max(n.Ports, port)
	if defined {
		f.Define(number, n)
	}
	return draft.End{Plug: draft.Plug{Node: n, Port: port}, GUID: guid, LID: uint16(lid)}, nil
}

// adapter returns the adapter whose port p has GUID base+p. Its ID is made
// of the GUID of port 1, since the list does not give that of the adapter.
func (f portListReader) adapter(number int, kind string, base uint64, name string) (*draft.Node, error) {
	n := f.Node(number, fmt.Sprintf("%s %016x %s", kind, base, name))
	if n.Class == draft.AdapterClass {
		return n, nil
	}
	n.Class, n.ID = draft.AdapterClass, fmt.Sprintf("%s-%016x", kind, base+1)
	if kind == "RT" {
		n.Kind = topology.Router
	}
	if other := f.ByID[n.ID]; other != nil {
		return nil, scan.Fault(number, "adapter %s has the GUIDs of %s on line %d; expected different ones", scan.Quote(name), scan.Quote(other.Name), other.Line)
	}
	f.ByID[n.ID] = n
	return n, nil
}

// WritePortList writes the port list of ibnetdiscover.
func WritePortList(w *bufio.Writer, n *topology.Network) error {
	n = n.WithGUIDs()
	cabling := cablingOf(n)
	for i := range n.Adapters {
		for _, e := range cabling.adapters[i] {
			if err := writePortListLine(w, endPointText(n, e), switchPortText(n, n.EndPoints[e].At), n.EndPoints[e].Speed); err != nil {
				return err
			}
		}
	}
	for s, jacks := range cabling.switches {
		for _, j := range slices.Backward(jacks) {
			near := switchPortText(n, topology.Port{Switch: s, Number: j.port})
			far := switchPortText(n, j.far)
			if j.endPoint >= 0 {
				far = endPointText(n, j.endPoint)
			}
			if err := writePortListLine(w, near, far, j.speed); err != nil {
				return err
			}
		}
	}
	return nil
}

// portText is the description of one port in a port list.
type portText struct{ fields, name string }

func endPointText(n *topology.Network, endPoint int) portText {
	e := &n.EndPoints[endPoint]
	a := &n.Adapters[e.Adapter]
	kind := "CA"
	if a.Kind == topology.Router {
		kind = "RT"
	}
	return portText{fmt.Sprintf("%s %5d %2d 0x%016x", kind, e.LID, e.AdapterPort, e.GUID), a.Name}
}

func switchPortText(n *topology.Network, p topology.Port) portText {
	s := &n.Switches[p.Switch]
	return portText{fmt.Sprintf("SW %5d %2d 0x%016x", s.LID, p.Number, s.GUID), s.Name}
}

func writePortListLine(w *bufio.Writer, near, far portText, s topology.Speed) error {
	if err := scan.Refuse(portListNameMark, near.name, far.name); err != nil {
		return err
	}
	speed := "?? ???"
	if s != (topology.Speed{}) {
		speed = fmt.Sprintf("%dx %s", s.Width, s.Lane)
	}
	fmt.Fprintf(w, "%s %s - %s ( '%s' - '%s' )\n", near.fields, speed, far.fields, near.name, far.name)
	return nil
}

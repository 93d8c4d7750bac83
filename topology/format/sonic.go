package format

import (
	"cmp"
	"strconv"
	"strings"

	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
	"musubi/topology/sonic"
)

// The configuration of a SONiC switch, config_db.json, says in DEVICE_NEIGHBOR what its ports are meant to
// lead to. A network needs those of all switches: an object of them by name, or a folder with
// a folder for each. Ports are numbered in the order of their names, as these count lanes.

func looksLikeSONiC(head string) bool { return sonic.Looks([]byte(head)) }

func readSONiC(text string, r *Reader) (*topology.Network, error) {
	switches, err := sonic.ReadObject([]byte(text))
	if err != nil {
		return nil, scan.Fault(1, "%s", scan.Printable(err.Error()))
	}
	return r.joinSONiC(switches)
}

// SONiC makes a network of the configurations of its switches. name is what messages call it.
func (r *Reader) SONiC(switches []*sonic.Switch, name string) (*topology.Network, error) {
	return named(name, func() (*topology.Network, error) { return r.joinSONiC(switches) })
}

func (r *Reader) joinSONiC(switches []*sonic.Switch) (*topology.Network, error) {
	s := sonicReader{Draft: draft.NewDump(r.Truncated), switches: make(map[string]*sonic.Switch)}
	tier := lowestTier(switches)
	for _, sw := range switches {
		s.switches[sw.Name] = sw
		n := s.Node(1, sw.Name)
		s.Define(1, n)
		n.Class, n.Ports = draft.SwitchClass, len(sw.Ports())
		n.Leaf = tier != "" && strings.Contains(sw.Kind(), tier)
	}
	for _, sw := range switches {
		for _, port := range sw.Ports() {
			if err := s.port(sw, port); err != nil {
				return nil, err
			}
		}
	}
	if s.down > 0 {
		s.Note("cables at ports that are switched off are left out; such ports: %d", s.down)
	}
	return s.Network(draft.Always(draft.SwitchClass))
}

// lowestTier returns the role of the switches that hosts attach to, as far as roles tell.
func lowestTier(switches []*sonic.Switch) string {
	for _, tier := range []string{"ToRRouter", "LeafRouter"} {
		for _, sw := range switches {
			if strings.Contains(sw.Kind(), tier) {
				return tier
			}
		}
	}
	return ""
}

type sonicReader struct {
	*draft.Draft
	switches map[string]*sonic.Switch
	down     int // ports that are switched off and have a cable
}

// port reads what a port leads to.
func (s *sonicReader) port(sw *sonic.Switch, port string) error {
	to, ok := sw.Neighbour(port)
	if !ok {
		if sw.InVLAN(port) && !sw.Down(port) {
			return s.host(sw, port, sw.Name+":"+port)
		}
		return nil
	}
	other := s.switches[to.Name]
	switch {
	case sw.Down(port):
		s.down++
		return nil
	case other == nil && to.IsServer():
		return s.host(sw, port, to.Name)
	case other == sw:
		return scan.Fault(1, "port %s of switch %s leads to the switch itself; expected another one", scan.Quote(port), scan.Quote(sw.Name))
	case other == nil:
		n := s.Node(1, to.Name)
		n.Class = draft.SwitchClass
		return s.Connect(1, s.at(sw, port), draft.End{Plug: draft.Plug{Node: n, Port: 0}}, sonicSpeed(sw, port))
	}
	far, err := farPort(sw, port, other, to.Port)
	if err != nil || other.Down(far) {
		return err
	}
	return s.Connect(1, s.at(sw, port), s.at(other, far), draft.Slower(sonicSpeed(sw, port), sonicSpeed(other, far)))
}

func (s *sonicReader) at(sw *sonic.Switch, port string) draft.End {
	return draft.End{Plug: draft.Plug{Node: s.Node(1, sw.Name), Port: sw.Number(port)}}
}

func (s *sonicReader) host(sw *sonic.Switch, port, name string) error {
	if err := s.Full(1); err != nil {
		return err
	}
	n := s.Node(1, name)
	if n.Class == draft.SwitchClass {
		return scan.Fault(1, "port %s of switch %s leads to the host %s, which is a switch, too; expected one of both", scan.Quote(port), scan.Quote(sw.Name), scan.Quote(name))
	}
	s.Define(1, n)
	n.Class = draft.AdapterClass
	return s.Connect(1, s.at(sw, port), draft.End{Plug: draft.Plug{Node: n, Port: 0}}, sonicSpeed(sw, port))
}

// farPort finds the port of another switch that a port leads to. What both switches say must agree.
func farPort(sw *sonic.Switch, port string, other *sonic.Switch, told string) (string, error) {
	var back []string // ports of the other switch that lead here
	for _, p := range other.Ports() {
		if to, ok := other.Neighbour(p); ok && to.Name == sw.Name && (to.Port == "" || sw.Number(to.Port) == sw.Number(port)) {
			back = append(back, p)
		}
	}
	if told == "" {
		if len(back) != 1 {
			return "", scan.Fault(1, "port %s of switch %s leads to %s, which has %d ports that may be the other end; expected the name of its port", scan.Quote(port), scan.Quote(sw.Name), scan.Quote(other.Name), len(back))
		}
		return back[0], nil
	}
	number := other.Number(told)
	if number == 0 {
		return "", scan.Fault(1, "port %s of switch %s leads to port %s of %s, which has no such port", scan.Quote(port), scan.Quote(sw.Name), scan.Quote(told), scan.Quote(other.Name))
	}
	far := other.Ports()[number-1]
	if to, ok := other.Neighbour(far); ok && (to.Name != sw.Name || to.Port != "" && sw.Number(to.Port) != sw.Number(port)) {
		return "", scan.Fault(1, "port %s of switch %s leads to port %s of %s, which leads to port %s of %s; expected both to tell of one cable",
			scan.Quote(port), scan.Quote(sw.Name), scan.Quote(far), scan.Quote(other.Name), scan.Quote(to.Port), scan.Quote(to.Name))
	}
	return far, nil
}

// sonicSpeed returns the speed of a port by its rate of data and its lanes; lanes that are not told are as
// many as a speed that is known has.
func sonicSpeed(sw *sonic.Switch, port string) topology.Speed {
	rate, lanes := sw.Megabits(port)
	for _, width := range []int{lanes, 4, 1, 2, 8} {
		if width == 0 || rate%(1000*width) != 0 {
			continue
		}
		gigabits := strconv.Itoa(rate / 1000 / width)
		if gigabits == "10" {
			gigabits = "FDR10" // 10 Gbit/s of data, where QDR has 8
		}
		if s := draft.SpeedOf(strconv.Itoa(width)+"x", gigabits); s.Width > 0 && cmp.Or(lanes, width) == width {
			return s
		}
	}
	return topology.Speed{}
}

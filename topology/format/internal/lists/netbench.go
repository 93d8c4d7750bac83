package lists

import (
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// A .topology file of the simulator netbench says how many nodes and links there are and what the
// nodes are, and then lists each link in both directions:
//
//	|V|=5
//	|E|=16
//	ToRs=incl_range(0,3)
//	Servers=incl_range(0,3)
//	Switches=set(4)
//	0 1
//	1 0
//
// Servers are nodes of their own, or the same as ToRs: then each ToR has hosts, in a number that the
// file does not say.

var (
	netbenchNodes = regex.Lazy(`(?m)^\|V\|=\d+\s*$`)
	netbenchLinks = regex.Lazy(`(?m)^\|E\|=\d+\s*$`)
	netbenchKey   = regex.Lazy(`^(\|V\||\|E\||ToRs|Servers|Switches|AutoExtended)=(.*)$`)
	netbenchRange = regex.Lazy(`^incl_range\(\s*(\d+)\s*,\s*(\d+)\s*\)$`)
	netbenchSet   = regex.Lazy(`^set\(([\d\s,]*)\)$`)
	netbenchLink  = regex.Lazy(`^(\d+)\s+(\d+)$`)
)

// LooksLikeNetbench reports whether the beginning of a file is that of a topology of netbench.
func LooksLikeNetbench(head string) bool {
	return netbenchNodes().MatchString(head) && netbenchLinks().MatchString(head)
}

type netbenchReader struct {
	draft.Graph
	lines  map[string]int // of keys
	counts map[string]int // |V| and |E|
	sets   map[string][]int
	number []*draft.Node
	links  int // directed ones
}

// ReadNetbench reads a topology of netbench.
func ReadNetbench(text string) (*topology.Network, error) {
	r := netbenchReader{Graph: draft.NewGraph(), lines: make(map[string]int), counts: make(map[string]int), sets: make(map[string][]int)}
	r.Directed = true
	for number, line := range scan.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := r.line(number, line); err != nil {
			return nil, err
		}
	}
	if r.number == nil {
		if err := r.makeNodes(1); err != nil {
			return nil, err
		}
	}
	if r.links != r.counts["|E|"] {
		return nil, scan.Fault(r.lines["|E|"], "|E| is %d, but there are %d directed links; expected the same number", r.counts["|E|"], r.links)
	}
	if c := r.OneWay(); c != nil {
		return nil, scan.Fault(c.Line, "the link from %s to %s is not listed in the other direction; expected both", c.A.Node.ID, c.B.Node.ID)
	}
	return r.Network(draft.Always(draft.SwitchClass))
}

func (r *netbenchReader) line(number int, line string) error {
	if m := netbenchKey().FindStringSubmatch(line); m != nil {
		if r.lines[m[1]] > 0 || r.number != nil {
			return scan.Fault(number, "found %s; expected it once, before the links", scan.Quote(m[1]))
		}
		r.lines[m[1]] = number
		return r.setting(number, m[1], m[2])
	}
	m := netbenchLink().FindStringSubmatch(line)
	if m == nil {
		return scan.Fault(number, "found %s; expected a link of two numbers, or one of |V|, |E|, ToRs, Servers, Switches, AutoExtended", scan.Quote(line))
	}
	if r.number == nil {
		if err := r.makeNodes(number); err != nil {
			return err
		}
	}
	var ends [2]*draft.Node
	for i, text := range m[1:] {
		v, err := strconv.Atoi(text)
		if err != nil || v >= len(r.number) {
			return scan.Fault(number, "node %s; expected 0 to %d", text, len(r.number)-1)
		}
		ends[i] = r.number[v]
	}
	if ends[0] == ends[1] {
		return scan.Fault(number, "link from node %s to itself; expected two nodes", m[1])
	}
	r.links++
	return r.Edge(number, ends[0], ends[1], draft.CableText{})
}

func (r *netbenchReader) setting(number int, key, value string) error {
	switch key {
	case "AutoExtended":
		return nil
	case "|V|", "|E|":
		v, ok := scan.Decimal(value, topology.MaxParameter)
		if !ok {
			return scan.Fault(number, "%s is %s; expected a number up to %d", key, scan.Quote(value), topology.MaxParameter)
		}
		r.counts[key] = v
		return nil
	}
	var set []int
	if m := netbenchRange().FindStringSubmatch(value); m != nil {
		low, lowOK := scan.Decimal(m[1], topology.MaxParameter)
		high, highOK := scan.Decimal(m[2], topology.MaxParameter)
		if !lowOK || !highOK || low > high {
			return scan.Fault(number, "%s is %s; expected a range that goes up", key, scan.Quote(value))
		}
		for v := low; v <= high; v++ {
			set = append(set, v)
		}
	} else if m := netbenchSet().FindStringSubmatch(value); m != nil {
		for _, text := range strings.FieldsFunc(m[1], func(c rune) bool { return c < '0' || c > '9' }) {
			v, ok := scan.Decimal(text, topology.MaxParameter)
			if !ok {
				return scan.Fault(number, "%s has %s; expected numbers up to %d", key, scan.Quote(text), topology.MaxParameter)
			}
			set = append(set, v)
		}
	} else {
		return scan.Fault(number, "%s is %s; expected set(...) or incl_range(first,last)", key, scan.Quote(value))
	}
	r.sets[key] = set
	return nil
}

// makeNodes makes the nodes when the links begin.
func (r *netbenchReader) makeNodes(line int) error {
	for _, key := range []string{"|V|", "|E|", "ToRs", "Servers", "Switches"} {
		if r.lines[key] == 0 {
			return scan.Fault(line, "found no %s; expected |V|, |E|, ToRs, Servers and Switches before the links", key)
		}
	}
	r.number = make([]*draft.Node, r.counts["|V|"])
	for i := range r.number {
		r.number[i] = r.Node(line, strconv.Itoa(i))
		r.Define(line, r.number[i])
	}
	for _, key := range []string{"ToRs", "Switches", "Servers"} {
		for _, v := range r.sets[key] {
			if v >= len(r.number) {
				return scan.Fault(r.lines[key], "%s has node %d; expected 0 to %d", key, v, len(r.number)-1)
			}
			n := r.number[v]
			switch {
			case key != "Servers" && n.Class == draft.UnknownClass:
				n.Class, n.Leaf = draft.SwitchClass, key == "ToRs"
			case key == "Servers" && n.Class == draft.UnknownClass:
				n.Class = draft.AdapterClass
			case key != "Servers" || !n.Leaf:
				return scan.Fault(r.lines[key], "%s has node %d, which is something else; expected each node once, or servers that are ToRs", key, v)
			}
		}
	}
	for i, n := range r.number {
		if n.Class == draft.UnknownClass {
			return scan.Fault(r.lines["|V|"], "node %d is neither ToR nor switch nor server; expected all |V| nodes among them", i)
		}
	}
	return nil
}

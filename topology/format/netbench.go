package format

import (
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
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

func looksLikeNetbench(head string) bool {
	return netbenchNodes().MatchString(head) && netbenchLinks().MatchString(head)
}

type netbenchReader struct {
	graph
	lines  map[string]int // of keys
	counts map[string]int // |V| and |E|
	sets   map[string][]int
	number []*node
	links  int // directed ones
}

func readNetbench(text string) (*topology.Network, error) {
	r := netbenchReader{graph: newGraph(), lines: make(map[string]int), counts: make(map[string]int), sets: make(map[string][]int)}
	r.directed = true
	for number, line := range lines(text) {
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
		return nil, fault(r.lines["|E|"], "|E| is %d, but there are %d directed links; expected the same number", r.counts["|E|"], r.links)
	}
	if c := r.oneWay(); c != nil {
		return nil, fault(c.line, "the link from %s to %s is not listed in the other direction; expected both", c.a.node.id, c.b.node.id)
	}
	return r.network(always(switchClass))
}

func (r *netbenchReader) line(number int, line string) error {
	if m := netbenchKey().FindStringSubmatch(line); m != nil {
		if r.lines[m[1]] > 0 || r.number != nil {
			return fault(number, "found %s; expected it once, before the links", quote(m[1]))
		}
		r.lines[m[1]] = number
		return r.setting(number, m[1], m[2])
	}
	m := netbenchLink().FindStringSubmatch(line)
	if m == nil {
		return fault(number, "found %s; expected a link of two numbers, or one of |V|, |E|, ToRs, Servers, Switches, AutoExtended", quote(line))
	}
	if r.number == nil {
		if err := r.makeNodes(number); err != nil {
			return err
		}
	}
	var ends [2]*node
	for i, text := range m[1:] {
		v, err := strconv.Atoi(text)
		if err != nil || v >= len(r.number) {
			return fault(number, "node %s; expected 0 to %d", text, len(r.number)-1)
		}
		ends[i] = r.number[v]
	}
	if ends[0] == ends[1] {
		return fault(number, "link from node %s to itself; expected two nodes", m[1])
	}
	r.links++
	return r.edge(number, ends[0], ends[1], cableText{})
}

func (r *netbenchReader) setting(number int, key, value string) error {
	switch key {
	case "AutoExtended":
		return nil
	case "|V|", "|E|":
		v, ok := decimal(value, topology.MaxParameter)
		if !ok {
			return fault(number, "%s is %s; expected a number up to %d", key, quote(value), topology.MaxParameter)
		}
		r.counts[key] = v
		return nil
	}
	var set []int
	if m := netbenchRange().FindStringSubmatch(value); m != nil {
		low, lowOK := decimal(m[1], topology.MaxParameter)
		high, highOK := decimal(m[2], topology.MaxParameter)
		if !lowOK || !highOK || low > high {
			return fault(number, "%s is %s; expected a range that goes up", key, quote(value))
		}
		for v := low; v <= high; v++ {
			set = append(set, v)
		}
	} else if m := netbenchSet().FindStringSubmatch(value); m != nil {
		for _, text := range strings.FieldsFunc(m[1], func(c rune) bool { return c < '0' || c > '9' }) {
			v, ok := decimal(text, topology.MaxParameter)
			if !ok {
				return fault(number, "%s has %s; expected numbers up to %d", key, quote(text), topology.MaxParameter)
			}
			set = append(set, v)
		}
	} else {
		return fault(number, "%s is %s; expected set(...) or incl_range(first,last)", key, quote(value))
	}
	r.sets[key] = set
	return nil
}

// makeNodes makes the nodes when the links begin.
func (r *netbenchReader) makeNodes(line int) error {
	for _, key := range []string{"|V|", "|E|", "ToRs", "Servers", "Switches"} {
		if r.lines[key] == 0 {
			return fault(line, "found no %s; expected |V|, |E|, ToRs, Servers and Switches before the links", key)
		}
	}
	r.number = make([]*node, r.counts["|V|"])
	for i := range r.number {
		r.number[i] = r.node(line, strconv.Itoa(i))
		r.define(line, r.number[i])
	}
	for _, key := range []string{"ToRs", "Switches", "Servers"} {
		for _, v := range r.sets[key] {
			if v >= len(r.number) {
				return fault(r.lines[key], "%s has node %d; expected 0 to %d", key, v, len(r.number)-1)
			}
			n := r.number[v]
			switch {
			case key != "Servers" && n.class == unknownClass:
				n.class, n.leaf = switchClass, key == "ToRs"
			case key == "Servers" && n.class == unknownClass:
				n.class = adapterClass
			case key != "Servers" || !n.leaf:
				return fault(r.lines[key], "%s has node %d, which is something else; expected each node once, or servers that are ToRs", key, v)
			}
		}
	}
	for i, n := range r.number {
		if n.class == unknownClass {
			return fault(r.lines["|V|"], "node %d is neither ToR nor switch nor server; expected all |V| nodes among them", i)
		}
	}
	return nil
}

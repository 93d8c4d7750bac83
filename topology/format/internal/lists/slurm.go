package lists

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// Slurm's topology.conf (topology/tree) is the tree that the scheduler sees: each switch has one
// parent, and lists its switches or its nodes.
//
//	SwitchName=core Switches=leaf[1-2]   # a comment
//	SwitchName=leaf1 Nodes=n[01-16,20]
//
// Further spines, parallel cables and ports are not in it.

var (
	slurmSwitch = regex.Lazy(`(?mi)^\s*SwitchName\s*=\s*\S+.*\s(Switches|Nodes)\s*=`)
	slurmOther  = regex.Lazy(`(?mi)^\s*(BlockName|RingName)\s*=\s*\S+\s+Nodes\s*=`)
)

// LooksLikeSlurm reports whether the beginning of a file is that of a topology.conf of Slurm.
func LooksLikeSlurm(head string) bool {
	return slurmSwitch().MatchString(head) || slurmOther().MatchString(head)
}

// slurmSwitchLine is what a line says of a switch.
type slurmSwitchLine struct {
	line            int
	node            *draft.Node
	switches, nodes string // lists of names
	parent          *slurmSwitchLine
}

type slurmReader struct {
	*draft.Draft
	switches []*slurmSwitchLine
	byName   map[string]*slurmSwitchLine
}

// ReadSlurm reads a topology.conf of Slurm.
func ReadSlurm(text string) (*topology.Network, error) {
	r := slurmReader{Draft: draft.New(), byName: make(map[string]*slurmSwitchLine)}
	r.StatesKinds = true
	begun, whole := 0, "" // a line with what it continues
	for number, line := range scan.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if whole == "" {
			begun = number
		}
		if part, more := strings.CutSuffix(strings.TrimRight(line, " \t"), `\`); more {
			whole += part + " "
			continue
		}
		if err := r.line(begun, strings.TrimSpace(whole+line)); err != nil {
			return nil, err
		}
		whole = ""
	}
	if err := r.line(begun, strings.TrimSpace(whole)); err != nil {
		return nil, err
	}
	for _, s := range r.switches {
		if err := r.children(s); err != nil {
			return nil, err
		}
	}
	if err := r.checkTree(); err != nil {
		return nil, err
	}
	r.Leave("what the scheduler does not see of the network: further spines, parallel cables and ports; this is its tree of %s",
		scan.Counted(len(r.switches), "switch", "switches"))
	return r.Network(draft.Always(draft.SwitchClass))
}

func (r *slurmReader) line(number int, line string) error {
	s := &slurmSwitchLine{line: number}
	name := ""
	for _, setting := range strings.Fields(line) {
		key, value, ok := strings.Cut(setting, "=")
		if !ok || value == "" {
			return scan.Fault(number, "found %s; expected Key=Value", scan.Quote(setting))
		}
		switch strings.ToLower(key) {
		case "switchname":
			name = value
		case "switches":
			s.switches = value
		case "nodes":
			s.nodes = value
		case "linkspeed": // has no unit
		case "blockname", "blocksizes", "ringname":
			return scan.Fault(number, "found %s, of the plugin topology/block or topology/ring, which describes no cables; expected SwitchName=", scan.Quote(key))
		default:
			return scan.Fault(number, "found the key %s; expected SwitchName, Switches, Nodes or LinkSpeed", scan.Quote(key))
		}
	}
	switch {
	case line == "":
		return nil
	case name == "":
		return scan.Fault(number, "found no SwitchName; expected SwitchName=NAME first")
	case (s.switches == "") == (s.nodes == ""):
		return scan.Fault(number, "switch %s; expected either Switches or Nodes", scan.Quote(name))
	case r.byName[name] != nil:
		return scan.Fault(number, "switch %s appears again; expected it on line %d only", scan.Quote(name), r.byName[name].line)
	}
	s.node = r.Node(number, name)
	r.Define(number, s.node)
	s.node.Class = draft.SwitchClass
	r.switches, r.byName[name] = append(r.switches, s), s
	return nil
}

// children links a switch with those below it, or with its nodes.
func (r *slurmReader) children(s *slurmSwitchLine) error {
	names, err := expandHostlist(s.line, s.switches+s.nodes)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := r.Full(s.line); err != nil {
			return err
		}
		child := r.byName[name]
		switch {
		case s.switches != "" && child == nil:
			return scan.Fault(s.line, "switch %s is below %s; expected a line of its own", scan.Quote(name), scan.Quote(s.node.ID))
		case s.nodes != "" && r.ByID[name] != nil:
			return scan.Fault(s.line, "node %s appears again; expected it on line %d only", scan.Quote(name), r.ByID[name].Line)
		case child != nil && child.parent != nil:
			return scan.Fault(s.line, "switch %s is below %s and %s; expected one parent", scan.Quote(name), scan.Quote(child.parent.node.ID), scan.Quote(s.node.ID))
		case child != nil:
			child.parent = s
		}
		n := r.Node(s.line, name)
		if child == nil {
			r.Define(s.line, n)
			n.Class = draft.AdapterClass
		}
		r.Add(s.line, draft.End{Plug: draft.Plug{Node: s.node}}, draft.End{Plug: draft.Plug{Node: n}}, topology.Speed{})
	}
	return nil
}

// checkTree fails if switches are below themselves.
func (r *slurmReader) checkTree() error {
	for _, s := range r.switches {
		up := s
		for range r.switches {
			if up = up.parent; up == nil {
				break
			}
		}
		if up != nil {
			return scan.Fault(s.line, "switch %s is below itself; expected a tree", scan.Quote(s.node.ID))
		}
	}
	return nil
}

// hostRange matches a number or a range in brackets.
var hostRange = regex.Lazy(`^(\d{1,9})(?:-(\d{1,9}))?$`)

// maxHostlist is how many names a list may expand to.
const maxHostlist = 1 << 18

// expandHostlist returns the names that a list such as r[0-1]n[01-04],x stands for.
func expandHostlist(line int, list string) ([]string, error) {
	var names []string
	for list != "" {
		end := itemLength(list)
		item := list[:end]
		list = strings.TrimPrefix(list[end:], ",")
		expanded, err := expandHosts(line, item)
		if err != nil {
			return nil, err
		}
		if names = append(names, expanded...); len(names) > maxHostlist {
			return nil, scan.Fault(line, "the list stands for more than %d names; expected fewer", maxHostlist)
		}
	}
	return names, nil
}

// itemLength returns the length of the first item of a list: to a comma outside of brackets.
func itemLength(list string) int {
	depth := 0
	for i, c := range list {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth == 0:
			return i
		}
	}
	return len(list)
}

// expandHosts expands the brackets of one item, the last ones fastest.
func expandHosts(line int, item string) ([]string, error) {
	head, rest, found := strings.Cut(item, "[")
	if item == "" || strings.Contains(head, "]") {
		return nil, scan.Fault(line, "found the name %s; expected one such as n1 or n[01-16]", scan.Quote(item))
	}
	if !found {
		return []string{item}, nil
	}
	inner, tail, found := strings.Cut(rest, "]")
	if !found {
		return nil, scan.Fault(line, "found %s; expected a closing bracket", scan.Quote(item))
	}
	tails := []string{""}
	if tail != "" {
		var err error
		if tails, err = expandHosts(line, tail); err != nil {
			return nil, err
		}
	}
	var names []string
	for text := range strings.SplitSeq(inner, ",") {
		m := hostRange().FindStringSubmatch(text)
		if m == nil {
			return nil, scan.Fault(line, "found %s in brackets; expected numbers and ranges such as 01-16", scan.Quote(text))
		}
		low, _ := strconv.Atoi(m[1])
		high := low
		if m[2] != "" {
			high, _ = strconv.Atoi(m[2])
		}
		if high < low || (high-low+1)*len(tails)+len(names) > maxHostlist {
			return nil, scan.Fault(line, "the range %s; expected it to go up, and at most %d names", scan.Quote(text), maxHostlist)
		}
		for v := low; v <= high; v++ {
			for _, t := range tails {
				names = append(names, fmt.Sprintf("%s%0*d%s", head, len(m[1]), v, t))
			}
		}
	}
	return slices.Clip(names), nil
}

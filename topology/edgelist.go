package topology

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// An edge list has one link per line: the names of two switches, which may be
// quoted, and perhaps a speed such as 4xNDR. Blanks or commas separate them. A
// line with one name only makes sure that the switch exists and fixes its place.
// A # begins a comment. Repeated links are parallel links.
//
// Switches are numbered in the order in which they appear; if their names are
// the numbers 0 to n-1, they have these numbers. Links take the ports of each
// switch in the order of the lines.

// looksLikeEdgeList tells edge lists by their first line that is no comment.
func looksLikeEdgeList(text string) bool {
	for number, line := range lines(text) {
		fields, err := edgeFields(number, line)
		if err != nil {
			return false
		}
		if len(fields) > 0 {
			return len(fields) == 2 || len(fields) == 3 && isEdgeExtra(fields[2])
		}
	}
	return false
}

func isEdgeExtra(field string) bool {
	_, ok := ParseSpeed(field)
	return ok || field == "{}"
}

func readEdgeList(text string) (*Network, error) {
	f := newFabric()
	for number, line := range lines(text) {
		fields, err := edgeFields(number, line)
		if err != nil {
			return nil, err
		}
		if err := f.edge(number, fields); err != nil {
			return nil, err
		}
	}
	if len(f.nodes) == 0 {
		return nil, fault(1, "found no links; expected two switch names on a line")
	}
	numberByName(f.nodes)
	return f.network(always(switchClass))
}

func (f *fabric) edge(number int, fields []string) error {
	var speed Speed
	switch {
	case len(fields) == 0:
		return nil
	case len(fields) > 3:
		return fault(number, "found %d fields; expected two switch names and perhaps a speed", len(fields))
	case len(fields) == 3 && fields[2] != "{}": // what NetworkX writes for no data
		var ok bool
		if speed, ok = ParseSpeed(fields[2]); !ok {
			return fault(number, "found %s behind two names; expected a speed such as 4xNDR", quote(fields[2]))
		}
	}
	a := f.node(number, fields[0])
	f.define(number, a)
	if len(fields) == 1 {
		return nil
	}
	b := f.node(number, fields[1])
	f.define(number, b)
	f.add(number, end{plug: plug{node: a}}, end{plug: plug{node: b}}, speed)
	return nil
}

// numberByName puts nodes called 0 to n-1 in the order of their numbers.
func numberByName(nodes []*node) {
	order := make([]int, len(nodes))
	seen := make([]bool, len(nodes))
	for i, n := range nodes {
		v, err := strconv.Atoi(n.id)
		if err != nil || v < 0 || v >= len(nodes) || seen[v] {
			return
		}
		seen[v], order[i] = true, v+1
	}
	for i, n := range nodes {
		n.order = order[i]
	}
}

// edgeFields splits a line, without its comment, into names.
func edgeFields(number int, line string) ([]string, error) {
	var fields []string
	for {
		line = strings.TrimLeftFunc(line, isEdgeSpace)
		switch {
		case line == "" || line[0] == '#':
			return fields, nil
		case line[0] == '"':
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fault(number, "found %s; expected a closing quotation mark", quote(line))
			}
			name, _ := strconv.Unquote(quoted)
			fields, line = append(fields, name), line[len(quoted):]
		default:
			i := strings.IndexFunc(line, func(r rune) bool { return isEdgeSpace(r) || r == '#' })
			if i < 0 {
				i = len(line)
			}
			fields, line = append(fields, line[:i]), line[i:]
		}
	}
}

func isEdgeSpace(r rune) bool { return r == ',' || unicode.IsSpace(r) }

func writeEdgeList(w *bufio.Writer, n *Network) error {
	fmt.Fprintf(w, "# %d switches, %d links\n", len(n.Switches), len(n.Links))
	if !n.linksNameSwitchesInOrder() {
		for _, s := range n.Switches {
			fmt.Fprintln(w, edgeName(s.ID))
		}
	}
	for _, l := range n.Links {
		fmt.Fprintf(w, "%s %s%s\n", edgeName(n.Switches[l.A.Switch].ID), edgeName(n.Switches[l.B.Switch].ID), spaced(l.Speed))
	}
	return nil
}

// linksNameSwitchesInOrder reports whether a list of the links alone gives every
// switch its number.
func (n *Network) linksNameSwitchesInOrder() bool {
	var order []int
	seen := make([]bool, len(n.Switches))
	for _, l := range n.Links {
		for _, s := range []int{l.A.Switch, l.B.Switch} {
			if !seen[s] {
				seen[s], order = true, append(order, s)
			}
		}
	}
	if len(order) < len(n.Switches) {
		return false
	}
	if slices.IsSorted(order) {
		return true
	}
	for i, s := range n.Switches {
		if s.ID != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// edgeName quotes names that would not be read back as they are.
func edgeName(id string) string {
	if strings.ContainsFunc(id, isEdgeSpace) || strings.ContainsAny(id, `#"`) {
		return strconv.Quote(id)
	}
	return id
}

package format

import (
	"bufio"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"musubi/topology"
)

// An edge list has one link per line: the names of two switches, which may be
// quoted, and perhaps a speed such as 4xNDR. Blanks or commas separate them. A
// line with one name only makes sure that the switch exists. A # begins a comment,
// and so does a % at the beginning of a line. Repeated links are parallel links.
//
// Headers of tables of edges and what NetworkX writes of the data of a link, in
// braces, are skipped.
//
// If the names are the numbers 0 to n-1, perhaps all with the same prefix as in
// s0, switches have these numbers. Otherwise, or if the first line has one name
// only, they are numbered in the order in which they appear. Links take the ports of each
// switch in the order of the lines.

// looksLikeEdgeList tells edge lists by the first line with more than one name.
func looksLikeEdgeList(text string) bool {
	for number, line := range lines(text) {
		fields, err := edgeFields(number, line)
		if err != nil {
			return false
		}
		if len(fields) > 1 {
			return len(fields) == 2 || len(fields) == 3 && isEdgeExtra(fields[2])
		}
	}
	return false
}

func isEdgeExtra(field string) bool {
	_, ok := topology.ParseSpeed(field)
	return ok || field == noEdgeData
}

// noEdgeData stands for the data that NetworkX writes behind a link.
const noEdgeData = "{}"

func readEdgeList(text string) (*topology.Network, error) {
	f := newFabric()
	declared := false // the first line has one name
	for number, line := range lines(text) {
		fields, err := edgeFields(number, line)
		if err != nil {
			return nil, err
		}
		if len(fields) == 1 && isSemicolonTable(line) {
			return nil, fault(number, "found one name, %s; expected two, separated by blanks or a comma", quote(fields[0]))
		}
		declared = declared || len(fields) == 1 && len(f.nodes) == 0
		if err := f.edge(number, fields); err != nil {
			return nil, err
		}
	}
	if !declared {
		numberByName(f.nodes)
	}
	return f.network(always(switchClass))
}

func (f *fabric) edge(number int, fields []string) error {
	var speed topology.Speed
	switch {
	case len(fields) == 0:
		return nil
	case len(fields) > 3:
		return fault(number, "found %d fields; expected two switch names and perhaps a speed", len(fields))
	case len(fields) == 3 && fields[2] != noEdgeData:
		var ok bool
		if speed, ok = topology.ParseSpeed(fields[2]); !ok {
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

// numberByName puts nodes called 0 to n-1, after a common prefix, in the order of
// their numbers.
func numberByName(nodes []*node) {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.id
	}
	for i, v := range numbersInNames(ids) {
		nodes[i].order = v + 1
	}
}

// numbersInNames returns the number in each of n names if they are 0 to n-1 and
// the names are otherwise the same; else nil.
func numbersInNames(names []string) []int {
	if len(names) == 0 {
		return nil
	}
	prefix := strings.TrimRight(names[0], "0123456789")
	numbers := make([]int, len(names))
	seen := make([]bool, len(names))
	for i, name := range names {
		digits, ok := strings.CutPrefix(name, prefix)
		v, err := strconv.Atoi(digits)
		if !ok || err != nil || v < 0 || v >= len(names) || seen[v] || strconv.Itoa(v) != digits {
			return nil
		}
		numbers[i], seen[v] = v, true
	}
	return numbers
}

// edgeHeader matches the first line of tables that other tools write.
var edgeHeader = regexp.MustCompile(`(?i)^\s*(source[\s,;]+target|from[\s,;]+to)([\s,;]|$)`)

// isSemicolonTable reports whether a line that holds one name may have been meant
// as a row of a table.
func isSemicolonTable(line string) bool {
	return strings.Contains(line, ";") && !strings.HasPrefix(strings.TrimLeftFunc(line, isEdgeSpace), `"`)
}

// edgeFields splits a line, without its comment, into names.
func edgeFields(number int, line string) ([]string, error) {
	var fields []string
	if edgeHeader.MatchString(line) || strings.HasPrefix(line, "%") {
		return nil, nil
	}
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
		case line[0] == '{' && len(fields) == 2:
			i := strings.LastIndexByte(line, '}')
			if i < 0 {
				return nil, fault(number, "found %s; expected a closing brace", quote(line))
			}
			fields, line = append(fields, noEdgeData), line[i+1:]
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

func writeEdgeList(w *bufio.Writer, n *topology.Network) error {
	fmt.Fprintf(w, "# %d switches, %d links\n", len(n.Switches), len(n.Links))
	if !linksNameSwitches(n) {
		for _, s := range n.Switches {
			fmt.Fprintln(w, edgeName(s.ID))
		}
	}
	for _, l := range n.Links {
		fmt.Fprintf(w, "%s %s%s\n", edgeName(n.Switches[l.A.Switch].ID), edgeName(n.Switches[l.B.Switch].ID), spaced(l.Speed))
	}
	return nil
}

// linksNameSwitches reports whether a list of the links alone gives every switch
// its number.
func linksNameSwitches(n *topology.Network) bool {
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
	ids := make([]string, len(n.Switches))
	for i, s := range n.Switches {
		ids[i] = s.ID
	}
	if numbers := numbersInNames(ids); numbers != nil {
		return slices.IsSorted(numbers)
	}
	return slices.IsSorted(order)
}

// edgeName quotes names that would not be read back as they are.
func edgeName(id string) string {
	if strings.ContainsFunc(id, isEdgeSpace) || strings.ContainsAny(id, `#";`) || strings.HasPrefix(id, "%") ||
		edgeHeader.MatchString(id+" target") || edgeHeader.MatchString(id+" to") {
		return strconv.Quote(id)
	}
	return id
}

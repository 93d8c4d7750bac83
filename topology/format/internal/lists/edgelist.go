package lists

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// An edge list has one link per line: the names of two switches, which may be
// quoted, and perhaps a speed such as 4xNDR. Blanks or commas separate them. A
// line with one name only makes sure that the switch exists. Behind two names, the word host
// says that the first is a host of the second, as in "h0 leaf3 host". A # begins a comment,
// and so does a % at the beginning of a line. Repeated links are parallel links; a link that
// is given in both directions, as in "a b" and "b a", is one cable.
//
// Headers of tables of edges and what NetworkX writes of the data of a link, in
// braces, are skipped.
//
// If the names are the numbers 0 to n-1, perhaps all with the same prefix as in
// s0, switches have these numbers. Otherwise, or if the first line has one name
// only, they are numbered in the order in which they appear. Links take the ports of each
// switch in the order of the lines.

// edgeClean matches names in lists that may be taken for edge lists although nobody says that
// they are: identifiers with digits, which are no words, times or fractions.
var edgeClean = regex.Lazy(`^[A-Za-z]?[A-Za-z_/-]*[0-9]+([A-Za-z_/-]+[0-9]+)*[A-Za-z]?$`)

// LooksLikeEdgeList is strict, as two words on a line can be anything: it demands at least two
// links, clean names on all lines, and among numbers few that are not used.
func LooksLikeEdgeList(head string) bool {
	links, highest, number := 0, 0, true
	table := false // with a header that says what it is
	for line, text := range scan.Lines(head) {
		table = table || links == 0 && edgeHeader().MatchString(text)
		if before, _, _ := strings.Cut(text, "#"); strings.Contains(before, ",") && !table {
			return false
		}
		fields, err := edgeFields(line, text)
		if err != nil || len(fields) > 2 && slices.ContainsFunc(fields[2:], func(f string) bool { return !isEdgeExtra(f) }) {
			return false
		}
		if len(fields) < 2 {
			if len(fields) == 1 && !edgeClean().MatchString(fields[0]) {
				return false
			}
			continue
		}
		if fields[0] == fields[1] {
			return false
		}
		for _, name := range fields[:2] {
			if !edgeClean().MatchString(name) {
				return false
			}
			v, err := strconv.Atoi(name)
			number = number && err == nil
			highest = max(highest, v)
		}
		links++
	}
	return links >= 2 && (!number || highest <= 2*links)
}

func isEdgeExtra(field string) bool {
	_, ok := topology.ParseSpeed(field)
	return ok || field == noEdgeData || field == edgeHost
}

const (
	noEdgeData = "{}"   // stands for the data that NetworkX writes behind a link
	edgeHost   = "host" // says that the first name is that of a host
)

// ReadEdgeList reads an edge list.
func ReadEdgeList(text string) (*topology.Network, error) {
	g := draft.NewGraph()
	g.Directed = true
	declared := false // the first line has one name
	for number, line := range scan.Lines(text) {
		fields, err := edgeFields(number, line)
		if err != nil {
			return nil, err
		}
		if len(fields) == 1 && isSemicolonTable(line) {
			return nil, scan.Fault(number, "found one name, %s; expected two, separated by blanks or a comma", scan.Quote(fields[0]))
		}
		declared = declared || len(fields) == 1 && len(g.Nodes) == 0
		if err := edgeLine(&g, number, fields); err != nil {
			return nil, err
		}
	}
	if !declared {
		numberByName(g.Nodes)
	}
	g.NoteBoth()
	return g.Network(draft.Always(draft.SwitchClass))
}

func edgeLine(g *draft.Graph, number int, fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	if len(fields) > 4 {
		return scan.Fault(number, "found %d fields; expected two switch names and perhaps a speed", len(fields))
	}
	a := g.Node(number, fields[0])
	g.Define(number, a)
	if len(fields) == 1 {
		return g.Full(number)
	}
	b := g.Node(number, fields[1])
	g.Define(number, b)
	var c draft.CableText
	for _, extra := range fields[2:] {
		switch speed, ok := topology.ParseSpeed(extra); {
		case extra == edgeHost:
			a.Class = draft.AdapterClass
		case ok:
			c.Speed = speed
		case extra != noEdgeData:
			return scan.Fault(number, "found %s behind two names; expected a speed such as 4xNDR, or the word host", scan.Quote(extra))
		}
	}
	return g.Edge(number, a, b, c)
}

// numberByName puts nodes called 0 to n-1, after a common prefix, in the order of
// their numbers.
func numberByName(nodes []*draft.Node) {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.ID
	}
	for i, v := range numbersInNames(ids) {
		nodes[i].Order = v + 1
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
var edgeHeader = regex.Lazy(`(?i)^\s*(source[\s,;]+target|from[\s,;]+to)([\s,;]|$)`)

// isSemicolonTable reports whether a line that holds one name may have been meant
// as a row of a table.
func isSemicolonTable(line string) bool {
	return strings.Contains(line, ";") && !strings.HasPrefix(strings.TrimLeftFunc(line, isEdgeSpace), `"`)
}

// edgeFields splits a line, without its comment, into names.
func edgeFields(number int, line string) ([]string, error) {
	var fields []string
	if edgeHeader().MatchString(line) || strings.HasPrefix(line, "%") {
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
				return nil, scan.Fault(number, "found %s; expected a closing quotation mark", scan.Quote(line))
			}
			name, _ := strconv.Unquote(quoted)
			fields, line = append(fields, name), line[len(quoted):]
		case line[0] == '{' && len(fields) >= 2:
			i := strings.LastIndexByte(line, '}')
			if i < 0 {
				return nil, scan.Fault(number, "found %s; expected a closing brace", scan.Quote(line))
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

// WriteEdgeList writes an edge list.
func WriteEdgeList(w *bufio.Writer, n *topology.Network) error {
	fmt.Fprintf(w, "# %d switches, %d links\n", len(n.Switches), len(n.Links))
	if !linksNameSwitches(n) {
		for _, s := range n.Switches {
			fmt.Fprintln(w, edgeName(s.ID))
		}
	}
	for _, l := range n.Links {
		fmt.Fprintf(w, "%s %s%s\n", edgeName(n.Switches[l.A.Switch].ID), edgeName(n.Switches[l.B.Switch].ID), draft.Spaced(l.Speed))
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
		edgeHeader().MatchString(id+" target") || edgeHeader().MatchString(id+" to") {
		return strconv.Quote(id)
	}
	return id
}

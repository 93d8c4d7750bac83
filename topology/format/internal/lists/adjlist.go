package lists

import (
	"bufio"
	"fmt"
	"strings"

	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// An adjacency list has a line for each switch: its name, which a colon may follow, and the names of
// its neighbours, separated by blanks. # begins a comment. An undirected list has each link at one
// end only; a link that stands at both ends is one cable. Any text of words is such a list, so it
// must be asked for.

// LooksLikeAdjacency reports whether the beginning of a file is that of an adjacency list.
func LooksLikeAdjacency(string) bool { return false }

// ReadAdjacency reads an adjacency list.
func ReadAdjacency(text string) (*topology.Network, error) {
	g := draft.NewGraph()
	g.Directed = true
	var rows [][]string
	var numbers []int
	for number, line := range scan.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		row := strings.Fields(line)
		if len(row) == 0 {
			continue
		}
		if row[0] = strings.TrimSuffix(row[0], ":"); row[0] == "" {
			return nil, scan.Fault(number, "found no name before the colon; expected a switch")
		}
		g.Define(number, g.Node(number, row[0]))
		rows, numbers = append(rows, row), append(numbers, number)
	}
	for i, row := range rows {
		for _, name := range row[1:] {
			to := g.Node(numbers[i], name)
			g.Define(numbers[i], to)
			if err := g.Edge(numbers[i], g.ByID[row[0]], to, draft.CableText{}); err != nil {
				return nil, err
			}
		}
	}
	g.NoteBoth()
	return g.Network(draft.Always(draft.SwitchClass))
}

// WriteAdjacency writes an adjacency list.
func WriteAdjacency(w *bufio.Writer, n *topology.Network) error {
	near := make([][]string, len(n.Switches))
	for i := range n.Links {
		a, b := n.Links[i].A.Switch, n.Links[i].B.Switch
		near[a] = append(near[a], n.Switches[b].ID)
	}
	for i := range n.Switches {
		id := n.Switches[i].ID
		if strings.ContainsAny(id, " #") || strings.HasSuffix(id, ":") {
			return fmt.Errorf("%q cannot be written: it contains a blank or #, or ends in a colon", id)
		}
		fmt.Fprintln(w, strings.Join(append([]string{id}, near[i]...), " "))
	}
	return nil
}

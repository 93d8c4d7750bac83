package graphs

import (
	"bufio"
	"fmt"
	"html"
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// GML (Himsolt, Graph Modelling Language) has lists of keys and values:
//
//	graph [
//	  node [ id 0 label "Sydney" ]
//	  edge [ source 0 target 1 ]
//	]
//
// The label of a node is its ID, unless labels repeat or are missing. Nodes without a kind are
// switches. Other fields are keys named in attributes.go. Weights and speeds in other units are
// ignored.

var (
	gmlMark  = regex.Lazy(`(?s)(^|\s)graph\s*\[.*\s(node|edge)\s*\[`)
	gmlToken = regex.Lazy(`^([A-Za-z][0-9A-Za-z_]*|[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(NAN|INF)|"[^"]*"|[\[\]])`)
)

// LooksLikeGML reports whether the beginning of a file is that of a graph in GML.
func LooksLikeGML(head string) bool { return gmlMark().MatchString(head) }

// gmlItem is a key with a value: a text or number, or a list.
type gmlItem struct {
	line       int
	key, value string
	list       []gmlItem
	isList     bool
}

// gmlParser reads items.
type gmlParser struct {
	rest string
	line int
}

const gmlMaxDepth = 64

// next takes the next token, empty at the end, and returns its line.
func (p *gmlParser) next() (string, int, error) {
	for {
		trimmed := strings.TrimLeft(p.rest, " \t\r\n")
		p.line += strings.Count(p.rest[:len(p.rest)-len(trimmed)], "\n")
		p.rest = trimmed
		if !strings.HasPrefix(p.rest, "#") {
			break
		}
		i := strings.IndexByte(p.rest, '\n')
		if i < 0 {
			i = len(p.rest)
		}
		p.rest = p.rest[i:]
	}
	if p.rest == "" {
		return "", p.line, nil
	}
	token, line := gmlToken().FindString(p.rest), p.line
	if token == "" {
		first, _, _ := strings.Cut(p.rest, "\n")
		return "", line, scan.Fault(line, "found %s; expected a key, a number, a text in quotes or one of [ ]", scan.Quote(first))
	}
	p.line += strings.Count(token, "\n")
	p.rest = p.rest[len(token):]
	return token, line, nil
}

// items reads to the end of a list, or of the file if depth is 0.
func (p *gmlParser) items(depth int) ([]gmlItem, error) {
	var items []gmlItem
	for {
		key, line, err := p.next()
		switch {
		case err != nil:
			return nil, err
		case key == "" && depth == 0, key == "]" && depth > 0:
			return items, nil
		case key == "":
			return nil, scan.Fault(line, "found the end of the file; expected ]")
		case !isGMLKey(key):
			return nil, scan.Fault(line, "found %s; expected a key", scan.Quote(key))
		}
		item, err := p.value(gmlItem{line: line, key: key}, depth)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
}

func isGMLKey(token string) bool {
	return token[0] >= 'A' && token[0] <= 'Z' || token[0] >= 'a' && token[0] <= 'z'
}

func (p *gmlParser) value(item gmlItem, depth int) (gmlItem, error) {
	value, line, err := p.next()
	switch {
	case err != nil:
		return item, err
	case value == "" || value == "]" || isGMLKey(value):
		return item, scan.Fault(line, "found %s behind the key %.80s; expected a value", scan.Quote(value), item.key)
	case value == "[":
		if depth++; depth > gmlMaxDepth {
			return item, scan.Fault(line, "found lists nested too deeply; expected at most %d levels", gmlMaxDepth)
		}
		item.isList = true
		item.list, err = p.items(depth)
	case value[0] == '"':
		item.value = html.UnescapeString(value[1 : len(value)-1])
	default:
		item.value = value
	}
	return item, err
}

// of returns the value of the first item with a key.
func of(items []gmlItem, key string) (gmlItem, bool) {
	for _, i := range items {
		if i.key == key {
			return i, true
		}
	}
	return gmlItem{}, false
}

type gmlReader struct {
	draft.Graph
	nodes map[string]*draft.Node // by id
}

// ReadGML reads a graph in GML.
func ReadGML(text string) (*topology.Network, error) {
	p := gmlParser{rest: text, line: 1}
	document, err := p.items(0)
	if err != nil {
		return nil, err
	}
	var graphs []gmlItem
	for _, i := range document {
		if i.key == "graph" && i.isList {
			graphs = append(graphs, i)
		}
	}
	if len(graphs) != 1 {
		return nil, scan.Fault(1, "found %d graphs; expected graph [ ... ] once", len(graphs))
	}
	r := gmlReader{Graph: draft.NewGraph(), nodes: make(map[string]*draft.Node)}
	directed, _ := of(graphs[0].list, "directed")
	r.Directed = directed.value == "1"
	if err := r.addNodes(graphs[0].list); err != nil {
		return nil, err
	}
	for _, item := range graphs[0].list {
		if item.key == "edge" && item.isList {
			if err := r.addEdge(item); err != nil {
				return nil, err
			}
		}
	}
	r.NoteBoth()
	return r.Network(draft.Always(draft.SwitchClass))
}

// addNodes makes the nodes, which may stand behind the edges.
func (r *gmlReader) addNodes(items []gmlItem) error {
	unique := uniqueLabels(items)
	if !unique {
		r.Note("the labels of nodes repeat or are missing, so nodes are known by their ids")
	}
	special := 0
	for _, item := range items {
		if item.key != "node" || !item.isList {
			continue
		}
		id, _ := of(item.list, "id")
		if _, err := strconv.Atoi(id.value); err != nil {
			return scan.Fault(item.line, "node with the id %s; expected a whole number", scan.Quote(id.value))
		}
		if other := r.nodes[id.value]; other != nil {
			return scan.Fault(item.line, "node %s appears again; expected it on line %d only", id.value, other.Line)
		}
		name := id.value
		if unique {
			label, _ := of(item.list, "label")
			name = label.value
		}
		n := r.Node(item.line, name)
		r.Define(item.line, n)
		r.nodes[id.value] = n
		for _, a := range item.list {
			if a.isList || a.key == "id" || unique && a.key == "label" {
				continue
			}
			if a.key == "hyperedge" && a.value == "1" || a.key == "Internal" && a.value == "0" {
				special++
			}
			if err := n.SetAttribute(a.line, a.key, a.value); err != nil {
				return err
			}
		}
	}
	if special > 0 {
		r.Note("nodes outside the network, or that stand for links of several nodes, are taken for switches: %d", special)
	}
	return nil
}

// uniqueLabels reports whether each node has a label of its own.
func uniqueLabels(items []gmlItem) bool {
	seen := make(map[string]bool)
	for _, item := range items {
		if item.key != "node" {
			continue
		}
		label, _ := of(item.list, "label")
		if label.value == "" || seen[label.value] {
			return false
		}
		seen[label.value] = true
	}
	return true
}

func (r *gmlReader) addEdge(item gmlItem) error {
	var ends [2]*draft.Node
	for i, key := range []string{"source", "target"} {
		id, ok := of(item.list, key)
		if ends[i] = r.nodes[id.value]; !ok || ends[i] == nil {
			return scan.Fault(item.line, "edge with the %s %s; expected the id of a node", key, scan.Quote(id.value))
		}
	}
	var c draft.CableText
	for _, a := range item.list {
		if a.isList || isForeignSpeed(a.key, a.value) {
			continue
		}
		if err := c.Set(a.line, a.key, a.value); err != nil {
			return err
		}
	}
	return r.Edge(item.line, ends[0], ends[1], c)
}

// isForeignSpeed reports whether an attribute of an edge is a speed in words that only other
// tools know.
func isForeignSpeed(key, value string) bool {
	_, ok := topology.ParseSpeed(value)
	return strings.EqualFold(key, "speed") && !ok
}

// WriteGML writes a graph in GML.
func WriteGML(w *bufio.Writer, n *topology.Network) error {
	fmt.Fprint(w, "graph [\n  directed 0\n  multigraph 1\n")
	node := func(id int, label string, as []draft.Attribute) {
		fmt.Fprintf(w, "  node [ id %d label %s", id, gmlText(label))
		writeGMLAttributes(w, as)
	}
	for i := range n.Switches {
		node(i, n.Switches[i].ID, draft.SwitchAttributes(&n.Switches[i]))
	}
	for i := range n.Adapters {
		node(len(n.Switches)+i, n.Adapters[i].ID, draft.AdapterAttributes(&n.Adapters[i]))
	}
	keys := make(map[[2]int]int)
	edge := func(from, to int, as []draft.Attribute) {
		fmt.Fprintf(w, "  edge [ source %d target %d key %d", from, to, keys[[2]int{from, to}])
		keys[[2]int{from, to}]++
		writeGMLAttributes(w, as)
	}
	for i := range n.Links {
		edge(n.Links[i].A.Switch, n.Links[i].B.Switch, draft.LinkAttributes(&n.Links[i]))
	}
	for i := range n.EndPoints {
		edge(n.EndPoints[i].At.Switch, len(n.Switches)+n.EndPoints[i].Adapter, draft.EndPointAttributes(&n.EndPoints[i]))
	}
	fmt.Fprintln(w, "]")
	return nil
}

func writeGMLAttributes(w *bufio.Writer, as []draft.Attribute) {
	for _, a := range as {
		fmt.Fprintf(w, " %s %s", a.Key, gmlText(a.Value))
	}
	fmt.Fprintln(w, " ]")
}

// gmlText quotes a text; GML is ASCII with entities for everything else.
func gmlText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < ' ' || r > '~' || r == '"' || r == '&' {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

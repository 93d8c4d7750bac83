package topology

import (
	"regexp"
	"slices"
)

// Graphviz files (graphviz.org, The DOT Language). Nodes without a kind are
// switches. Ports stand in taillabel and headlabel, where drawings show them, or
// behind the name of a node, as in s0:3 -- s1:4; other fields are attributes named
// in attributes.go. Subgraphs may group nodes and may be the end of an edge.

var dotStart = regexp.MustCompile(`(?i)^(\s|#.*\n|//.*\n|/\*(?s:.*?)\*/)*(strict\s+)?(di)?graph\b`)

func looksLikeDOT(text string) bool { return dotStart.MatchString(text) }

const (
	dotMaxDepth = 64      // of nested subgraphs
	dotMaxEdges = 1 << 16 // made by subgraphs that are ends of edges
)

// dotReader is a recursive descent parser.
type dotReader struct {
	graph
	lex    dotLexer
	edgeOp string
	depth  int
	made   int // edges from subgraphs
	// joined has the pairs of nodes with an edge if the graph is strict: a repeated edge is then
	// ignored. Otherwise it is nil.
	joined map[[2]*node]bool
}

// dotScope holds the default attributes in force in a (sub)graph, and the nodes
// that it mentions.
type dotScope struct {
	node, edge []attribute
	members    []*node
	isMember   map[*node]bool
}

func (s *dotScope) inner() *dotScope {
	return &dotScope{node: slices.Clone(s.node), edge: slices.Clone(s.edge), isMember: make(map[*node]bool)}
}

func (s *dotScope) add(nodes ...*node) {
	for _, n := range nodes {
		if !s.isMember[n] {
			s.isMember[n] = true
			s.members = append(s.members, n)
		}
	}
}

// dotEnd is one end of an edge: a node with perhaps a port, or several nodes.
type dotEnd struct {
	nodes []*node
	port  int
}

func readDOT(text string) (*Network, error) {
	r := dotReader{graph: newGraph(), lex: dotLexer{rest: text, number: 1}, edgeOp: "--"}
	if err := r.document(); err != nil {
		return nil, err
	}
	return r.network(always(switchClass))
}

func (r *dotReader) document() error {
	if err := r.lex.next(); err != nil {
		return err
	}
	if r.lex.word("strict") {
		r.joined = make(map[[2]*node]bool)
		if err := r.lex.next(); err != nil {
			return err
		}
	}
	switch {
	case r.lex.word("digraph"):
		r.directed, r.edgeOp = true, "->"
	case !r.lex.word("graph"):
		return r.lex.expected("graph or digraph")
	}
	if err := r.lex.next(); err != nil {
		return err
	}
	if r.lex.isID() {
		if err := r.lex.next(); err != nil {
			return err
		}
	}
	if err := r.block((&dotScope{}).inner()); err != nil {
		return err
	}
	if r.lex.kind != dotEOF {
		return r.lex.expected("the end of the file, which can hold one graph")
	}
	return nil
}

// block reads { statements }.
func (r *dotReader) block(s *dotScope) error {
	if r.depth++; r.depth > dotMaxDepth {
		return fault(r.lex.line, "found subgraphs nested too deeply; expected at most %d levels", dotMaxDepth)
	}
	defer func() { r.depth-- }()
	if err := r.lex.take("{"); err != nil {
		return err
	}
	for !r.lex.is("}") {
		read := r.lex.next
		if !r.lex.is(";") {
			read = func() error { return r.statement(s) }
		}
		if err := read(); err != nil {
			return err
		}
	}
	return r.lex.next()
}

func (r *dotReader) statement(s *dotScope) error {
	switch line := r.lex.line; {
	case r.lex.word("graph"):
		return r.defaults(new([]attribute))
	case r.lex.word("node"):
		return r.defaults(&s.node)
	case r.lex.word("edge"):
		return r.defaults(&s.edge)
	case r.lex.word("subgraph"), r.lex.is("{"):
		group, err := r.subgraph(s)
		if err != nil || !r.atEdge() {
			return err
		}
		return r.edges(line, s, group)
	default:
		return r.named(line, s)
	}
}

func (r *dotReader) atEdge() bool { return r.lex.is("--") || r.lex.is("->") }

// named reads a statement that begins with a name: of a graph attribute, or of a
// node that stands alone or begins an edge.
func (r *dotReader) named(line int, s *dotScope) error {
	name, err := r.lex.takeID()
	if err != nil {
		return err
	}
	if r.lex.is("=") {
		if err := r.lex.next(); err != nil {
			return err
		}
		_, err := r.lex.takeID()
		return err
	}
	first, err := r.nodeEnd(line, s, name)
	if err != nil {
		return err
	}
	if r.atEdge() {
		return r.edges(line, s, first)
	}
	as, err := r.attributes()
	if err != nil {
		return err
	}
	return apply(as, first.nodes[0].setDOT(line))
}

// defaults reads the attributes behind graph, node or edge.
func (r *dotReader) defaults(to *[]attribute) error {
	if err := r.lex.next(); err != nil {
		return err
	}
	as, err := r.attributes()
	*to = merge(*to, as)
	return err
}

// subgraph reads [subgraph [name]] { statements }.
func (r *dotReader) subgraph(s *dotScope) (dotEnd, error) {
	if r.lex.word("subgraph") {
		if err := r.lex.next(); err != nil {
			return dotEnd{}, err
		}
		if r.lex.isID() {
			if err := r.lex.next(); err != nil {
				return dotEnd{}, err
			}
		}
	}
	inner := s.inner()
	if err := r.block(inner); err != nil {
		return dotEnd{}, err
	}
	s.add(inner.members...)
	return dotEnd{nodes: inner.members}, nil
}

// nodeEnd returns the node with the given name, having read the port that may
// follow. The first mention of a node gives it the defaults in force.
func (r *dotReader) nodeEnd(line int, s *dotScope, name string) (dotEnd, error) {
	_, known := r.byID[name]
	n := r.node(line, name)
	s.add(n)
	if !known {
		r.define(line, n)
		if err := apply(s.node, n.setDOT(line)); err != nil {
			return dotEnd{}, err
		}
	}
	e := dotEnd{nodes: []*node{n}}
	for first := true; r.lex.is(":"); first = false {
		if err := r.lex.next(); err != nil {
			return dotEnd{}, err
		}
		port, err := r.lex.takeID()
		if err != nil {
			return dotEnd{}, err
		}
		if first {
			e.port, _ = portNumber(port) // otherwise a compass point or cell
		}
	}
	return e, nil
}

// edges reads what follows the first end of a chain of edges.
func (r *dotReader) edges(line int, s *dotScope, first dotEnd) error {
	ends := []dotEnd{first}
	for r.atEdge() {
		if !r.lex.is(r.edgeOp) {
			return r.lex.expected(r.edgeOp + " in this kind of graph")
		}
		if err := r.lex.next(); err != nil {
			return err
		}
		e, err := r.edgeEnd(s)
		if err != nil {
			return err
		}
		ends = append(ends, e)
	}
	as, err := r.attributes()
	if err != nil {
		return err
	}
	var c cableText
	if err := apply(merge(slices.Clone(s.edge), as), c.setDOT(line)); err != nil {
		return err
	}
	for i := 1; i < len(ends); i++ {
		if err := r.join(line, ends[i-1], ends[i], c); err != nil {
			return err
		}
	}
	return nil
}

func (r *dotReader) edgeEnd(s *dotScope) (dotEnd, error) {
	if r.lex.word("subgraph") || r.lex.is("{") {
		return r.subgraph(s)
	}
	line := r.lex.line
	name, err := r.lex.takeID()
	if err != nil {
		return dotEnd{}, err
	}
	return r.nodeEnd(line, s, name)
}

// join links every node of one end with every node of the other.
func (r *dotReader) join(line int, from, to dotEnd, c cableText) error {
	if pairs := len(from.nodes) * len(to.nodes); pairs > 1 {
		if r.made += pairs; r.made > dotMaxEdges {
			return fault(line, "found subgraphs that make more than %d edges; expected fewer", dotMaxEdges)
		}
	}
	c.ports[0], c.ports[1] = max(c.ports[0], from.port), max(c.ports[1], to.port)
	for _, a := range from.nodes {
		for _, b := range to.nodes {
			if r.repeats(a, b) {
				continue
			}
			if err := r.edge(line, a, b, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// repeats reports whether a strict graph already has an edge between two nodes, and records the
// edge.
func (r *dotReader) repeats(a, b *node) bool {
	if r.joined == nil {
		return false
	}
	known := r.joined[[2]*node{a, b}] || !r.directed && r.joined[[2]*node{b, a}]
	r.joined[[2]*node{a, b}] = true
	return known
}

// attributes reads any number of lists [key=value, ...].
func (r *dotReader) attributes() ([]attribute, error) {
	var as []attribute
	for r.lex.is("[") {
		if err := r.lex.next(); err != nil {
			return nil, err
		}
		for !r.lex.is("]") {
			a, err := r.attribute()
			if err != nil {
				return nil, err
			}
			as = append(as, a)
		}
		if err := r.lex.next(); err != nil {
			return nil, err
		}
	}
	return as, nil
}

// attribute reads key=value and the comma or semicolon that may follow.
func (r *dotReader) attribute() (attribute, error) {
	key, err := r.lex.takeID()
	if err != nil {
		return attribute{}, err
	}
	if err := r.lex.take("="); err != nil {
		return attribute{}, err
	}
	value, err := r.lex.takeID()
	if err == nil && (r.lex.is(",") || r.lex.is(";")) {
		err = r.lex.next()
	}
	return attribute{key, value}, err
}

// merge adds attributes that mean something to us to others, replacing those
// with the same key.
func merge(as, more []attribute) []attribute {
	for _, a := range more {
		i := slices.IndexFunc(as, func(b attribute) bool { return b.key == a.key })
		switch {
		case i >= 0:
			as[i] = a
		case isDOTAttribute(a.key):
			as = append(as, a)
		}
	}
	return as
}

func isDOTAttribute(key string) bool {
	return key == "kind" || key == "type" || key == "label" || dotPorts[key] != "" ||
		slices.Contains(nodeAttributes, key) || slices.Contains(cableAttributes, key)
}

// dotPorts maps the attributes of edges that drawings show to our names.
var dotPorts = map[string]string{"taillabel": "sourceport", "headlabel": "targetport"}

func apply(as []attribute, set func(key, value string) error) error {
	for _, a := range as {
		if err := set(a.key, a.value); err != nil {
			return err
		}
	}
	return nil
}

// setDOT takes the label that Graphviz gives to nodes without one, \N, for no
// name.
func (n *node) setDOT(line int) func(key, value string) error {
	return func(key, value string) error {
		if key == "label" && value == `\N` {
			return nil
		}
		return n.setAttribute(line, key, value)
	}
}

// setDOT takes labels at the ends of an edge for ports if they are numbers.
func (c *cableText) setDOT(line int) func(key, value string) error {
	return func(key, value string) error {
		if port := dotPorts[key]; port != "" {
			if _, ok := portNumber(value); !ok {
				return nil
			}
			key = port
		}
		return c.set(line, key, value)
	}
}

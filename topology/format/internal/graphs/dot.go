package graphs

import (
	"slices"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// Graphviz files (graphviz.org, The DOT Language). Nodes without a kind are
// switches. Ports stand in taillabel and headlabel, where drawings show them, or
// behind the name of a node, as in s0:3 -- s1:4; other fields are attributes named
// in attributes.go. Subgraphs may group nodes and may be the end of an edge.

var dotStart = regex.Lazy(`(?i)^(\s|#.*\n|//.*\n|/\*(?s:.*?)\*/)*(strict\s+)?(di)?graph\b\s*("([^"\\]|\\.)*"|[^\s{\[":]*)?(\s|#.*\n|//.*\n|/\*(?s:.*?)\*/)*\{`)

// LooksLikeDOT reports whether the beginning of a file is that of a graph of Graphviz.
func LooksLikeDOT(text string) bool { return dotStart().MatchString(text) }

const (
	dotMaxDepth = 64      // of nested subgraphs
	dotMaxEdges = 1 << 16 // made by subgraphs that are ends of edges
)

// dotReader is a recursive descent parser.
type dotReader struct {
	draft.Graph
	lex    dotLexer
	edgeOp string
	depth  int
	made   int // edges from subgraphs
	// joined has the pairs of nodes with an edge if the graph is strict: a repeated edge is then
	// ignored. Otherwise it is nil.
	joined map[[2]*draft.Node]bool
}

// dotScope holds the default attributes in force in a (sub)graph, and the nodes
// that it mentions.
type dotScope struct {
	node, edge []draft.Attribute
	members    []*draft.Node
	isMember   map[*draft.Node]bool
}

func (s *dotScope) inner() *dotScope {
	return &dotScope{node: slices.Clone(s.node), edge: slices.Clone(s.edge), isMember: make(map[*draft.Node]bool)}
}

func (s *dotScope) add(nodes ...*draft.Node) {
	for _, n := range nodes {
		if !s.isMember[n] {
			s.isMember[n] = true
			s.members = append(s.members, n)
		}
	}
}

// dotEnd is one end of an edge: a node with perhaps a port, or several nodes.
type dotEnd struct {
	nodes []*draft.Node
	port  int
}

// ReadDOT reads a graph of Graphviz.
func ReadDOT(text string) (*topology.Network, error) {
	r := dotReader{Graph: draft.NewGraph(), lex: dotLexer{rest: text, number: 1}, edgeOp: "--"}
	if err := r.document(); err != nil {
		return nil, err
	}
	return r.Network(draft.Always(draft.SwitchClass))
}

func (r *dotReader) document() error {
	if err := r.lex.next(); err != nil {
		return err
	}
	if r.lex.word("strict") {
		r.joined = make(map[[2]*draft.Node]bool)
		if err := r.lex.next(); err != nil {
			return err
		}
	}
	switch {
	case r.lex.word("digraph"):
		r.Directed, r.edgeOp = true, "->"
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
		return scan.Fault(r.lex.line, "found subgraphs nested too deeply; expected at most %d levels", dotMaxDepth)
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
		return r.defaults(new([]draft.Attribute))
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
	return apply(as, setNode(first.nodes[0], line))
}

// defaults reads the attributes behind graph, node or edge.
func (r *dotReader) defaults(to *[]draft.Attribute) error {
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
	_, known := r.ByID[name]
	n := r.Node(line, name)
	s.add(n)
	if !known {
		r.Define(line, n)
		if err := apply(s.node, setNode(n, line)); err != nil {
			return dotEnd{}, err
		}
	}
	e := dotEnd{nodes: []*draft.Node{n}}
	for first := true; r.lex.is(":"); first = false {
		if err := r.lex.next(); err != nil {
			return dotEnd{}, err
		}
		port, err := r.lex.takeID()
		if err != nil {
			return dotEnd{}, err
		}
		if first {
			e.port, _ = scan.PortNumber(port) // otherwise a compass point or cell
		}
	}
	return e, nil
}

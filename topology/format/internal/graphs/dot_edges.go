package graphs

import "slices"
import (
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

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
	var c draft.CableText
	if err := apply(merge(slices.Clone(s.edge), as), setCable(&c, line)); err != nil {
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
func (r *dotReader) join(line int, from, to dotEnd, c draft.CableText) error {
	if pairs := len(from.nodes) * len(to.nodes); pairs > 1 {
		if r.made += pairs; r.made > dotMaxEdges {
			return scan.Fault(line, "found subgraphs that make more than %d edges; expected fewer", dotMaxEdges)
		}
	}
	c.Ports[0], c.Ports[1] = max(c.Ports[0], from.port), max(c.Ports[1], to.port)
	for _, a := range from.nodes {
		for _, b := range to.nodes {
			if r.repeats(a, b) {
				continue
			}
			if err := r.Edge(line, a, b, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// repeats reports whether a strict graph already has an edge between two nodes, and records the
// edge.
func (r *dotReader) repeats(a, b *draft.Node) bool {
	if r.joined == nil {
		return false
	}
	known := r.joined[[2]*draft.Node{a, b}] || !r.Directed && r.joined[[2]*draft.Node{b, a}]
	r.joined[[2]*draft.Node{a, b}] = true
	return known
}

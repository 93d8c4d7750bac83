package graphs

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// GraphML (graphml.graphdrawing.org) is read as other tools write it: nodes
// without a kind are switches. Fields of the network are data elements named in
// attributes.go; ports may also be the sourceport and targetport of an edge.

var graphMLRoot = regex.Lazy(`^\s*((<\?(?s:.*?)\?>|<!--(?s:.*?)-->|<!DOCTYPE[^>]*>)\s*)*<(\w+:)?graphml\b`)

// LooksLikeGraphML reports whether the beginning of a file is that of a GraphML document.
func LooksLikeGraphML(text string) bool { return graphMLRoot().MatchString(text) }

// graphMLData is a <data key="...">value</data> element.
type graphMLData struct {
	Key   string `xml:"key,attr"`
	Value string `xml:",chardata"`
}

type graphMLNode struct {
	ID    string        `xml:"id,attr"`
	Data  []graphMLData `xml:"data"`
	Graph *struct{}     `xml:"graph"`
}

type graphMLEdge struct {
	Source     string        `xml:"source,attr"`
	Target     string        `xml:"target,attr"`
	SourcePort string        `xml:"sourceport,attr"`
	TargetPort string        `xml:"targetport,attr"`
	Data       []graphMLData `xml:"data"`
}

type graphMLReader struct {
	draft.Graph
	dec    *xml.Decoder
	keys   map[string]string // key id to attribute name
	edges  []graphMLEdge
	lines  []int // of edges
	graphs int
}

// ReadGraphML reads a GraphML document.
func ReadGraphML(text string) (*topology.Network, error) {
	r := graphMLReader{Graph: draft.NewGraph(), dec: xml.NewDecoder(strings.NewReader(text)), keys: make(map[string]string)}
	r.dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // text is UTF-8 by now
	for {
		token, err := r.dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, r.syntax(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			if err := r.element(start); err != nil {
				return nil, err
			}
		}
	}
	if r.graphs == 0 {
		return nil, scan.Fault(r.line(), "found no <graph>; expected a GraphML document")
	}
	for i, e := range r.edges {
		if err := r.connectEdge(r.lines[i], e); err != nil {
			return nil, err
		}
	}
	return r.Network(draft.Always(draft.SwitchClass))
}

func (r *graphMLReader) line() int {
	line, _ := r.dec.InputPos()
	return line
}

// syntax gives a fault of the XML decoder its line.
func (r *graphMLReader) syntax(err error) error {
	var s *xml.SyntaxError
	if errors.As(err, &s) {
		return scan.Fault(s.Line, "%s; expected well-formed XML", s.Msg)
	}
	return scan.Fault(r.line(), "%s; expected well-formed XML", scan.Printable(err.Error()))
}

func (r *graphMLReader) element(start xml.StartElement) error {
	line := r.line()
	switch start.Name.Local {
	case "graphml":
		return nil
	case "key":
		id, name := xmlAttribute(start, "id"), xmlAttribute(start, "attr.name")
		r.keys[id] = name
		return nil
	case "graph":
		if r.graphs++; r.graphs > 1 {
			return scan.Fault(line, "found a second <graph>; expected one")
		}
		r.Directed = xmlAttribute(start, "edgedefault") == "directed"
		return nil
	case "node":
		var n graphMLNode
		if err := r.dec.DecodeElement(&n, &start); err != nil {
			return r.syntax(err)
		}
		return r.defineNode(line, n)
	case "edge":
		var e graphMLEdge
		if err := r.dec.DecodeElement(&e, &start); err != nil {
			return r.syntax(err)
		}
		r.edges, r.lines = append(r.edges, e), append(r.lines, line)
		return nil
	case "hyperedge":
		return scan.Fault(line, "found a <hyperedge>; expected links between two nodes")
	}
	if err := r.dec.Skip(); err != nil {
		return r.syntax(err)
	}
	return nil
}

func xmlAttribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (r *graphMLReader) defineNode(line int, e graphMLNode) error {
	if e.Graph != nil {
		return scan.Fault(line, "node %s holds a graph; expected a flat one", scan.Quote(e.ID))
	}
	n := r.Node(line, e.ID)
	if n.Order > 0 {
		return scan.Fault(line, "node %s appears again; expected it on line %d only", scan.Quote(e.ID), n.Line)
	}
	r.Define(line, n)
	for _, d := range e.Data {
		if err := n.SetAttribute(line, r.keys[d.Key], d.Value); err != nil {
			return err
		}
	}
	return nil
}

func (r *graphMLReader) connectEdge(line int, e graphMLEdge) error {
	a, b := r.ByID[e.Source], r.ByID[e.Target]
	if a == nil || b == nil {
		missing := e.Source
		if a != nil {
			missing = e.Target
		}
		return scan.Fault(line, "edge to node %s; expected a node of the graph", scan.Quote(missing))
	}
	var c draft.CableText
	c.Ports[0], _ = scan.PortNumber(e.SourcePort) // tools put names here as well
	c.Ports[1], _ = scan.PortNumber(e.TargetPort)
	for _, d := range e.Data {
		if err := c.Set(line, r.keys[d.Key], d.Value); err != nil {
			return err
		}
	}
	return r.Edge(line, a, b, c)
}

// WriteGraphML writes a GraphML document.
func WriteGraphML(w *bufio.Writer, n *topology.Network) error {
	fmt.Fprintln(w, `<?xml version="1.0" encoding="UTF-8"?>`)
	fmt.Fprintln(w, `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">`)
	writeGraphMLKeys(w, "node", append([]string{"kind"}, draft.NodeAttributes...))
	writeGraphMLKeys(w, "edge", draft.CableAttributes)
	fmt.Fprintln(w, `  <graph edgedefault="undirected">`)
	for i := range n.Switches {
		s := &n.Switches[i]
		fmt.Fprintf(w, "    <node id=\"%s\">", xmlText(s.ID))
		writeGraphMLData(w, "node", draft.SwitchAttributes(s))
	}
	for i := range n.Adapters {
		a := &n.Adapters[i]
		fmt.Fprintf(w, "    <node id=\"%s\">", xmlText(a.ID))
		writeGraphMLData(w, "node", draft.AdapterAttributes(a))
	}
	edge := func(from, to string, as []draft.Attribute) {
		fmt.Fprintf(w, "    <edge source=\"%s\" target=\"%s\">", xmlText(from), xmlText(to))
		writeGraphMLData(w, "edge", as)
	}
	for i := range n.Links {
		l := &n.Links[i]
		edge(n.Switches[l.A.Switch].ID, n.Switches[l.B.Switch].ID, draft.LinkAttributes(l))
	}
	for i := range n.EndPoints {
		e := &n.EndPoints[i]
		edge(n.Switches[e.At.Switch].ID, n.Adapters[e.Adapter].ID, draft.EndPointAttributes(e))
	}
	fmt.Fprintln(w, "  </graph>\n</graphml>")
	return nil
}

func writeGraphMLKeys(w *bufio.Writer, of string, names []string) {
	for _, name := range names {
		fmt.Fprintf(w, "  <key id=\"%s.%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"string\"/>\n", of, name, of, name)
	}
}

// writeGraphMLData writes attributes and the end of the element they belong to.
func writeGraphMLData(w *bufio.Writer, of string, as []draft.Attribute) {
	for _, a := range as {
		fmt.Fprintf(w, "<data key=\"%s.%s\">%s</data>", of, a.Key, xmlText(a.Value))
	}
	fmt.Fprintf(w, "</%s>\n", of)
}

func xmlText(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a strings.Builder does not fail
	return b.String()
}

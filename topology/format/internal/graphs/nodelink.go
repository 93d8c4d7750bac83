package graphs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"musubi/internal/regex"
	"musubi/topology"
	"musubi/topology/format/internal/draft"
	"musubi/topology/format/internal/scan"
)

// Node-link JSON is what node_link_data of NetworkX makes:
//
//	{"directed": false, "multigraph": true, "graph": {},
//	 "nodes": [{"id": "leaf1"}, {"id": "h1", "role": "host"}],
//	 "edges": [{"source": "leaf1", "target": "h1", "key": 0}]}
//
// The list of edges is called links before NetworkX 3.4. IDs may be of any type; very old files have
// none, and edges then name nodes by index. Fields are those of attributes.go, and role or type may
// be switch or host. Speeds in other units are ignored.

var (
	nodeLinkNodes = regex.Lazy(`"nodes"\s*:\s*\[`)
	nodeLinkEdges = regex.Lazy(`"(links|edges)"\s*:\s*\[`)
	nodeLinkFlags = regex.Lazy(`(?s)"directed"\s*:.*"multigraph"\s*:|"multigraph"\s*:.*"directed"\s*:`)
)

// LooksLikeNodeLink reports whether the beginning of a file is that of a node-link graph in JSON.
func LooksLikeNodeLink(head string) bool {
	return strings.HasPrefix(strings.TrimSpace(head), "{") && nodeLinkNodes().MatchString(head) &&
		(nodeLinkEdges().MatchString(head) || nodeLinkFlags().MatchString(head))
}

// jsonItem is an object of a list, with the line that it begins on.
type jsonItem struct {
	line   int
	fields map[string]json.RawMessage
}

type nodeLinkReader struct {
	draft.Graph
	dec     *json.Decoder
	text    string
	counted int // bytes of text whose lines have been counted
	line    int
	nodes   []jsonItem
	edges   []jsonItem
	named   string // of the list of edges
	hasList bool
	byKey   map[string]*draft.Node // by ID as JSON, or by index
}

// ReadNodeLink reads a node-link graph in JSON.
func ReadNodeLink(text string) (*topology.Network, error) {
	r := nodeLinkReader{Graph: draft.NewGraph(), dec: json.NewDecoder(strings.NewReader(text)), text: text, line: 1, byKey: make(map[string]*draft.Node)}
	if err := r.document(); err != nil {
		return nil, r.syntax(err)
	}
	if err := r.makeNodes(); err != nil {
		return nil, err
	}
	for _, e := range r.edges {
		if err := r.addEdge(e); err != nil {
			return nil, err
		}
	}
	r.NoteBoth()
	return r.Network(draft.Always(draft.SwitchClass))
}

// at returns the line that the decoder has come to.
func (r *nodeLinkReader) at() int {
	to := min(int(r.dec.InputOffset()), len(r.text))
	r.line += strings.Count(r.text[r.counted:max(to, r.counted)], "\n")
	r.counted = max(to, r.counted)
	return r.line
}

func (r *nodeLinkReader) syntax(err error) error {
	var at *scan.LineError
	switch {
	case errors.As(err, &at):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return scan.Fault(1+strings.Count(r.text, "\n"), "found the end of the file; expected the rest of the JSON")
	}
	return scan.Fault(r.at(), "%s; expected JSON", scan.Printable(err.Error()))
}

// isOfOtherType reports whether JSON is sound, but not of the type that is read. The message of such an
// error names types of Go.
func isOfOtherType(err error) bool {
	var other *json.UnmarshalTypeError
	return errors.As(err, &other)
}

func (r *nodeLinkReader) document() error {
	if err := r.open('{'); err != nil {
		return err
	}
	for r.dec.More() {
		key, err := r.dec.Token()
		if err != nil {
			return err
		}
		switch key {
		case "nodes":
			if r.hasList {
				return scan.Fault(r.at(), "found a second list of nodes; expected one")
			}
			r.hasList = true
			r.nodes, err = r.list("nodes")
		case "links", "edges":
			if r.named != "" {
				return scan.Fault(r.at(), "found the list %s besides %s; expected one of them", key, r.named)
			}
			r.named = key.(string)
			r.edges, err = r.list(r.named)
		case "directed":
			if err = r.dec.Decode(&r.Directed); isOfOtherType(err) {
				return scan.Fault(r.at(), "directed is no truth value; expected true or false")
			}
		default:
			err = r.dec.Decode(new(json.RawMessage))
		}
		if err != nil {
			return err
		}
	}
	if _, err := r.dec.Token(); err != nil {
		return err
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return scan.Fault(r.at(), "found more behind the object; expected the end of the file")
	}
	if !r.hasList || r.named == "" {
		return scan.Fault(1, "found no lists of nodes and of links or edges; expected both")
	}
	return nil
}

func (r *nodeLinkReader) open(want json.Delim) error {
	token, err := r.dec.Token()
	if err != nil {
		return err
	}
	if token != want {
		return scan.Fault(r.at(), "found %s; expected %v", scan.Quote(fmt.Sprint(token)), want)
	}
	return nil
}

func (r *nodeLinkReader) list(name string) ([]jsonItem, error) {
	if err := r.open('['); err != nil {
		return nil, err
	}
	var items []jsonItem
	for r.dec.More() {
		var i jsonItem
		err := r.dec.Decode(&i.fields)
		if err != nil && !isOfOtherType(err) {
			return nil, err
		}
		i.line = r.at()
		if i.fields == nil {
			return nil, scan.Fault(i.line, "entry %d of %s is no object; expected one such as {\"id\": \"leaf1\"} or {\"source\": \"leaf1\", \"target\": \"h1\"}", len(items)+1, name)
		}
		items = append(items, i)
	}
	_, err := r.dec.Token()
	return items, err
}

// key returns the ID of a node as JSON without blanks, empty if there is none.
func (i jsonItem) key(field string) string {
	var b bytes.Buffer
	if raw := i.fields[field]; len(raw) == 0 || json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}

// scalar returns the text of a string, number or truth value, and whether it is one.
func scalar(raw json.RawMessage) (string, bool) {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return "", false
	}
	switch v := v.(type) {
	case string:
		return v, true
	case float64, bool:
		return string(bytes.TrimSpace(raw)), true
	}
	return "", false
}

func (r *nodeLinkReader) makeNodes() error {
	ids := 0
	for _, i := range r.nodes {
		if i.key("id") != "" {
			ids++
		}
	}
	if ids != 0 && ids != len(r.nodes) {
		return scan.Fault(1, "found %d nodes, of which %d have an id; expected all or none", len(r.nodes), ids)
	}
	if ids == 0 && len(r.nodes) > 0 {
		r.Note("nodes have no ids, so edges name them by index")
	}
	for index, i := range r.nodes {
		key := i.key("id")
		if ids == 0 {
			key = strconv.Itoa(index)
		}
		if r.byKey[key] != nil {
			return scan.Fault(i.line, "node %s appears again; expected it on line %d only", key, r.byKey[key].Line)
		}
		id := key
		if text, ok := scalar(json.RawMessage(key)); ok && r.ByID[text] == nil {
			id = text
		}
		n := r.Node(i.line, id)
		r.Define(i.line, n)
		r.byKey[key] = n
		for _, a := range i.attributes() {
			if err := n.SetAttribute(i.line, a.Key, a.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// attributes returns the fields that mean something to us.
func (i jsonItem) attributes() []draft.Attribute {
	var as []draft.Attribute
	for _, known := range [][]string{{"kind", "role", "type", "label"}, draft.NodeAttributes, draft.CableAttributes} {
		for _, key := range known {
			if text, ok := scalar(i.fields[key]); ok {
				as = append(as, draft.Attribute{Key: key, Value: text})
			}
		}
	}
	return as
}

func (r *nodeLinkReader) addEdge(i jsonItem) error {
	var ends [2]*draft.Node
	for e, field := range []string{"source", "target"} {
		key := i.key(field)
		if ends[e] = r.byKey[key]; key == "" || ends[e] == nil {
			return scan.Fault(i.line, "edge with the %s %s; expected a node of the list", field, scan.Quote(key))
		}
	}
	var c draft.CableText
	for _, a := range i.attributes() {
		if isForeignSpeed(a.Key, a.Value) {
			continue
		}
		if err := c.Set(i.line, a.Key, a.Value); err != nil {
			return err
		}
	}
	if ends[0] == ends[1] && c.Ports == [2]int{} {
		return scan.Fault(i.line, "edge from node %s to itself; expected two nodes, or the ports of a loop", scan.Quote(ends[0].ID))
	}
	return r.Edge(i.line, ends[0], ends[1], c)
}

// WriteNodeLink writes a node-link graph in JSON.
func WriteNodeLink(w *bufio.Writer, n *topology.Network) error {
	fmt.Fprint(w, "{\"directed\": false, \"multigraph\": true, \"graph\": {},\n \"nodes\": [")
	first := true
	item := func(head string, as []draft.Attribute) {
		if !first {
			w.WriteByte(',')
		}
		first = false
		fmt.Fprintf(w, "\n  {%s", head)
		for _, a := range as {
			fmt.Fprintf(w, ", %s: %s", jsonText(a.Key), jsonText(a.Value))
		}
		w.WriteByte('}')
	}
	for i := range n.Switches {
		item(`"id": `+jsonText(n.Switches[i].ID), draft.SwitchAttributes(&n.Switches[i]))
	}
	for i := range n.Adapters {
		item(`"id": `+jsonText(n.Adapters[i].ID), draft.AdapterAttributes(&n.Adapters[i]))
	}
	fmt.Fprint(w, "\n ],\n \"edges\": [")
	first = true
	keys := make(map[[2]string]int)
	edge := func(from, to string, as []draft.Attribute) {
		pair := [2]string{from, to}
		item(fmt.Sprintf(`"source": %s, "target": %s, "key": %d`, jsonText(from), jsonText(to), keys[pair]), as)
		keys[pair]++
	}
	for i := range n.Links {
		edge(n.Switches[n.Links[i].A.Switch].ID, n.Switches[n.Links[i].B.Switch].ID, draft.LinkAttributes(&n.Links[i]))
	}
	for i := range n.EndPoints {
		edge(n.Switches[n.EndPoints[i].At.Switch].ID, n.Adapters[n.EndPoints[i].Adapter].ID, draft.EndPointAttributes(&n.EndPoints[i]))
	}
	fmt.Fprint(w, "\n ]}\n")
	return nil
}

func jsonText(s string) string {
	b, _ := json.Marshal(s) // strings do not fail
	return string(b)
}

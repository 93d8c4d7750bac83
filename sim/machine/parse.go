package machine

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// document is a machine file before its values are decoded.
type document struct {
	about   map[string]string // values of aboutKeys
	tables  map[string]int    // line on which each table begins
	entries []entry
}

// entry is one parameter of a file.
type entry struct {
	Parameter
	line   int
	syntax unstable.Kind // of the value
	plain  bool          // without kind, source and note
}

// aboutKeys are the keys that stand before the first table.
var aboutKeys = []string{"base", "summary", "title"}

// parse splits a machine file into its values. Errors begin with a line.
func parse(data []byte) (document, error) {
	doc := document{about: map[string]string{}, tables: map[string]int{}}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // the byte order mark of some editors
	// The parser that yields positions accepts repeated keys, which this refuses.
	var anything map[string]any
	var syntax *toml.DecodeError
	if err := toml.Unmarshal(data, &anything); errors.As(err, &syntax) {
		line, _ := syntax.Position()
		return doc, fmt.Errorf("%d: %s", line, strings.TrimPrefix(syntax.Error(), "toml: "))
	} else if err != nil {
		return doc, fmt.Errorf("1: %w", err)
	}
	var p unstable.Parser
	p.Reset(data)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		key, line := joinKey(&p, e.Key())
		if e.Kind != unstable.KeyValue {
			if err := checkTable(key, e.Kind); err != nil {
				return doc, fmt.Errorf("%d: [%s]: %w", line, key, err)
			}
			table = key
			doc.tables[table] = line
			continue
		}
		if table != "" {
			key = table + "." + key
		}
		if err := doc.add(key, line, e.Value()); err != nil {
			return doc, fmt.Errorf("%d: %s: %w", line, key, err)
		}
	}
	if err := p.Error(); err != nil {
		return doc, fmt.Errorf("1: %w", err)
	}
	return doc, nil
}

// checkTable checks the heading of a table.
func checkTable(table string, kind unstable.Kind) error {
	if kind == unstable.ArrayTable {
		return fmt.Errorf("given an array of tables, expected [%s]", table)
	}
	if !slices.ContainsFunc(fields, func(f field) bool { return strings.HasPrefix(f.key, table+".") }) {
		return fmt.Errorf("unknown table; known: %s", strings.Join(tableNames(), ", "))
	}
	return nil
}

// joinKey returns a dotted key as one text, and its line.
func joinKey(p *unstable.Parser, parts unstable.Iterator) (key string, line int) {
	var names []string
	for parts.Next() {
		n := parts.Node()
		names = append(names, string(n.Data))
		line = p.Shape(n.Raw).Start.Line
	}
	return strings.Join(names, "."), line
}

// add takes over one key of the file and its value.
func (d *document) add(key string, line int, value *unstable.Node) error {
	if slices.Contains(aboutKeys, key) {
		if value.Kind != unstable.String {
			return fmt.Errorf("given %s, expected a text in quotes", describeKind(value.Kind))
		}
		d.about[key] = oneLine(value)
		return nil
	}
	if !strings.Contains(key, ".") {
		return fmt.Errorf("unknown key; known before the first table: %s", strings.Join(aboutKeys, ", "))
	}
	if _, err := fieldFor(key); err != nil {
		return err
	}
	e := entry{Parameter: Parameter{Key: key}, line: line}
	err := e.fill(value)
	d.entries = append(d.entries, e)
	return err
}

// fill reads a value with its origin, or a value alone.
func (e *entry) fill(value *unstable.Node) error {
	if value.Kind != unstable.InlineTable {
		e.plain = true
		return e.setValue(value)
	}
	parts := value.Children()
	for parts.Next() {
		part := parts.Node()
		if err := e.setPart(part); err != nil {
			return err
		}
	}
	if e.Value == "" && e.syntax == unstable.Invalid {
		return errors.New(`no value; expected { value = ..., kind = "...", source = "...", note = "..." }`)
	}
	return nil
}

func (e *entry) setPart(part *unstable.Node) error {
	names := part.Key()
	names.Next()
	name := string(names.Node().Data)
	if !names.IsLast() {
		name += "..."
	}
	if name == "value" {
		return e.setValue(part.Value())
	}
	if part.Value().Kind != unstable.String {
		return fmt.Errorf("%s: given %s, expected a text in quotes", name, describeKind(part.Value().Kind))
	}
	text := oneLine(part.Value())
	switch name {
	case "kind":
		e.Kind = Kind(text)
	case "source":
		e.Source = text
	case "note":
		e.Note = text
	default:
		return fmt.Errorf("unknown key %q; known: value, kind, source, note", name)
	}
	return nil
}

func (e *entry) setValue(value *unstable.Node) error {
	f, err := fieldFor(e.Key)
	if err != nil {
		return err
	}
	switch value.Kind {
	case unstable.String, unstable.Integer, unstable.Bool, f.syntax():
		e.syntax, e.Value = value.Kind, string(value.Data)
		return nil
	}
	return fmt.Errorf("given %s, expected %s", describeKind(value.Kind), f.expectsTOML())
}

// oneLine returns a text with line breaks and repeated blanks made one blank.
func oneLine(text *unstable.Node) string {
	return strings.Join(strings.Fields(string(text.Data)), " ")
}

// describeKind names a TOML type in a message.
func describeKind(k unstable.Kind) string {
	switch k {
	case unstable.String:
		return "text"
	case unstable.Integer:
		return "number"
	case unstable.Bool:
		return "truth value"
	case unstable.Float:
		return "a number with a fraction"
	case unstable.Array:
		return "an array"
	case unstable.InlineTable:
		return "a table"
	}
	return "a date or time of day"
}

package machine

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// document is a machine file before its values are decoded.
type document struct {
	about   map[string]string // name, title, summary and base
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
var aboutKeys = []string{"base", "name", "summary", "title"}

// decode reads a machine file. Errors begin with file; name is that of the
// machine unless the file gives another.
func decode(file, name string, data []byte) (*Machine, error) {
	doc, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	m := &Machine{Name: name}
	if base, ok := doc.about["base"]; ok {
		if m, err = builtIn(base); err != nil {
			return nil, fmt.Errorf("%s: base: %w", file, err)
		}
		m.Name = name
	}
	m.describe(doc.about)
	for _, e := range doc.entries {
		if err := m.enter(e, file); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, e.line, err)
		}
	}
	if err := m.complete(doc); err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// describe takes over what a file says about the machine as a whole.
func (m *Machine) describe(about map[string]string) {
	for key, target := range map[string]*string{"name": &m.Name, "title": &m.Title, "summary": &m.Summary} {
		if text, ok := about[key]; ok {
			*target = text
		}
	}
}

// enter takes over one parameter.
func (m *Machine) enter(e entry, file string) error {
	f, err := fieldFor(e.Key)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Key, err)
	}
	if want := f.syntax(); e.syntax != want {
		return fmt.Errorf("%s: given the %s %s, expected %s", e.Key, describeKind(e.syntax), e.Value, f.expectsTOML())
	}
	if e.plain {
		e.Kind, e.Note = Chosen, "set in "+file
		if old := m.find(e.Key); old != nil {
			e.Note += fmt.Sprintf("; %s (%s) in its base", old.Value, old.Kind)
		}
	}
	if err := e.origin(); err != nil {
		return fmt.Errorf("%s: %w", e.Key, err)
	}
	return m.put(e.Parameter)
}

// origin checks that a parameter says where its value comes from.
func (p *Parameter) origin() error {
	switch {
	case !slices.Contains(kinds, p.Kind):
		return fmt.Errorf("given the kind %q, expected one of %v", p.Kind, kinds)
	case p.Source == "" && p.Kind != Assumed && p.Kind != Chosen:
		return fmt.Errorf("a %s value without source; expected source = \"...\"", p.Kind)
	case p.Note == "" && p.Kind != Published:
		return fmt.Errorf("a value that is %s without note; expected note = \"...\"", p.Kind)
	}
	return nil
}

// complete checks that the machine has all parameters of its model, and no
// others. Errors begin with a line.
func (m *Machine) complete(doc document) error {
	if m.Title == "" {
		return errors.New("1: title: missing; expected one line that says what the machine is")
	}
	for _, e := range doc.entries {
		if f, _ := fieldFor(e.Key); !f.belongs(m.Network.Model) {
			return fmt.Errorf("%d: %s: a machine with network.model = %q does not have it", e.line, e.Key, m.Network.Model)
		}
	}
	for _, f := range fields {
		if !f.optional && f.belongs(m.Network.Model) && m.find(f.key) == nil {
			table, _ := splitKey(f.key)
			return fmt.Errorf("%d: %s: missing; expected %s", max(doc.tables[table], 1), f.key, f.expectsTOML())
		}
	}
	return nil
}

// syntax returns the TOML type in which values of the field are written.
func (f field) syntax() unstable.Kind {
	switch f.kind {
	case reflect.Int:
		return unstable.Integer
	case reflect.Bool:
		return unstable.Bool
	}
	return unstable.String
}

// expectsTOML says which values the field takes in a file.
func (f field) expectsTOML() string {
	if f.syntax() == unstable.String && f.kind != reflect.String {
		return f.expects() + ", in quotes"
	}
	return f.expects()
}

// parse splits a machine file into its values. Errors begin with a line.
func parse(data []byte) (document, error) {
	doc := document{about: map[string]string{}, tables: map[string]int{}}
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
			if !knownTable(key) {
				_, err := fieldFor(key + ".")
				return doc, fmt.Errorf("%d: [%s]: %w", line, key, err)
			}
			table = key
			doc.tables[table] = line
			continue
		}
		if table != "" {
			key = table + "." + key
		}
		if err := doc.add(&p, key, line, e.Value()); err != nil {
			return doc, fmt.Errorf("%d: %s: %w", line, key, err)
		}
	}
	if err := p.Error(); err != nil {
		return doc, fmt.Errorf("1: %w", err)
	}
	return doc, nil
}

func knownTable(table string) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return strings.HasPrefix(f.key, table+".") })
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
func (d *document) add(p *unstable.Parser, key string, line int, value *unstable.Node) error {
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
	switch value.Kind {
	case unstable.String, unstable.Integer, unstable.Bool:
		e.syntax, e.Value = value.Kind, string(value.Data)
		return nil
	}
	f, err := fieldFor(e.Key)
	if err != nil {
		return err
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

package machine

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// decode reads the machine file of a machine of that name. Errors begin with
// file.
func decode(file, name string, data []byte) (*Machine, error) {
	doc, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	m := newMachine()
	if base, ok := doc.about["base"]; ok {
		if m, err = builtIn(base); err != nil {
			return nil, fmt.Errorf("%s: base: %w", file, err)
		}
		m.Base = base
	}
	m.Name = name
	if title, ok := doc.about["title"]; ok {
		m.Title = title
	}
	if summary, ok := doc.about["summary"]; ok {
		m.Summary = summary
	}
	for _, e := range doc.entries {
		if err := m.enter(e, file); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, e.line, err)
		}
	}
	if err := m.complete(doc); err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	// A base with another model has stated what this machine does not have.
	m.parameters = slices.DeleteFunc(m.parameters, func(p Parameter) bool { f, _ := fieldFor(p.Key); return !f.belongs(m) })
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// enter takes over one parameter.
func (m *Machine) enter(e entry, file string) error {
	f, err := fieldFor(e.Key)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Key, err)
	}
	if !f.takes(e.syntax) {
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
		return fmt.Errorf("given the kind %q, expected one of published, derived, calibrated, assumed, chosen", p.Kind)
	case p.Source == "" && p.Kind != Assumed && p.Kind != Chosen:
		return fmt.Errorf("a value of kind %s without source; expected source = \"...\"", p.Kind)
	case p.Note == "" && p.Kind != Published:
		return fmt.Errorf("a value of kind %s without note; expected note = \"...\"", p.Kind)
	}
	return nil
}

// complete checks that the machine has all parameters of its model, and no
// others. Errors begin with a line.
func (m *Machine) complete(doc document) error {
	if m.Title == "" {
		return errors.New("1: title: missing; expected one line that says what the machine is")
	}
	for _, f := range fields {
		if !f.optional && f.belongs(m) && m.find(f.key) == nil {
			table, _ := splitKey(f.key)
			return fmt.Errorf("%d: %s: missing; expected %s", max(doc.tables[table], 1), f.key, f.expectsTOML())
		}
	}
	for _, e := range doc.entries {
		if f, _ := fieldFor(e.Key); !f.belongs(m) {
			return fmt.Errorf("%d: %s: %s", e.line, e.Key, m.lacks(f))
		}
	}
	return nil
}

// syntax returns the TOML type in which values of the field are written.
func (f field) syntax() unstable.Kind {
	switch f.kind {
	case reflect.Int:
		return unstable.Integer
	case reflect.Float64:
		return unstable.Float
	case reflect.Bool:
		return unstable.Bool
	}
	return unstable.String
}

// takes reports whether values of the field can be written in a TOML type.
func (f field) takes(k unstable.Kind) bool {
	return k == f.syntax() || k == unstable.Integer && f.kind == reflect.Float64
}

// expectsTOML says which values the field takes in a file.
func (f field) expectsTOML() string {
	if f.syntax() == unstable.String && f.kind != reflect.String {
		return f.expects() + ", in quotes"
	}
	return f.expects()
}

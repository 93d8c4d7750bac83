package machine

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"musubi/units"
)

// Kind says where the value of a parameter comes from.
type Kind string

// Kinds of values.
const (
	Published  Kind = "published"  // stated in the source
	Derived    Kind = "derived"    // follows from stated values, by the rule in the note
	Calibrated Kind = "calibrated" // chosen so that the run named in the note gives a published result
	Assumed    Kind = "assumed"    // not stated anywhere; the note says why it is reasonable
	Chosen     Kind = "chosen"     // a default of this model, such as a topology, or set by the user
)

var kinds = []Kind{Published, Derived, Calibrated, Assumed, Chosen}

// Parameter is one value of a machine file.
type Parameter struct {
	Key    string // such as "switch.latency"
	Value  string // as it was written, in the notation of package units
	Kind   Kind
	Source string // where it is stated; empty if assumed or chosen
	Note   string
}

// Parameters returns the parameters that the machine states, in the order of the
// fields of Machine.
func (m *Machine) Parameters() []Parameter { return slices.Clone(m.parameters) }

// Set gives a parameter another value, as --set key=value does. The value is
// written as in a machine file but without quotes; its kind becomes Chosen.
// Set does not check how values fit together; call Validate after the last.
//
// It fails if the key is unknown, if a machine of this model has no such
// parameter, or if the value cannot be read.
func (m *Machine) Set(key, value string) error {
	f, err := fieldFor(key)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !f.belongs(m) {
		return fmt.Errorf("%s: %s", key, m.lacks(f))
	}
	note := "set by the user"
	if old := m.find(key); old != nil {
		note = fmt.Sprintf("set by the user; %s has %s (%s)", m.Name, old.Value, old.Kind)
		if old.Kind == Chosen {
			note = fmt.Sprintf("set by the user; %s has %s", m.Name, old.Value)
		}
	}
	return m.put(Parameter{Key: key, Value: value, Kind: Chosen, Note: note})
}

// lacks says why the machine does not have a parameter.
func (m *Machine) lacks(f field) string {
	if !m.HasNetwork() || f.needsNoNetwork() {
		return fmt.Sprintf("a machine with network.model = %q does not have it", m.Network.Model)
	}
	return fmt.Sprintf("a machine with %s does not have it", m.nameOf())
}

// find returns the parameter that the machine states for a key, nil if none.
func (m *Machine) find(key string) *Parameter {
	i := slices.IndexFunc(m.parameters, func(p Parameter) bool { return p.Key == key })
	if i < 0 {
		return nil
	}
	return &m.parameters[i]
}

// put decodes a value into its field and records where it comes from.
func (m *Machine) put(p Parameter) error {
	f, err := fieldFor(p.Key)
	if err == nil {
		err = f.decode(m, p.Value)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.Key, err)
	}
	if old := m.find(p.Key); old != nil {
		*old = p
		return nil
	}
	at := slices.IndexFunc(m.parameters, func(q Parameter) bool { return position(q.Key) > position(p.Key) })
	if at < 0 {
		at = len(m.parameters)
	}
	m.parameters = slices.Insert(m.parameters, at, p)
	return nil
}

// field is a field of Machine that is a parameter.
type field struct {
	key      string
	index    []int   // in Machine, for reflect.Value.FieldByIndex
	places   []place // in sections of models; nil if it is in Machine
	of       reflect.Type
	kind     reflect.Kind
	values   []string // that a text may have; nil if it may have any
	optional bool
}

// place is a field of the section of a model.
type place struct {
	section int
	index   []int
}

// fields are the parameters in the order of Machine, and of the models.
var fields = listFields(reflect.TypeFor[Machine](), nil)

// positions maps the key of each field to its index in fields.
var positions = positionsOf(fields)

func positionsOf(fields []field) map[string]int {
	all := map[string]int{}
	for i := range fields {
		all[fields[i].key] = i
	}
	return all
}

// choices returns the values that a text may have; nil if it may have any.
func (f *field) choices() []string {
	if f.key == networkModel || f.key == interfaceModel {
		return modelNames(f.key)
	}
	return f.values
}

// needsNoNetwork reports whether only models without a network have the parameter.
func (f *field) needsNoNetwork() bool {
	return f.places != nil && !slices.ContainsFunc(f.places, func(p place) bool { return !models[p.section].WithoutNetwork })
}

// targets returns where the value of the parameter is kept.
func (f *field) targets(m *Machine) []reflect.Value {
	if f.places == nil {
		return []reflect.Value{reflect.ValueOf(m).Elem().FieldByIndex(f.index)}
	}
	var all []reflect.Value
	for _, p := range f.places {
		all = append(all, reflect.ValueOf(m.sections[p.section]).Elem().FieldByIndex(p.index))
	}
	return all
}

// value returns the value of the parameter.
func (f *field) value(m *Machine) reflect.Value { return f.targets(m)[0] }

func listFields(t reflect.Type, index []int) []field {
	var all []field
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		at := append(slices.Clone(index), i)
		key, isParameter := f.Tag.Lookup("param")
		switch {
		case isParameter:
			choice, _ := f.Tag.Lookup("choice")
			_, optional := f.Tag.Lookup("zero")
			all = append(all, field{key, at, nil, f.Type, f.Type.Kind(), splitList(choice), optional})
		case f.Type.Kind() == reflect.Struct:
			all = append(all, listFields(f.Type, at)...)
		}
	}
	return all
}

func splitList(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
}

// position returns the place of a parameter among all; -1 if there is none.
func position(key string) int {
	if i, known := positions[key]; known {
		return i
	}
	return -1
}

// fieldFor finds a field by its key. The error lists keys of the same table or
// the same name, or else all tables.
func fieldFor(key string) (field, error) {
	if i := position(key); i >= 0 {
		return fields[i], nil
	}
	table, name := splitKey(key)
	var near []string
	for _, f := range fields {
		if t, n := splitKey(f.key); t == table || n == name {
			near = append(near, f.key)
		}
	}
	if near == nil {
		return field{}, fmt.Errorf("unknown parameter; parameters are in the tables %s", strings.Join(tableNames(), ", "))
	}
	return field{}, fmt.Errorf("unknown parameter; known: %s", strings.Join(near, ", "))
}

// tableNames returns the tables of a machine file in their order.
func tableNames() []string {
	var names []string
	for _, f := range fields {
		table, _ := splitKey(f.key)
		names = append(names, table)
	}
	return slices.Compact(names)
}

// splitKey cuts "switch.latency" into table and name; a key without a table is
// all name.
func splitKey(key string) (table, name string) {
	i := strings.LastIndexByte(key, '.')
	return key[:max(i, 0)], key[i+1:]
}

// belongs reports whether a machine has the parameter.
func (f field) belongs(m *Machine) bool {
	table, _ := splitKey(f.key)
	model := m.model()
	switch {
	case f.key == networkModel || table == ringTable:
		return true
	case f.places != nil:
		return slices.ContainsFunc(f.places, func(p place) bool { return p.section == model })
	case model >= 0 && models[model].WithoutNetwork:
		return false
	}
	return !slices.Contains(sharedTables, table) || model >= 0 && slices.Contains(models[model].Tables, table)
}

// expects says which values the field takes.
func (f field) expects() string {
	switch {
	case len(f.choices()) > 0:
		return "one of " + strings.Join(f.choices(), ", ")
	case f.kind == reflect.Int:
		return "a whole number such as 8"
	case f.kind == reflect.Float64:
		return "a number such as 0.25"
	case f.kind == reflect.Bool:
		return "true or false"
	case f.kind == reflect.String:
		return "a text"
	}
	switch f.of {
	case reflect.TypeFor[units.Time]():
		return "a time such as 175ns or 0.175us"
	case reflect.TypeFor[units.Rate]():
		return "a rate such as 6Gbit/s, 533MB/s or 6ns/B"
	}
	return "a size such as 512B or 4KiB"
}

// decode reads a value into the field of m. Its error says what was given and
// what was expected.
func (f field) decode(m *Machine, value string) error {
	for _, target := range f.targets(m) {
		if err := f.decodeInto(target, value); err != nil {
			return err
		}
	}
	return nil
}

func (f field) decodeInto(target reflect.Value, value string) error {
	bad := fmt.Errorf("given %q, expected %s", value, f.expects())
	if t, ok := target.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return t.UnmarshalText([]byte(value))
	}
	switch f.kind {
	case reflect.Bool:
		if value != "true" && value != "false" {
			return bad
		}
		target.SetBool(value == "true")
	case reflect.Int:
		n, err := strconv.Atoi(value)
		if err != nil {
			return bad
		}
		target.SetInt(int64(n))
	case reflect.Float64:
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return bad
		}
		target.SetFloat(x)
	case reflect.String:
		if value == "" || len(f.choices()) > 0 && !slices.Contains(f.choices(), value) {
			return bad
		}
		target.SetString(value)
	}
	return nil
}

// TakesList reports whether the value of a parameter is a list itself, with commas.
func TakesList(key string) bool {
	f, err := fieldFor(key)
	return err == nil && f.kind == reflect.Slice
}

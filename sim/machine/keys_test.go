package machine_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	. "musubi/sim/machine"
)

// leaf is a value of a machine or of the section of its model, as the tags of its field describe it.
type leaf struct {
	name, key string
	optional  bool
}

// leavesOf returns the exported values of a struct, also of structs inside it, in their order.
func leavesOf(t reflect.Type) (all []leaf) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, isParameter := f.Tag.Lookup("param")
		_, optional := f.Tag.Lookup("zero")
		switch {
		case !f.IsExported():
		case f.Type.Kind() == reflect.Struct && !isParameter:
			all = append(all, leavesOf(f.Type)...)
		default:
			all = append(all, leaf{f.Name, key, optional})
		}
	}
	return all
}

// ofAll returns the parameters that machines have in common, and ofModel those of a machine's model.
func ofAll() []leaf {
	return leavesOf(reflect.TypeFor[Machine]())[4:] // behind Name, Title, Summary and Base
}

func ofModel(m *Machine) []leaf { return leavesOf(reflect.TypeOf(m.Section()).Elem()) }

// table returns the table of a key.
func table(key string) string {
	table, _, _ := strings.Cut(key, ".")
	return table
}

// known reports whether there is such a parameter, and belongs whether a machine has it. Both try to set it.
func known(m *Machine, key string) bool {
	err := m.Set(key, "?")
	return err == nil || !strings.Contains(err.Error(), ": unknown parameter; ")
}

func belongs(m *Machine, key string) bool {
	err := m.Set(key, "?")
	return err == nil || !strings.HasSuffix(err.Error(), " does not have it")
}

// find returns what a machine states of a parameter; without a key if nothing.
func find(m *Machine, key string) Parameter {
	for _, p := range m.Parameters() {
		if p.Key == key {
			return p
		}
	}
	return Parameter{}
}

// text returns a machine as a file.
func text(t *testing.T, m *Machine) string {
	t.Helper()
	var b strings.Builder
	if err := m.WriteTOML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// loadText loads a machine file with a text.
func loadText(t *testing.T, text string) (*Machine, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(path)
}

package machine

import (
	"embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
)

//go:embed machines/*.toml
var files embed.FS

// maxFile is the size of the largest machine file that is read, in bytes.
const maxFile = 1 << 20

// Names returns the names of the built-in machines, in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir("machines")
	if err != nil {
		panic(err) // the directory is part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".toml"))
	}
	slices.Sort(names) // without their endings some are in another order
	return names
}

// All returns the built-in machines in the order of Names.
func All() []*Machine {
	var all []*Machine
	for _, name := range Names() {
		m, err := builtIn(name)
		if err != nil {
			panic(err) // the files are part of the program, and tested
		}
		all = append(all, m)
	}
	return all
}

// Load returns the machine that --on names: a built-in one, or a file whose path
// ends in .toml. The caller may change what it gets.
//
// For a faulty file the error is one line, "file:line: key: what was given,
// expected what"; for an unknown name it lists the known ones.
func Load(nameOrPath string) (*Machine, error) {
	if !strings.HasSuffix(nameOrPath, ".toml") {
		return builtIn(nameOrPath)
	}
	data, err := readFile(nameOrPath)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(nameOrPath), ".toml")
	return decode(nameOrPath, name, data)
}

// builtIn returns a copy of a built-in machine, whose file is read once.
func builtIn(name string) (*Machine, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("unknown machine %q; known: %s, or the path of a .toml file", name, strings.Join(Names(), ", "))
	}
	if m, ok := builtIns.Load(name); ok {
		return m.(*Machine).clone(), nil
	}
	data, err := files.ReadFile("machines/" + name + ".toml")
	if err != nil {
		return nil, err
	}
	m, err := decode(name+".toml", name, data)
	if err != nil {
		return nil, err
	}
	builtIns.Store(name, m.clone())
	return m, nil
}

// builtIns has the built-in machines that have been read, by name.
var builtIns sync.Map

// clone returns a copy that may be changed by itself: values that are lists are replaced, and never changed.
func (m *Machine) clone() *Machine {
	c := *m
	c.parameters = slices.Clone(m.parameters)
	c.sections = slices.Clone(m.sections)
	for i, s := range m.sections {
		copied := reflect.New(reflect.TypeOf(s).Elem())
		copied.Elem().Set(reflect.ValueOf(s).Elem())
		c.sections[i] = copied.Interface().(Section)
	}
	return &c
}

func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("machine file %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("machine file %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("machine file %s is not a regular file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("machine file %s has %d bytes; expected at most %d", path, info.Size(), maxFile)
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("machine file %w", err)
	}
	return data, nil
}

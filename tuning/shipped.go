package tuning

import (
	"bytes"
	"embed"
	"slices"
	"strings"
	"sync"
)

// shipped has what "musubi tune" measured on the built-in machines, by the command at the head of
// each file.
//
//go:embed machines/*.tuning
var shipped embed.FS

var (
	mutex sync.Mutex
	read  = map[string]*Table{} // of shipped, by machine
)

// Machines returns the names of the machines whose measurements come along, in alphabetical order.
func Machines() (names []string) {
	entries, err := shipped.ReadDir("machines")
	if err != nil {
		panic(err) // the directory is part of the program
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".tuning"))
	}
	slices.Sort(names) // without their endings some are in another order
	return names
}

// Shipped returns the measurements of a machine that come along; nil if there are none. The caller
// must not change them.
func Shipped(machine string) *Table {
	mutex.Lock()
	defer mutex.Unlock()
	if t := read[machine]; t != nil {
		return t
	}
	data := shippedText(machine)
	if data == nil {
		return nil
	}
	t, err := Read(bytes.NewReader(data), fileOf(machine))
	if err != nil {
		panic(err) // the files are part of the program, and tested
	}
	read[machine] = t
	return t
}

// fileOf returns the file of shipped that has the measurements of a machine.
func fileOf(machine string) string { return "machines/" + machine + ".tuning" }

// shippedText returns the file of a machine; nil if there is none.
func shippedText(machine string) []byte {
	if !slices.Contains(Machines(), machine) {
		return nil
	}
	data, err := shipped.ReadFile(fileOf(machine))
	if err != nil {
		panic(err) // as before
	}
	return data
}

package host

import (
	"fmt"

	"musubi/sim/machine"
)

// Entry is a model of network interfaces that machine files can name.
type Entry struct {
	Name   string // in machine files
	Traits func(*machine.Machine) Traits
	New    func(*Env) (Model, error)
}

// entries are the models that have been registered.
var entries = map[string]Entry{}

// Register lets machine files name models of network interfaces.
func Register(all ...Entry) {
	for _, e := range all {
		if _, known := entries[e.Name]; known {
			panic(fmt.Sprintf("sim: model %q of network interfaces is registered twice", e.Name))
		}
		entries[e.Name] = e
	}
}

// entryOf returns the model of a machine's network interfaces.
func entryOf(m *machine.Machine) Entry { return entries[m.ModelName()] }

package host

import "musubi/sim/machine"

// Entry is a model of network interfaces: what machine files can say about it, what is
// known before a run, and how it is built.
type Entry struct {
	machine.Model
	Traits func(*machine.Machine) Traits
	New    func(*Env) (Model, error)
}

// entries are the models that have been registered, by name.
var entries = map[string]Entry{}

// Register lets machine files name models of network interfaces. It is to be called before
// any machine is loaded; where files do not say which model they mean, it is the first one.
func Register(all ...Entry) {
	for _, e := range all {
		machine.Register(e.Model)
		entries[e.Name] = e
	}
}

// entryOf returns the model of a machine's network interfaces.
func entryOf(m *machine.Machine) Entry { return entries[m.ModelName()] }

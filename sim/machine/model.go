package machine

import (
	"fmt"
	"reflect"
	"slices"
)

// Model is what machine files can say about a model of network interfaces.
type Model struct {
	Name string // value of interface.model, or of network.model if it needs no network
	// WithoutNetwork says that machines have no network: the model alone says how long a
	// message takes. They have only the tables network, with network.model, ring and those
	// of the model.
	WithoutNetwork bool
	// Tables lists which of the tables host, bus, nic and software the model uses.
	Tables []string
	// Section returns a new section for the parameters that only this model has.
	Section func() Section
	// SendsAgain says that the interfaces keep packets to send them again, as
	// ring.full = "nack" asks for.
	SendsAgain bool
}

// Section is the tables of a machine file that belong to a model: a pointer to a struct
// that has fields with param tags, as Machine has, in it or in structs inside it. A
// parameter may also be one more of a table that machines have in common.
type Section interface {
	// Check reports whether the values make sense and fit those of the machine. Its error
	// names the parameter, or those that collide, with their values.
	Check(m *Machine) error
}

// models lists the registered models. A machine file that names no model gets the first one
// with a network.
var models []Model

// Register lets machine files name a model and have its section. It is to be called before
// any machine is loaded.
func Register(model Model) {
	if slices.ContainsFunc(models, func(other Model) bool { return other.Name == model.Name }) {
		panic(fmt.Sprintf("machine: model %q is registered twice", model.Name))
	}
	for _, f := range listFields(reflect.TypeOf(model.Section()).Elem(), nil) {
		f.places = []place{{section: len(models), index: f.index}}
		fields = enter(fields, f)
	}
	positions = positionsOf(fields)
	models = append(models, model)
}

// enter puts a parameter of a section behind those of its table, and a new table before
// the last, which is about receive rings. A parameter may be in several sections.
func enter(fields []field, f field) []field {
	table, _ := splitKey(f.key)
	behind := slices.IndexFunc(fields, func(g field) bool { t, _ := splitKey(g.key); return t == ringTable })
	for i, g := range fields {
		if g.key == f.key {
			if g.places == nil {
				panic(fmt.Sprintf("machine: a model declares parameter %s, which all machines have", f.key))
			}
			fields[i].places = append(g.places, f.places...)
			return fields
		}
		if t, _ := splitKey(g.key); t == table {
			behind = i + 1
		}
	}
	return slices.Insert(fields, behind, f)
}

const ringTable = "ring"

// sharedTables are the tables that several models use. A model lists those it needs in Tables.
var sharedTables = []string{"host", "bus", "nic", "software"}

// newMachine returns a machine that states nothing.
func newMachine() *Machine {
	m := &Machine{}
	for _, model := range models {
		m.sections = append(m.sections, model.Section())
	}
	return m
}

// model returns the position of the machine's model; -1 if its file names none that is
// registered.
func (m *Machine) model() int {
	name := m.Interface.Model
	return slices.IndexFunc(models, func(model Model) bool {
		if m.HasNetwork() {
			return !model.WithoutNetwork && (model.Name == name || name == "")
		}
		return model.Name == m.Network.Model
	})
}

// network is the value of network.model for machines that have one.
const network = "fabric"

// HasNetwork reports whether the machine has a network.
func (m *Machine) HasNetwork() bool { return m.Network.Model == network || m.Network.Model == "" }

// ModelName returns the name of the model of the network interfaces.
func (m *Machine) ModelName() string { return models[m.model()].Name }

// Section returns what the machine file says about the model of the network interfaces
// alone.
func (m *Machine) Section() Section { return m.sections[m.model()] }

// nameOf returns the parameter that names the machine's model, and its value.
func (m *Machine) nameOf() string {
	if !m.HasNetwork() {
		return fmt.Sprintf("network.model = %q", m.Network.Model)
	}
	return fmt.Sprintf("interface.model = %q", m.ModelName())
}

// modelNames returns the values that a parameter may have that names a model.
func modelNames(key string) []string {
	var names []string
	if key == networkModel {
		names = append(names, network)
	}
	for _, model := range models {
		if model.WithoutNetwork == (key == networkModel) {
			names = append(names, model.Name)
		}
	}
	return names
}

// Parameters that name a model.
const (
	networkModel   = "network.model"
	interfaceModel = "interface.model"
)

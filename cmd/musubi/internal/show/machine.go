package show

import (
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/page"
	"musubi/sim/machine"
)

// MachineSection lists the parameters of a machine with their sources.
func MachineSection(m *machine.Machine) page.Section {
	t := &page.Table{Heads: []string{"parameter", "value", "kind", "source and note"}, Fold: true}
	for _, p := range m.Parameters() {
		t.Lines = append(t.Lines, []string{p.Key, p.Value, string(p.Kind), cli.Joined("; ", p.Source, p.Note)})
	}
	return page.Section{Heading: "The machine: " + m.Name + ", " + m.Title, Text: []string{strings.Join(strings.Fields(m.Summary), " ")}, Table: t}
}

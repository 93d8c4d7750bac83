package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"musubi/option"
	"musubi/report"
	"musubi/report/ordered"
	"musubi/sim/machine"
	"musubi/units"

	"github.com/spf13/cobra"
)

func machinesCommand() *cobra.Command {
	var f struct {
		TOML bool `name:"toml" help:"print the machine as a file that --on takes"`
	}
	cmd := &cobra.Command{
		Use:   "machines [NAME|FILE.toml]",
		Short: "List the machines that workloads run on, or the parameters of one",
		Long: `Without a name, machines lists what can be given to --on. With one it prints every
parameter with its value, whether that is published, derived, calibrated, assumed
or chosen, and where it comes from.

--toml prints the machine as a file. Edit it, and give its path instead of a name.`,
		Example: `  musubi machines
  musubi machines ndr
  musubi machines ndr --toml > mine.toml`,
		Args:              atMostOneArgument,
		ValidArgsFunction: cobra.FixedCompletions(machine.Names(), cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := sharedFlags(cmd)
			switch {
			case f.TOML && s.json:
				return errors.New("--toml and --json exclude each other; expected one of them")
			case f.TOML && len(args) == 0:
				return fmt.Errorf("--toml needs the name of a machine; known are %s", strings.Join(machine.Names(), ", "))
			case len(args) == 0:
				return listMachines(s)
			}
			m, err := loadMachine(args[0])
			switch {
			case err != nil:
				return err
			case f.TOML:
				return m.WriteTOML(s.stdout)
			}
			return showMachine(s, m)
		},
	}
	defineOptions(cmd, option.Of(&f))
	return cmd
}

// loadMachine finds what --on names.
func loadMachine(name string) (*machine.Machine, error) {
	if !strings.HasSuffix(name, ".toml") {
		if err := choose("machine", name, machine.Names()); err != nil {
			return nil, fmt.Errorf("%w, or the path of a .toml file", err)
		}
	}
	return machine.Load(name)
}

// machineSummary is a machine in the list of machines, as JSON.
type machineSummary struct {
	Machine string `json:"machine"`
	Title   string `json:"title"`
	Summary string `json:"summary"`
}

func summarize(m *machine.Machine) machineSummary {
	return machineSummary{m.Name, m.Title, strings.TrimSpace(m.Summary)}
}

func listMachines(s shared) error {
	if s.json {
		var list []machineSummary
		for _, m := range machine.All() {
			list = append(list, summarize(m))
		}
		return ordered.WriteJSON(s.stdout, list)
	}
	t := report.NewTable(report.Column{Name: "machine", Left: true}, report.Column{Name: "what it is", Left: true})
	for _, m := range machine.All() {
		t.Add(report.Text(m.Name), report.Text(m.Title))
	}
	return t.Print(s.stdout)
}

// machineDetails is one machine with its parameters, as JSON.
type machineDetails struct {
	machineSummary
	Parameters []machineParameter `json:"parameters"`
}

type machineParameter struct {
	Key    string `json:"key"`
	Value  any    `json:"value"` // number, truth value or text
	Unit   string `json:"unit"`  // of a number; empty for bare numbers, and for what is none
	Kind   string `json:"kind"`
	Source string `json:"source"`
	Note   string `json:"note"`
}

func showMachine(s shared, m *machine.Machine) error {
	if s.json {
		d := machineDetails{machineSummary: summarize(m)}
		for _, p := range m.Parameters() {
			value, unit := quantity(p.Value)
			d.Parameters = append(d.Parameters, machineParameter{p.Key, value, unit, string(p.Kind), p.Source, p.Note})
		}
		return ordered.WriteJSON(s.stdout, d)
	}
	fmt.Fprintf(s.stdout, "%s: %s\n\n", m.Name, m.Title)
	if err := report.Paragraph(s.stdout, strings.TrimSpace(m.Summary)); err != nil {
		return err
	}
	fmt.Fprintln(s.stdout)
	t := report.NewTable(
		report.Column{Name: "parameter", Left: true},
		report.Column{Name: "value", Left: true},
		report.Column{Name: "kind", Left: true},
		report.Column{Name: "source and note", Left: true, Text: true},
	)
	for _, p := range m.Parameters() {
		t.Add(report.Text(p.Key), report.Text(p.Value), report.Text(string(p.Kind)),
			report.Text(joined("; ", p.Source, p.Note)).Faint())
	}
	return t.Print(s.stdout)
}

// joined puts a separator between those texts that are not empty.
func joined(separator string, texts ...string) string {
	var given []string
	for _, t := range texts {
		if t != "" {
			given = append(given, t)
		}
	}
	return strings.Join(given, separator)
}

// quantity splits the text of a parameter such as "150ns" into number and unit.
// Truth values and other texts have no unit.
func quantity(text string) (value any, unit string) {
	if text == "true" || text == "false" {
		return text == "true", ""
	}
	number, unit := splitNumber(text)
	if number == "" || unit != "" && !isUnit(text) {
		return text, ""
	}
	return json.Number(number), unit
}

func splitNumber(text string) (number, rest string) {
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end < 0 {
		end = len(text)
	}
	if _, err := strconv.ParseFloat(text[:end], 64); err != nil {
		return "", text
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// isUnit reports whether a text is a number with a unit that machine files know.
func isUnit(text string) bool {
	_, time := units.ParseTime(text)
	_, size := units.ParseBytes(text)
	_, rate := units.ParseRate(text)
	return time == nil || size == nil || rate == nil
}

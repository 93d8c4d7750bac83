package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/open"
	"musubi/option"
	"musubi/report"
	"musubi/report/ordered"
	"musubi/sim/machine"
	"musubi/units"

	"github.com/spf13/cobra"
)

// Machines is the subcommand machines.
func Machines() *cobra.Command {
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
		Args:              cli.AtMostOneArgument,
		ValidArgsFunction: cobra.FixedCompletions(machine.Names(), cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := cli.SharedFlags(cmd)
			switch {
			case f.TOML && s.JSON:
				return errors.New("--toml and --json exclude each other; expected one of them")
			case f.TOML && len(args) == 0:
				return fmt.Errorf("--toml needs the name of a machine; known are %s", strings.Join(machine.Names(), ", "))
			case len(args) == 0:
				return listMachines(s)
			}
			m, err := open.Machine(args[0])
			switch {
			case err != nil:
				return err
			case f.TOML:
				return m.WriteTOML(s.Stdout)
			}
			return showMachine(s, m)
		},
	}
	cli.DefineOptions(cmd, option.Of(&f))
	return cmd
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

func listMachines(s cli.Shared) error {
	if s.JSON {
		var list []machineSummary
		for _, m := range machine.All() {
			list = append(list, summarize(m))
		}
		return ordered.WriteJSON(s.Stdout, list)
	}
	t := report.NewTable(report.Column{Name: "machine", Left: true}, report.Column{Name: "what it is", Left: true})
	for _, m := range machine.All() {
		t.Add(report.Text(m.Name), report.Text(m.Title))
	}
	return t.Print(s.Stdout)
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

func showMachine(s cli.Shared, m *machine.Machine) error {
	if s.JSON {
		d := machineDetails{machineSummary: summarize(m)}
		for _, p := range m.Parameters() {
			value, unit := quantity(p.Value)
			d.Parameters = append(d.Parameters, machineParameter{p.Key, value, unit, string(p.Kind), p.Source, p.Note})
		}
		return ordered.WriteJSON(s.Stdout, d)
	}
	fmt.Fprintf(s.Stdout, "%s: %s\n\n", m.Name, m.Title)
	if err := report.Paragraph(s.Stdout, strings.TrimSpace(m.Summary)); err != nil {
		return err
	}
	fmt.Fprintln(s.Stdout)
	t := report.NewTable(
		report.Column{Name: "parameter", Left: true},
		report.Column{Name: "value", Left: true},
		report.Column{Name: "kind", Left: true},
		report.Column{Name: "source and note", Left: true, Text: true},
	)
	for _, p := range m.Parameters() {
		t.Add(report.Text(p.Key), report.Text(p.Value), report.Text(string(p.Kind)),
			report.Text(cli.Joined("; ", p.Source, p.Note)).Faint())
	}
	return t.Print(s.Stdout)
}

// quantity returns the text of a parameter as it is in JSON: "150ns" as a number with a unit. Truth values
// and other texts have none.
func quantity(text string) (value any, unit string) {
	if text == "true" || text == "false" {
		return text == "true", ""
	}
	number, unit, ok := units.Quantity(text)
	if !ok {
		return text, ""
	}
	return json.Number(number), unit
}

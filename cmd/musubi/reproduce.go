package main

import (
	"fmt"
	"io"

	"musubi/report"
	"musubi/report/ordered"
	"musubi/reproduce"

	"github.com/spf13/cobra"
)

func reproduceCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reproduce [SOURCE]",
		Short: "Set what the machines give beside what their papers state",
		Long: `Reproduce runs the measurements of the papers that describe the machines, and prints
each figure beside the published one. A cell is calibrated if a parameter was chosen
so that it comes out, derived if it follows by arithmetic, and predicted else: then
nothing was chosen for it. Most published figures of predictions Musubi was not told.`,
		Example: `  musubi reproduce
  musubi reproduce dimmnet2
  musubi reproduce rhinet2 --json`,
		Args:              atMostOneArgument,
		ValidArgsFunction: cobra.FixedCompletions(reproduce.Sources(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := sharedFlags(cmd)
			name := ""
			if len(args) > 0 {
				name = args[0]
				if err := choose("source", name, reproduce.Sources()); err != nil {
					return err
				}
			}
			cells, err := reproduce.Run(cmd.Context(), name, s.seed)
			if err != nil {
				return err
			}
			if s.json {
				return ordered.WriteJSON(s.stdout, cells)
			}
			return printCells(s.stdout, cells)
		},
	}
}

// printCells prints a table for each item of each source, and a chart if it is curves.
func printCells(w io.Writer, cells []reproduce.Cell) error {
	for len(cells) > 0 {
		first := cells[0]
		n := 1
		for n < len(cells) && cells[n].Source == first.Source && cells[n].Item == first.Item && cells[n].Unit == first.Unit {
			n++
		}
		fmt.Fprintf(w, "%s: %s [%s]", first.Source, first.Item, first.Unit)
		print := printCases
		if first.Point != nil {
			print = printCurves
		}
		if err := print(w, cells[:n]); err != nil {
			return err
		}
		if cells = cells[n:]; len(cells) > 0 {
			fmt.Fprintln(w)
		}
	}
	return nil
}

// printCases prints a line for each cell.
func printCases(w io.Writer, cells []reproduce.Cell) error {
	fmt.Fprintln(w)
	t := report.NewTable(
		report.Column{Name: "case", Left: true}, report.Column{Name: "published"}, report.Column{Name: "Musubi"},
		report.Column{Name: "error", Unit: "%"}, report.Column{Name: "kind", Left: true})
	for _, c := range cells {
		published, off := report.None(), report.None()
		if c.Published != nil {
			published, off = report.Significant(*c.Published, 4), report.Fixed(100**c.Error, 2)
		}
		t.Add(report.Text(c.Cell), published, report.Significant(c.Got, 4), off, report.Text(string(c.Kind)))
	}
	return t.Print(w)
}

package papers

import (
	"fmt"
	"io"
	"slices"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/option"
	"musubi/page"
	"musubi/report"
	"musubi/report/ordered"
	"musubi/reproduce"

	"github.com/spf13/cobra"
)

// Command is the subcommand reproduce.
func Command() *cobra.Command {
	scenario := musubi.Usual()
	var f struct {
		All  bool   `name:"all" help:"print cells without a published figure, too"`
		Rows string `name:"output" value:"file" help:"write all cells as rows: a .csv or .parquet file"`
		cli.PageFile
	}
	cmd := &cobra.Command{
		Use:   "reproduce [SOURCE]",
		Short: "Set what the machines give beside what their papers state",
		Long: `Reproduce runs the measurements of the papers that describe the machines. It
prints how well they agree, and then each published figure beside ours. A cell is

  calibrated  if a parameter was chosen so that it comes out,
  fitted      if what it was measured on was reconstructed from the published
              figures,
  derived     if it follows from published or calibrated values by arithmetic,
  predicted   otherwise: no parameter was chosen for it.

The column "first" has what Musubi predicted before the published figure was known.
Cells without a published figure are printed with --all, and always with --json.`,
		Example: `  musubi reproduce
  musubi reproduce dimmnet2 --all
  musubi reproduce rhinet2 --json`,
		Args:              cli.AtMostOneArgument,
		ValidArgsFunction: cobra.FixedCompletions(reproduce.Sources(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := cli.SharedFlags(cmd)
			name := ""
			if len(args) > 0 {
				name = args[0]
				if err := cli.Choose("source", name, reproduce.Sources()); err != nil {
					return err
				}
			}
			files := cli.Outputs{Rows: f.Rows, PageFile: f.PageFile}
			if err := files.Check(); err != nil {
				return err
			}
			cells, err := reproduce.Run(cmd.Context(), name, scenario.Seed)
			if err != nil {
				return err
			}
			print := func() error { return PrintReproduction(s.Stdout, cells, f.All) }
			if s.JSON {
				print = func() error { return ordered.WriteJSON(s.Stdout, cells) }
			}
			if err := print(); err != nil {
				return err
			}
			return files.WriteWith(s, reproducedRows(cells), func() *page.Page { return reproducePage(name, cells, f.All) })
		},
	}
	cli.DefineOptions(cmd, append(option.Named(scenario.Options(), "seed"), option.Of(&f)...))
	return cmd
}

// PrintReproduction prints a summary, and then a table for each item of each source.
func PrintReproduction(w io.Writer, cells []reproduce.Cell, all bool) error {
	if err := printSummary(w, reproduce.Summarise(cells)); err != nil {
		return err
	}
	left := 0
	for _, table := range reproduce.Tables(cells) {
		if !all {
			whole := len(table)
			table = withFigures(table)
			left += whole - len(table)
		}
		if len(table) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s: %s [%s]", table[0].Source, table[0].Item, table[0].Unit)
		print := printCases
		if table[0].Point != nil {
			print = printCurves
		}
		if err := print(w, table); err != nil {
			return err
		}
	}
	if left > 0 {
		fmt.Fprintln(w)
		return report.Paragraph(w, fmt.Sprintf("%s cells have no published figure here. --all prints them.", report.Count(left).Text))
	}
	return nil
}

// withFigures returns the cells of a table that have a published or derived figure. Of curves it
// returns all if one of their points has.
func withFigures(table []reproduce.Cell) []reproduce.Cell {
	has := func(c reproduce.Cell) bool { return c.Expected() != nil }
	if table[0].Point != nil && slices.ContainsFunc(table, has) {
		return table
	}
	return slices.DeleteFunc(slices.Clone(table), func(c reproduce.Cell) bool { return !has(c) })
}

// printSummary prints how well the cells of each source and kind agree.
func printSummary(w io.Writer, list []reproduce.Summary) error {
	t := report.NewTable(
		report.Column{Name: "source", Left: true}, report.Column{Name: "kind", Left: true}, report.Column{Name: "cells"},
		report.Column{Name: "compared"}, report.Column{Name: "mean error", Unit: "%"}, report.Column{Name: "worst", Unit: "%"},
		report.Column{Name: "worst cell", Left: true, Text: true})
	source := ""
	for _, s := range list {
		name := s.Source
		if name == source {
			name = ""
		}
		source = s.Source
		mean, worst, cell := report.None(), report.None(), report.Text("")
		if s.Worst != nil {
			mean, worst = report.Fixed(100*s.Mean, 2), report.Fixed(100**s.Worst.Error, 2)
			cell = report.Text(s.Worst.Item + ": " + s.Worst.Cell)
		}
		t.Add(report.Text(name), report.Text(string(s.Kind)), report.Count(s.Cells), report.Count(s.Compared), mean, worst, cell)
	}
	return t.Print(w)
}

// optionalColumn is a column that stands only where a cell has something in it.
type optionalColumn struct {
	column report.Column
	value  func(c *reproduce.Cell) *float64
	format func(v float64) report.Cell
}

// digits formats a figure.
func digits(v float64) report.Cell { return report.Significant(v, 4) }

var caseColumns = []optionalColumn{
	{report.Column{Name: "published"}, func(c *reproduce.Cell) *float64 { return c.Published }, digits},
	{report.Column{Name: "deviation"}, func(c *reproduce.Cell) *float64 { return c.Deviation }, digits},
	{report.Column{Name: "derived"}, func(c *reproduce.Cell) *float64 { return c.Derived }, digits},
	{report.Column{Name: "first"}, func(c *reproduce.Cell) *float64 { return c.First }, digits},
	{report.Column{Name: "Musubi"}, func(c *reproduce.Cell) *float64 { return &c.Got }, digits},
	{report.Column{Name: "error", Unit: "%"}, func(c *reproduce.Cell) *float64 { return c.Error }, func(v float64) report.Cell { return report.Fixed(100*v, 2) }},
}

// printCases prints a line for each cell.
func printCases(w io.Writer, cells []reproduce.Cell) error {
	fmt.Fprintln(w)
	columns := slices.DeleteFunc(slices.Clone(caseColumns), func(o optionalColumn) bool {
		return !slices.ContainsFunc(cells, func(c reproduce.Cell) bool { return o.value(&c) != nil })
	})
	head := []report.Column{{Name: "case", Left: true}}
	for _, o := range columns {
		head = append(head, o.column)
	}
	t := report.NewTable(append(head, report.Column{Name: "kind", Left: true})...)
	for i := range cells {
		line := []report.Cell{report.Text(cells[i].Cell)}
		for _, o := range columns {
			if v := o.value(&cells[i]); v != nil {
				line = append(line, o.format(*v))
			} else {
				line = append(line, report.None())
			}
		}
		t.Add(append(line, report.Text(string(cells[i].Kind)))...)
	}
	return t.Print(w)
}

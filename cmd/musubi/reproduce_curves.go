package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"musubi/report"
	"musubi/reproduce"
)

// reproducedCurve is the points of a curve, by length.
type reproducedCurve struct {
	name string
	got  map[int]float64
}

// printCurves prints cells that are points of curves over the same lengths, and all
// predicted, as a table with a column for each curve, and as a chart.
func printCurves(w io.Writer, cells []reproduce.Cell) error {
	fmt.Fprintf(w, ", %s\n", cells[0].Kind)
	curves, lengths := splitCurves(cells)
	columns := []report.Column{{Name: "bytes"}}
	plot := report.NewPlot(report.Column{Name: "bytes"}, report.Column{Name: "[" + cells[0].Unit + "]"})
	for _, c := range curves {
		columns = append(columns, report.Column{Name: c.name})
		var xs, ys []float64
		for _, n := range slices.Sorted(maps.Keys(c.got)) {
			xs, ys = append(xs, float64(n)), append(ys, c.got[n])
		}
		plot.Add(c.name, xs, ys)
	}
	table := report.NewTable(columns...)
	for _, n := range lengths {
		line := []report.Cell{report.Count(n)}
		for _, c := range curves {
			if got, ok := c.got[n]; ok {
				line = append(line, report.Significant(got, 4))
			} else {
				line = append(line, report.None())
			}
		}
		table.Add(line...)
	}
	if err := table.Print(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return plot.Print(w)
}

// splitCurves returns the curves, in the order in which they begin, and all lengths.
func splitCurves(cells []reproduce.Cell) (curves []reproducedCurve, lengths []int) {
	for _, cell := range cells {
		i := slices.IndexFunc(curves, func(c reproducedCurve) bool { return c.name == cell.Point.Curve })
		if i < 0 {
			i = len(curves)
			curves = append(curves, reproducedCurve{cell.Point.Curve, map[int]float64{}})
		}
		curves[i].got[cell.Point.Bytes] = cell.Got
		lengths = append(lengths, cell.Point.Bytes)
	}
	slices.Sort(lengths)
	return curves, slices.Compact(lengths)
}

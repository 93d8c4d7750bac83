package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"musubi/report"
	"musubi/reproduce"
)

// reproducedCurve is the points of a curve, by where they are.
type reproducedCurve struct {
	name string
	got  map[int]float64
}

// printCurves prints cells that are points of curves over the same axis, and all
// predicted, as a table with a column for each curve. Those over the length of messages
// it prints as a chart too; numbers of nodes lie too far apart for one.
func printCurves(w io.Writer, cells []reproduce.Cell) error {
	fmt.Fprintf(w, ", %s\n", cells[0].Kind)
	axis, _ := place(cells[0].Point)
	curves, places := splitCurves(cells)
	columns := []report.Column{{Name: axis}}
	plot := report.NewPlot(report.Column{Name: axis}, report.Column{Name: "[" + cells[0].Unit + "]"})
	for _, c := range curves {
		columns = append(columns, report.Column{Name: c.name})
		var xs, ys []float64
		for _, n := range slices.Sorted(maps.Keys(c.got)) {
			xs, ys = append(xs, float64(n)), append(ys, c.got[n])
		}
		plot.Add(c.name, xs, ys)
	}
	table := report.NewTable(columns...)
	for _, n := range places {
		line := []report.Cell{report.Count(n)}
		for _, c := range curves {
			got, ok := c.got[n]
			switch {
			case !ok:
				line = append(line, report.None())
			case cells[0].Unit == "B" || cells[0].Unit == "copies":
				line = append(line, report.Count(int64(got)))
			default:
				line = append(line, report.Significant(got, 4))
			}
		}
		table.Add(line...)
	}
	if err := table.Print(w); err != nil || axis == nodesAxis {
		return err
	}
	fmt.Fprintln(w)
	return plot.Print(w)
}

// Axes of curves.
const (
	bytesAxis = "bytes"
	nodesAxis = "nodes"
)

// place returns the axis that a point is on, and where.
func place(p *reproduce.Point) (axis string, at int) {
	if p.Nodes > 0 {
		return nodesAxis, p.Nodes
	}
	return bytesAxis, p.Bytes
}

// splitCurves returns the curves, in the order in which they begin, and all places.
func splitCurves(cells []reproduce.Cell) (curves []reproducedCurve, places []int) {
	for _, cell := range cells {
		i := slices.IndexFunc(curves, func(c reproducedCurve) bool { return c.name == cell.Point.Curve })
		if i < 0 {
			i = len(curves)
			curves = append(curves, reproducedCurve{cell.Point.Curve, map[int]float64{}})
		}
		_, at := place(cell.Point)
		curves[i].got[at] = cell.Got
		places = append(places, at)
	}
	slices.Sort(places)
	return curves, slices.Compact(places)
}

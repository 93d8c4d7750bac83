package papers

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
	name  string
	value map[int]float64
}

// printCurves prints cells that are points of curves over the same axis, and all
// predicted, as a table with a column for each curve, and one for the published points on it. Those over the length of messages
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
		for _, n := range slices.Sorted(maps.Keys(c.value)) {
			xs, ys = append(xs, float64(n)), append(ys, c.value[n])
		}
		plot.Add(c.name, xs, ys)
	}
	table := report.NewTable(columns...)
	for _, n := range places {
		line := []report.Cell{report.Count(n)}
		for _, c := range curves {
			value, ok := c.value[n]
			switch {
			case !ok:
				line = append(line, report.None())
			case cells[0].Unit == "B" || cells[0].Unit == "copies":
				line = append(line, report.Count(int64(value)))
			default:
				line = append(line, report.Significant(value, 4))
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
		_, at := place(cell.Point)
		places = append(places, at)
		curves = enterPoint(curves, cell.Point.Curve, at, cell.Got)
		if cell.Published != nil {
			curves = enterPoint(curves, cell.Point.Curve+", published", at, *cell.Published)
		}
	}
	slices.Sort(places)
	return curves, slices.Compact(places)
}

// enterPoint adds a point to a curve, which it begins if it is not there.
func enterPoint(curves []reproducedCurve, name string, at int, value float64) []reproducedCurve {
	i := slices.IndexFunc(curves, func(c reproducedCurve) bool { return c.name == name })
	if i < 0 {
		i = len(curves)
		curves = append(curves, reproducedCurve{name, map[int]float64{}})
	}
	curves[i].value[at] = value
	return curves
}

package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"musubi/report/rows"
)

// stageMetric is the metric of the steps of a message on its way.
const stageMetric = "stage"

// maxCurves is how many curves a panel has at most.
const maxCurves = 14

// hidden are metrics that pictures of networks show, or that say little as curves.
var hidden = map[string]bool{"link_utilisation": true, "ring_stalls": true, "ring_stall_time": true, "utilisation": true}

// Panels chooses what to draw of rows: a panel for each metric, in their order.
func Panels(list []rows.Row) []Panel {
	var panels, single []Panel
	for _, g := range split(list) {
		switch {
		case hidden[g.metric]:
		case g.metric == stageMetric:
			panels = append(panels, g.steps()...)
		case g.has(rows.Sender) && g.has(rows.Receiver):
			panels = append(panels, g.matrices()...)
		case g.has(rows.Quantile):
			panels = append(panels, g.distribution())
		case g.axis() != "":
			panels = append(panels, g.lines(g.axis()))
		case !g.has(rows.Statistic) || len(rows.Differing(list)) > 0:
			single = append(single, g.barsOf())
		}
	}
	if len(panels) == 0 {
		return single
	}
	return panels
}

// group is rows of a metric on the same axes.
type group struct {
	metric, unit string
	rows         []rows.Row
}

// split groups rows, in the order in which groups begin.
func split(list []rows.Row) []*group {
	var groups []*group
	byKey := map[string]*group{}
	for _, r := range list {
		key := r.Metric + "\x00" + r.Unit
		for _, l := range r.Axes {
			key += "\x00" + l.Name
		}
		if byKey[key] == nil {
			byKey[key] = &group{metric: r.Metric, unit: r.Unit}
			groups = append(groups, byKey[key])
		}
		byKey[key].rows = append(byKey[key].rows, r)
	}
	for _, g := range groups {
		g.keepTelling()
	}
	return groups
}

// told are the values of labels that are drawn where a metric has others too: of latencies of
// packets those from their generation on, and of a distribution what tells most.
var told = []struct {
	label  string
	values []any
}{
	{"kind", []any{"packet"}},
	{rows.Statistic, []any{"mean", "p99"}},
	{rows.Statistic, []any{"avg"}},
	{rows.Statistic, []any{"overall", "compute", "wait"}},
}

// keepTelling drops statistics that would only fill the panel.
func (g *group) keepTelling() {
	for _, t := range told {
		drawn := func(r rows.Row) bool { return slices.Contains(t.values, r.Axis(t.label)) }
		if slices.ContainsFunc(g.rows, drawn) {
			g.rows = slices.DeleteFunc(g.rows, func(r rows.Row) bool { return !drawn(r) })
		}
	}
}

func (g *group) has(axis string) bool { return rows.Find(g.rows[0].Axes, axis) != nil }

// axis returns the axis over which the group is drawn, empty if there is none: sizes and loads
// first, then any other numbers that differ, then those in which runs differ.
func (g *group) axis() string {
	names := []string{rows.Bytes, rows.Offered}
	names = append(names, rows.Names(g.rows, rows.OfAxes)...)
	names = append(names, rows.Ranks)
	names = append(names, rows.Names(g.rows, rows.OfRun)...)
	for _, name := range names {
		if g.ordered(name) {
			return name
		}
	}
	return ""
}

// ordered reports whether rows have numbers on an axis, and one case of them different ones.
func (g *group) ordered(name string) bool {
	first := map[string]float64{}
	different := false
	names := g.telling(name)
	for i := range g.rows {
		v, number := g.rows[i].Number(name)
		if !number {
			return false
		}
		key := g.caseOf(&g.rows[i], names)
		if _, known := first[key]; !known {
			first[key] = v
		}
		different = different || v != first[key]
	}
	return different
}

// heading is the title of a panel.
func (g *group) heading() string {
	statistic, _ := g.rows[0].Axis(rows.Statistic).(string)
	if statistic == "" || statistic == "mean" || statistic == "avg" || slices.Contains(g.differingAxes(), rows.Statistic) {
		return title(g.metric)
	}
	return title(g.metric) + ": " + statistic
}

// telling returns the labels that tell the cases of a group apart, but for some: of runs first, then
// axes. What follows from those before is left out, such as the routing where each machine has its
// own.
func (g *group) telling(but ...string) []string {
	var names []string
	cases := 1
	candidates := rows.Differing(g.rows)
	if i := slices.Index(candidates, rows.Ranks); i >= 0 { // they may follow from the network
		candidates = append(slices.Delete(candidates, i, i+1), rows.Ranks)
	}
	for _, name := range append(candidates, g.differingAxes()...) {
		if slices.Contains(but, name) {
			continue
		}
		seen := map[string]bool{}
		for i := range g.rows {
			seen[g.caseOf(&g.rows[i], append(names, name))] = true
		}
		if len(seen) > cases {
			names, cases = append(names, name), len(seen)
		}
	}
	return names
}

// caseOf names a row by some labels.
func (g *group) caseOf(r *rows.Row, names []string) string {
	var parts []string
	for _, name := range names {
		switch v := r.Axis(name).(type) {
		case nil:
		case string:
			parts = append(parts, v)
		case int:
			parts = append(parts, counted(name, v))
		default:
			parts = append(parts, fmt.Sprintf("%s %v", title(name), v))
		}
	}
	return strings.Join(parts, ", ")
}

// counted names a number of things or the number of a thing.
func counted(name string, n int) string {
	switch {
	case name == rows.Bytes:
		return fmt.Sprintf("%d B", n)
	case n == 1 && strings.HasSuffix(name, "es"):
		return "1 " + strings.TrimSuffix(name, "es")
	case n == 1 && strings.HasSuffix(name, "s"):
		return "1 " + strings.TrimSuffix(name, "s")
	case strings.HasSuffix(name, "s"):
		return fmt.Sprintf("%d %s", n, name)
	}
	return fmt.Sprintf("%s %d", title(name), n)
}

func (g *group) differingAxes() []string {
	return slices.DeleteFunc(rows.Names(g.rows, rows.OfAxes), func(name string) bool {
		return !slices.ContainsFunc(g.rows, func(r rows.Row) bool { return r.Axis(name) != g.rows[0].Axis(name) })
	})
}

// lines makes curves over an axis.
func (g *group) lines(over string) Panel {
	l := &Lines{title: g.heading() + g.constant(over)}
	var xs, ys []float64
	names := g.telling(over)
	for i := range g.rows {
		r := &g.rows[i]
		x, _ := r.Number(over)
		saturated, _ := rows.Find(r.Notes, "saturated").(bool)
		l.add(g.caseOf(r, names), point{x, r.Value, saturated})
		xs, ys = append(xs, x), append(ys, r.Value)
	}
	l.x, l.y = horizontal(over, xs), vertical(g.heading(), g.unit, ys)
	return l.finish()
}

// constant says at which size a group is that is drawn over something else.
func (g *group) constant(over string) string {
	if v := g.rows[0].Axis(rows.Bytes); over != rows.Bytes && v != nil && !slices.Contains(g.differingAxes(), rows.Bytes) {
		return fmt.Sprintf(", %v B", v)
	}
	return ""
}

// add appends a point to the curve of a name.
func (l *Lines) add(name string, p point) {
	i := slices.IndexFunc(l.curves, func(c curve) bool { return c.name == name })
	if i < 0 {
		i = len(l.curves)
		l.curves = append(l.curves, curve{name: name})
	}
	l.curves[i].points = append(l.curves[i].points, p)
}

// finish puts points in order and leaves out curves that are too many.
func (l *Lines) finish() Panel {
	for _, c := range l.curves {
		slices.SortStableFunc(c.points, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	}
	if len(l.curves) > maxCurves {
		l.left = len(l.curves) - maxCurves
		l.curves = l.curves[:maxCurves]
	}
	return l
}

// distribution draws how many values are at most how large.
func (g *group) distribution() Panel {
	l := &Lines{title: "distribution of " + g.heading()}
	var xs []float64
	names := g.telling(rows.Quantile)
	for i := range g.rows {
		r := &g.rows[i]
		part, _ := r.Number(rows.Quantile)
		l.add(g.caseOf(r, names), point{x: r.Value, y: part})
		xs = append(xs, r.Value)
	}
	for i := range l.curves {
		l.curves[i].smooth = true
	}
	l.x = vertical(g.heading(), g.unit, xs)
	if l.x.scale == linear {
		l.x.ticks = nil
		l.x.low, l.x.high = extent(xs)
		l.x.tickEvenly(true)
	}
	l.y = axis{name: "part of all that took at most as long", low: 0, high: 1}
	l.y.tickEvenly(true)
	return l.finish()
}

// barsOf makes a bar of each case.
func (g *group) barsOf() Panel {
	b := &Bars{title: g.heading(), unit: g.unit}
	names := g.telling()
	for i := range g.rows {
		b.bars = append(b.bars, bar{g.caseOf(&g.rows[i], names), g.rows[i].Value})
	}
	return b
}

// matrices makes a matrix of each case, of the largest message if there are several sizes.
func (g *group) matrices() []Panel {
	var all []Panel
	byCase := map[string]*Matrix{}
	largest := 0.0
	names := g.telling(rows.Sender, rows.Receiver, rows.Bytes, "switches")
	for i := range g.rows {
		if n, ok := g.rows[i].Number(rows.Bytes); ok {
			largest = max(largest, n)
		}
	}
	for i := range g.rows {
		r := &g.rows[i]
		if n, ok := r.Number(rows.Bytes); ok && n < largest {
			continue
		}
		name := g.caseOf(r, names)
		if byCase[name] == nil {
			heading := g.heading() + " between ranks"
			for _, more := range []string{name, sizeOf(largest)} {
				if more != "" {
					heading += ", " + more
				}
			}
			byCase[name] = &Matrix{title: heading, unit: g.unit, cells: map[[2]int]float64{}}
			all = append(all, byCase[name])
		}
		byCase[name].enter(r)
	}
	return all
}

func sizeOf(bytes float64) string {
	if bytes == 0 {
		return ""
	}
	return fmt.Sprintf("%v B", bytes)
}

// enter takes a row into the matrix.
func (m *Matrix) enter(r *rows.Row) {
	sender, _ := r.Number(rows.Sender)
	receiver, _ := r.Number(rows.Receiver)
	m.cells[[2]int{int(sender), int(receiver)}] = r.Value
	m.ranks = max(m.ranks, int(sender)+1, int(receiver)+1)
}

// steps makes a panel of each path.
func (g *group) steps() []Panel {
	var all []Panel
	byPath := map[string]*Steps{}
	names := g.telling(rows.Step)
	for i := range g.rows {
		r := &g.rows[i]
		name := g.caseOf(r, names)
		if byPath[name] == nil {
			heading := "steps"
			if name != "" {
				heading += " of " + name
			}
			byPath[name] = &Steps{title: heading + g.constant(""), unit: g.unit}
			all = append(all, byPath[name])
		}
		if r.Value > 0 {
			step, _ := r.Axis(rows.Step).(string)
			byPath[name].steps = append(byPath[name].steps, bar{step, r.Value})
		}
	}
	return all
}

package tabulate

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"musubi/report"
	"musubi/workload"
)

// Group is rows that make one table: those with the same metric, unit and
// names of labels.
type Group struct {
	Rows []workload.Row
}

// Groups keeps the order in which the groups begin.
func Groups(rows []workload.Row) []*Group {
	var groups []*Group
	byKey := map[string]*Group{}
	for _, row := range rows {
		key := row.Metric + " " + row.Unit
		for _, l := range row.Labels {
			key += " " + l.Name
		}
		if byKey[key] == nil {
			byKey[key] = &Group{}
			groups = append(groups, byKey[key])
		}
		byKey[key].Rows = append(byKey[key].Rows, row)
	}
	return groups
}

// ringStall begins the names of metrics of packets that waited for room in a receive ring:
// how many did, and for how long.
const ringStall = "ring_stall"

// Qualifiers that can head columns of a table, instead of one column that holds
// them all.
const (
	bytesQualifier     = "bytes"
	StatisticQualifier = "statistic"
	offeredQualifier   = "offered"
	caseQualifier      = "case" // all labels together
)

// individuals says what rows with a label are about that have an own row each;
// rows of the metric without that label are means over them.
var individuals = map[string]string{
	"sender": "each sender",
	"order":  "each visiting order",
}

// maxSizeColumns is how many sizes stand beside each other; more go down the lines.
const maxSizeColumns = 10

// spread returns the qualifier that heads columns, empty if none does.
func (g *Group) spread() string {
	first := g.Rows[0]
	if first.Label(StatisticQualifier) != nil {
		return StatisticQualifier
	}
	sizes, cases := map[int]bool{}, map[string]bool{}
	for _, r := range g.Rows {
		sizes[r.Bytes], cases[fmt.Sprint(r.Labels)] = true, true
	}
	switch {
	case len(first.Labels) == 0 || len(sizes) == 1:
		return ""
	case len(sizes) <= maxSizeColumns:
		return bytesQualifier
	case len(cases) > 1 && len(cases) <= maxSizeColumns:
		return caseQualifier
	}
	return ""
}

// Print writes the group as a table, or in a line if that says all.
func (g *Group) Print(w io.Writer) error {
	stalled := func(r workload.Row) bool { return r.Value != 0 }
	if first := g.Rows[0]; strings.HasPrefix(first.Metric, ringStall) && !slices.ContainsFunc(g.Rows, stalled) {
		if first.Metric == ringStall+"s" {
			fmt.Fprint(w, "\nno packet waited for room in a receive ring\n")
		}
		return nil
	}
	spread := g.spread()
	if spread == bytesQualifier || spread == caseQualifier { // a case may lack some of them
		slices.SortStableFunc(g.Rows, func(a, b workload.Row) int { return cmp.Compare(a.Bytes, b.Bytes) })
	}
	t := tableLayout{spread: spread}
	for _, r := range g.Rows {
		t.add(r)
	}
	if _, err := fmt.Fprintf(w, "\n%s\n", g.title(spread)); err != nil {
		return err
	}
	return t.table(g.Rows[0]).Print(w)
}

// title says what the values are.
func (g *Group) title(spread string) string {
	first := g.Rows[0]
	title := first.Metric + " [" + first.Unit + "]"
	for _, l := range first.Labels {
		if of := individuals[l.Name]; of != "" {
			title += " of " + of
		}
	}
	if spread == bytesQualifier {
		title += " by bytes"
	}
	return title
}

// tableLayout puts values into lines, by qualifiers, and columns, by the
// qualifier that is spread.
type tableLayout struct {
	spread string
	heads  []string // of the columns with values
	lines  []*tableLine
}

type tableLine struct {
	key    string
	labels []report.Cell
	values map[string]float64
}

func (t *tableLayout) add(r workload.Row) {
	labels := t.qualifiers(r)
	var cells []report.Cell
	key := ""
	for _, l := range labels {
		cells = append(cells, LabelCell(l.Value))
		key += fmt.Sprint(l.Value, "\x00")
	}
	i := slices.IndexFunc(t.lines, func(l *tableLine) bool { return l.key == key })
	if i < 0 {
		i = len(t.lines)
		t.lines = append(t.lines, &tableLine{key, cells, map[string]float64{}})
	}
	head := t.head(r)
	if !slices.Contains(t.heads, head) {
		t.heads = append(t.heads, head)
	}
	t.lines[i].values[head] = r.Value
}

// qualifiers returns what stands at the beginning of a row's line.
func (t *tableLayout) qualifiers(r workload.Row) []workload.Label {
	var labels []workload.Label
	for _, l := range r.Labels {
		if l.Name != t.spread && t.spread != caseQualifier {
			labels = append(labels, l)
		}
	}
	if r.HasSize() && t.spread != bytesQualifier {
		labels = append(labels, workload.Label{Name: bytesQualifier, Value: r.Bytes})
	}
	return labels
}

// head returns the heading of the column that a row's value belongs to.
func (t *tableLayout) head(r workload.Row) string {
	switch t.spread {
	case bytesQualifier:
		return report.Count(r.Bytes).Text
	case StatisticQualifier:
		return fmt.Sprint(r.Label(StatisticQualifier))
	case caseQualifier:
		return caseName(r.Labels)
	}
	return r.Metric
}

// caseName is all labels in one heading. Words say by themselves what they are.
func caseName(labels []workload.Label) string {
	var parts []string
	for _, l := range labels {
		if word, ok := l.Value.(string); ok {
			parts = append(parts, word)
		} else {
			parts = append(parts, fmt.Sprintf("%s=%v", l.Name, l.Value))
		}
	}
	return strings.Join(parts, ", ")
}

func (t *tableLayout) table(first workload.Row) *report.Table {
	var columns []report.Column
	for _, l := range t.qualifiers(first) {
		_, words := l.Value.(string)
		columns = append(columns, report.Column{Name: strings.ReplaceAll(l.Name, "_", " "), Left: words})
	}
	for _, h := range t.heads {
		columns = append(columns, report.Column{Name: h})
	}
	table := report.NewTable(columns...)
	for _, line := range t.lines {
		cells := line.labels
		for _, h := range t.heads {
			cells = append(cells, valueCell(line.values, h, first.Unit))
		}
		table.Add(cells...)
	}
	return table
}

func valueCell(values map[string]float64, head, unit string) report.Cell {
	v, ok := values[head]
	switch {
	case !ok:
		return report.None()
	case unit == "count" || unit == "B" || unit == "id":
		return report.Count(int64(v))
	}
	return report.Significant(v, 4)
}

// LabelCell is the cell of a label: a number, or a text.
func LabelCell(value any) report.Cell {
	if n, ok := value.(int); ok {
		return report.Count(n)
	}
	return report.Text(fmt.Sprint(value))
}

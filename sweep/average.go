package sweep

import (
	"fmt"
	"math"
	"slices"

	"musubi"
	"musubi/report/rows"
	"musubi/workload"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Mean is a row whose value is the mean over repeats.
type Mean struct {
	workload.Row
	Runs int
	// Half is half the width of the 95 % interval of the mean, by Student's t; 0 with one run.
	Half float64
	// Unsettled: one of the runs has not come to a steady state.
	Unsettled bool

	at, own []workload.Label // the values on the axes, and the labels of the row itself
	run     []rows.Label
}

// Relative returns Half as a fraction of the mean.
func (m *Mean) Relative() float64 {
	if m.Half == 0 {
		return 0
	}
	return m.Half / math.Abs(m.Value)
}

// average returns the means of the rows of runs, in the order in which they come. Rows are the same
// if all but their values is, and the labels of what happened: saturated and settled. A mean has those if
// one of its runs has.
func average(runs []finished) ([]Mean, error) {
	var means []Mean
	values := map[string][]float64{}
	var order []string
	for _, r := range runs {
		list, err := r.Rows()
		if err != nil {
			return nil, err
		}
		for _, row := range list {
			key := identity(row)
			unsettled := row.Label(settledLabel) == false && row.Label(saturatedLabel) == false
			row.Labels = slices.DeleteFunc(slices.Clone(row.Labels), func(l workload.Label) bool { return l.Name == settledLabel })
			if values[key] == nil {
				m := Mean{Row: row, at: besides(r.at, &row), own: slices.Clone(row.Labels), run: r.run}
				m.Labels = append(slices.Clone(m.at), row.Labels...)
				order, means = append(order, key), append(means, m)
			} else if row.Label(saturatedLabel) == true {
				means[slices.Index(order, key)].saturate()
			}
			values[key] = append(values[key], row.Value)
			if unsettled {
				means[slices.Index(order, key)].Unsettled = true
			}
		}
	}
	for i, key := range order {
		means[i].Value, means[i].Half = interval(values[key])
		means[i].Runs = len(values[key])
	}
	return means, nil
}

// besides returns the labels that a row does not have itself.
func besides(at []workload.Label, row *workload.Row) []workload.Label {
	return slices.DeleteFunc(slices.Clone(at), func(l workload.Label) bool { return row.Label(l.Name) != nil })
}

// saturatedLabel is the label of results at loads that a network may not carry.
const saturatedLabel = "saturated"

// settledLabel is the label of results that says whether the network had come to a steady state.
const settledLabel = "settled"

// identity is what rows have in common that are the same.
func identity(row workload.Row) string {
	key := fmt.Sprintf("%q %q %v %d", row.Metric, row.Unit, row.Sized, row.Bytes)
	for _, l := range row.Labels {
		if l.Name != saturatedLabel && l.Name != settledLabel {
			key += fmt.Sprintf(" %s=%q", l.Name, fmt.Sprint(l.Value))
		}
	}
	return key
}

// saturate marks a mean as one over runs of which some saturate the network.
func (m *Mean) saturate() {
	for _, labels := range [][]workload.Label{m.Labels, m.own} {
		for i := range labels {
			if labels[i].Name == saturatedLabel {
				labels[i].Value = true
			}
		}
	}
}

// tableRow returns the mean as a row for pictures and files.
func (m *Mean) tableRow() rows.Row {
	run := slices.Clone(m.run)
	for _, l := range m.at {
		if l.Name != "on" && !slices.ContainsFunc(run, func(r rows.Label) bool { return r.Name == l.Name }) {
			run = append(run, rows.Label(l))
		}
	}
	row := m.Row
	row.Labels = m.own
	t := musubi.TableRow(run, row)
	if m.Runs > 1 {
		t.Notes = append(t.Notes, rows.Label{Name: "half_interval", Value: m.Half}, rows.Label{Name: "runs", Value: m.Runs})
	}
	return t
}

// interval returns the mean of values, and half the width of its 95 % interval.
func interval(values []float64) (mean, half float64) {
	n := float64(len(values))
	if n == 1 {
		return values[0], 0
	}
	mean, deviation := stat.MeanStdDev(values, nil)
	return mean, distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * deviation / math.Sqrt(n)
}

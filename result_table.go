package musubi

import (
	"slices"

	"musubi/report/rows"
	"musubi/workload"
)

// Latencies is the distribution of the latencies of packets.
type Latencies struct {
	Labels []workload.Label // at which offered load and of which kind, if the run tells these apart
	Times  []float64        // by part of Quantiles, in microseconds
}

// Quantiles are the parts of all packets whose longest latency is told.
var Quantiles = []float64{0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999, 1}

// notes are labels that say how a value was measured, and not where it lies.
var notes = []string{"iterations", "saturated", "settled", "clocks", "times", "orders"}

// Table returns the result as rows with axes, for pictures, pages and files: Rows, the use of all
// links, and the distributions of latencies by quantile.
func (r *Result) Table() []rows.Row {
	run := r.identity()
	var table []rows.Row
	for _, row := range r.Rows {
		table = append(table, TableRow(run, row))
	}
	for _, l := range r.Links {
		axes := append(rowLabels(l.Labels), rows.Label{Name: rows.Link, Value: l.String()})
		table = append(table, rows.Row{Run: run, Metric: "link_utilisation", Unit: "fraction", Axes: axes, Value: l.Utilisation})
	}
	for _, d := range r.Latencies {
		for i, q := range Quantiles {
			axes := append(rowLabels(d.Labels), rows.Label{Name: rows.Quantile, Value: q})
			table = append(table, rows.Row{Run: run, Metric: "packet_latency", Unit: "us", Axes: axes, Value: d.Times[i]})
		}
	}
	return table
}

// identity says which run it was.
func (r *Result) identity() []rows.Label {
	run := []rows.Label{{Name: "workload", Value: r.Workload}, {Name: "machine", Value: r.Machine}, {Name: rows.Ranks, Value: r.Ranks}}
	if r.Topology != "" {
		run = append(run, rows.Label{Name: "topology", Value: r.Topology}, rows.Label{Name: "routing", Value: r.Routing})
	}
	if r.Engine != nil {
		run = append(run, rows.Label{Name: "engine", Value: r.Engine.Name})
	}
	return run
}

// TableRow returns a row of a workload as one of Table; run says which run it is from.
func TableRow(run []rows.Label, row workload.Row) rows.Row {
	t := rows.Row{Run: run, Metric: row.Metric, Unit: row.Unit, Value: row.Value}
	for _, l := range rowLabels(row.Labels) {
		if slices.Contains(notes, l.Name) {
			t.Notes = append(t.Notes, l)
		} else {
			t.Axes = append(t.Axes, l)
		}
	}
	if row.HasSize() {
		t.Axes = append(t.Axes, rows.Label{Name: rows.Bytes, Value: row.Bytes})
	}
	return t
}

func rowLabels(labels []workload.Label) []rows.Label {
	var all []rows.Label
	for _, l := range labels {
		all = append(all, rows.Label(l))
	}
	return all
}

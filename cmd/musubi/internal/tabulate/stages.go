package tabulate

import (
	"fmt"
	"io"

	"musubi/cmd/musubi/internal/cli"
	"musubi/report"
	"musubi/workload"
)

// stageMetric is the metric of rows that each tell of a step of a message on its
// way, with labels path, step and clocks.
const stageMetric = "stage"

// SplitStages sets rows about stages apart.
func SplitStages(all []workload.Row) (others, stages []workload.Row) {
	for _, r := range all {
		if r.Metric == stageMetric {
			stages = append(stages, r)
		} else {
			others = append(others, r)
		}
	}
	return others, stages
}

// PrintStages prints a table for each path, as papers give them.
func PrintStages(w io.Writer, rows []workload.Row) error {
	for len(rows) > 0 {
		path := rows[0].Label("path")
		n := 1
		for n < len(rows) && rows[n].Label("path") == path {
			n++
		}
		if _, err := fmt.Fprintf(w, "\nstages of %v, %s\n", path, cli.Plural(rows[0].Bytes, "byte", "bytes")); err != nil {
			return err
		}
		if err := stageTable(rows[:n]).Print(w); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// stageTable lists the steps of a path and what they take together. Steps that are
// no whole number of clocks have none.
func stageTable(rows []workload.Row) *report.Table {
	t := report.NewTable(report.Column{Name: "step", Left: true}, report.Column{Name: "clocks"}, report.Column{Name: "time", Unit: "us"})
	clocks, us, counted := 0, 0.0, true
	for _, r := range rows {
		cell := report.None()
		n, ok := r.Label("clocks").(int)
		if ok {
			cell = report.Count(n)
		}
		clocks, us, counted = clocks+n, us+r.Value, counted && ok
		step, _ := r.Label("step").(string)
		t.Add(report.Text(step), cell, report.Fixed(r.Value, 3))
	}
	total := report.None()
	if counted {
		total = report.Count(clocks)
	}
	t.Add(report.Text("total"), total, report.Fixed(us, 3))
	return t
}

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

// PrintStages prints a table for each path, as papers give them; of several jobs, for each path of each.
func PrintStages(w io.Writer, rows []workload.Row) error {
	for len(rows) > 0 {
		path, job := rows[0].Label("path"), rows[0].Label("job")
		n := 1
		for n < len(rows) && rows[n].Label("path") == path && rows[n].Label("job") == job {
			n++
		}
		title, table := fmt.Sprintf("stages of %v, %s", path, cli.Plural(rows[0].Bytes, "byte", "bytes")), stageTable
		if job != nil {
			title, table = fmt.Sprintf("stages of job %v, %v", job, path), jobStageTable
		}
		if _, err := fmt.Fprintf(w, "\n%s\n", title); err != nil {
			return err
		}
		if err := table(rows[:n]).Print(w); err != nil {
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

// jobStageTable lists the steps of a path in a run: how often each happened, and what it took in the mean. As some happen more
// often than others, and at the same time, they have no total.
func jobStageTable(rows []workload.Row) *report.Table {
	t := report.NewTable(report.Column{Name: "step", Left: true}, report.Column{Name: "times"}, report.Column{Name: "clocks"}, report.Column{Name: "mean", Unit: "us"})
	for _, r := range rows {
		clocks := report.None()
		if n, ok := r.Label("clocks").(int); ok {
			clocks = report.Count(n)
		}
		times, _ := r.Label("times").(int)
		step, _ := r.Label("step").(string)
		t.Add(report.Text(step), report.Count(times), clocks, report.Fixed(r.Value, 3))
	}
	return t
}

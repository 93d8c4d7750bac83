package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"musubi"
	"musubi/report"
	"musubi/report/ordered"
	"musubi/sweep"
	"musubi/workload"
)

// grid returns the grid that the flags and the file make, without axes if they make none.
func (f *runFlags) grid() (sweep.Grid, sweep.Plan, error) {
	var plan sweep.Plan
	if f.Seeds != "" {
		seeds, err := sweep.Seeds(f.Seeds)
		if err != nil {
			return sweep.Grid{}, plan, &musubi.InputError{Key: "seeds", Err: fmt.Errorf("--seeds is %q; %w", f.Seeds, err)}
		}
		plan.Seeds = seeds
	}
	axes, err := f.lists.Axes(&f.scenario)
	return sweep.Grid{Base: f.scenario, Axes: axes}, plan, err
}

// runGrid runs a grid on all processors and prints one table of all results.
func (f *runFlags) runGrid(ctx context.Context, s shared, g sweep.Grid, plan sweep.Plan, locate func(error) error) error {
	if err := checkGrid(g, locate); err != nil {
		return err
	}
	sw, err := sweep.New(g, plan, "", nil)
	if err != nil {
		return locate(err)
	}
	if err := carryOut(ctx, s, sw, func(ctx context.Context) (sweep.Executor, error) {
		return sweep.NewPool(ctx, workersFor(g), runPoint), nil
	}); err != nil {
		return err
	}
	return f.outputs.finishGrid(s, g, sw)
}

// checkGrid refuses what no point of a grid can have: names that do not exist, and files that all
// points would write.
func checkGrid(g sweep.Grid, locate func(error) error) error {
	for _, written := range []struct{ key, file string }{{"record", g.Base.RecordFile}, {"trace", g.Base.TraceFile}} {
		if written.file != "" {
			return locate(&musubi.InputError{Key: written.key, Err: fmt.Errorf("%s: all runs of a grid would write it; expected one value of each option", written.key)})
		}
	}
	points, err := g.Points()
	if err != nil {
		return locate(err)
	}
	for _, p := range points {
		if err := checkNames(p.Scenario); err != nil {
			return locate(err)
		}
	}
	return nil
}

// workersFor returns how many runs of a grid go beside each other: as many as there are processors,
// or one where time is real.
func workersFor(g sweep.Grid) int {
	live := func(name string) bool { return name == musubi.Live }
	if live(g.Base.Machine) || slices.ContainsFunc(g.Axes, func(a sweep.Axis) bool { return a.Name == "on" && slices.ContainsFunc(a.Values, live) }) {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// carryOut runs a sweep, and shows how far it has come.
func carryOut(ctx context.Context, s shared, sw *sweep.Sweep, start func(context.Context) (sweep.Executor, error)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	executor, err := start(ctx)
	if err != nil {
		return err
	}
	progress := startProgress(s)
	defer progress.finish()
	sw.Progress = func(done, known int) {
		progress.draw(fmt.Sprintf("%d of %d runs", done, known), float64(done)/float64(known))
	}
	return sw.Run(ctx, executor)
}

// finishGrid prints what a grid has given. The answer is "no" if a routing can deadlock.
func (o *outputs) finishGrid(s shared, g sweep.Grid, sw *sweep.Sweep) error {
	results, err := sw.Results()
	if err != nil {
		return err
	}
	ran, safe := false, true
	for _, r := range results.Runs {
		ran = ran || r.Outcome.Refused == ""
		safe = safe && !r.Outcome.Unsafe
	}
	if !ran && safe {
		return fmt.Errorf("none of %d runs is possible: %s", len(results.Runs), results.Runs[0].Outcome.Refused)
	}
	if s.json {
		err = ordered.WriteJSON(s.stdout, results)
	} else {
		err = printGrid(s.stdout, g, results)
	}
	if err == nil {
		err = o.write(s, results.Table())
	}
	if err != nil {
		return err
	}
	return answer(safe)
}

func printGrid(w io.Writer, g sweep.Grid, results *sweep.Results) error {
	facts := report.NewFacts()
	facts.Add("workload", report.Text(g.Base.Workload))
	for _, a := range results.Axes {
		facts.Add(a.Label(), report.Text(strings.Join(a.Values, ", ")))
	}
	facts.Add("runs", report.Count(len(results.Runs)))
	if err := facts.Print(w); err != nil {
		return err
	}
	if err := printMeans(w, results); err != nil {
		return err
	}
	return printRefused(w, results)
}

// printMeans prints a table for each metric.
func printMeans(w io.Writer, results *sweep.Results) error {
	var rows []workload.Row
	unsettled := 0
	widest, repeated := map[string]float64{}, map[string]bool{}
	for _, m := range results.Means {
		rows = append(rows, m.Row)
		if m.Unsettled {
			unsettled++
		}
		if s := m.Label(statisticQualifier); s == nil || s == "mean" { // quantiles scatter more
			widest[m.Metric] = max(widest[m.Metric], m.Relative())
		}
		repeated[m.Metric] = repeated[m.Metric] || m.Runs > 1
	}
	for _, g := range groupRows(rows) {
		if err := g.print(w); err != nil {
			return err
		}
		if !repeated[g.rows[0].Metric] {
			continue
		}
		if _, err := fmt.Fprintf(w, "means over seeds, with 95 %% intervals of up to ±%.2g %%\n", 100*widest[g.rows[0].Metric]); err != nil {
			return err
		}
	}
	if unsettled > 0 {
		return report.Paragraph(w, fmt.Sprintf("\n%s of runs without a steady state, which need more packets.", plural(unsettled, "value is", "values are")))
	}
	return nil
}

// printRefused lists the points that could not run, each once.
func printRefused(w io.Writer, results *sweep.Results) error {
	var last string
	for _, r := range results.Runs {
		text := fmt.Sprintf("%s: %s", sweep.NameOf(r.At), r.Outcome.Refused)
		if r.Outcome.Refused == "" || text == last {
			continue
		}
		if last == "" {
			fmt.Fprint(w, "\nNot run:\n")
		}
		last = text
		if err := report.Paragraph(w, "- "+text); err != nil {
			return err
		}
	}
	return nil
}

package grid

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/open"
	"musubi/cmd/musubi/internal/tabulate"
	"musubi/page"
	"musubi/report"
	"musubi/report/ordered"
	"musubi/sweep"
	"musubi/workload"
)

// Check refuses what no point of a grid can have: names that do not exist, and files that all
// points would write.
func Check(g sweep.Grid, locate func(error) error) error {
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
		if err := open.CheckNames(p.Scenario); err != nil {
			return locate(err)
		}
	}
	return nil
}

// Workers returns how many runs of a grid go beside each other: as many as there are processors,
// or one where time is real.
func Workers(g sweep.Grid) int {
	live := func(name string) bool { return name == musubi.Live }
	if live(g.Base.Machine) || slices.ContainsFunc(g.Axes, func(a sweep.Axis) bool { return a.Name == "on" && slices.ContainsFunc(a.Values, live) }) {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// CarryOut runs a sweep, and shows how far it has come.
func CarryOut(ctx context.Context, s cli.Shared, sw *sweep.Sweep, start func(context.Context) (sweep.Executor, error)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	executor, err := start(ctx)
	if err != nil {
		return err
	}
	progress := cli.StartProgress(s, "")
	defer progress.Finish()
	sw.Progress = func(done, known int) {
		progress.Draw(fmt.Sprintf("%d of %d runs", done, known), float64(done)/float64(known))
	}
	return sw.Run(ctx, executor)
}

// Finish prints what a grid has given. The answer is "no" if a routing can deadlock.
func Finish(o *cli.Outputs, s cli.Shared, g sweep.Grid, sw *sweep.Sweep) error {
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
	if s.JSON {
		err = ordered.WriteJSON(s.Stdout, results)
	} else {
		err = printGrid(s.Stdout, g, results)
	}
	if err == nil {
		err = o.WriteWith(s, results.Table(), func() *page.Page { return gridPage(g, results) })
	}
	if err != nil {
		return err
	}
	return cli.Answer(safe)
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
		if s := m.Label(tabulate.StatisticQualifier); s == nil || s == "mean" { // quantiles scatter more
			widest[m.Metric] = max(widest[m.Metric], m.Relative())
		}
		repeated[m.Metric] = repeated[m.Metric] || m.Runs > 1
	}
	for _, g := range tabulate.Groups(rows) {
		if err := g.Print(w); err != nil {
			return err
		}
		if !repeated[g.Rows[0].Metric] {
			continue
		}
		if _, err := fmt.Fprintf(w, "means over seeds, with 95 %% intervals of up to ±%.2g %%\n", 100*widest[g.Rows[0].Metric]); err != nil {
			return err
		}
	}
	if unsettled > 0 {
		return report.Paragraph(w, fmt.Sprintf("\n%s of runs without a steady state, which need more packets.", cli.Plural(unsettled, "value is", "values are")))
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

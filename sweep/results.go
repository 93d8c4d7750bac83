package sweep

import (
	"strconv"

	"musubi/report/ordered"
	"musubi/report/rows"
	"musubi/workload"
)

// Results is what a sweep has given.
type Results struct {
	Axes  []Axis
	Seeds []uint64 // of the repeats, if there are any
	Runs  []RunResult
	// Means are the rows of each point: the means over its repeats, with the axes as their first labels.
	// With Plan.Loads there are rows of metric saturation as well: the highest load of those tried,
	// as a fraction of a link, that the network carried; 0 if none.
	Means []Mean
}

// RunResult is one run of a sweep.
type RunResult struct {
	At      []workload.Label
	Seed    uint64
	Outcome *Outcome
}

// Results returns the runs that have ended, in the order of the points.
func (s *Sweep) Results() (*Results, error) {
	r := &Results{Axes: s.axes, Seeds: s.plan.Seeds}
	for i := range s.cells {
		loads, _, err := s.cells[i].advance(s.outcome)
		if err != nil {
			return nil, err
		}
		for _, runs := range loads {
			if err := r.add(runs); err != nil {
				return nil, err
			}
		}
		if s.plan.Loads != nil && len(loads) > 0 && len(loads[0]) > 0 {
			if err := r.addSaturation(loads, s.plan.Loads); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// add adds the repeats of a point.
func (r *Results) add(runs []finished) error {
	for _, run := range runs {
		r.Runs = append(r.Runs, RunResult{run.at, run.seed, run.Outcome})
	}
	means, err := average(runs)
	r.Means = append(r.Means, means...)
	return err
}

// addSaturation adds the highest of the loads that was carried.
func (r *Results) addSaturation(tried [][]finished, loads []string) error {
	first := tried[0][0]
	if first.Refused != "" {
		return nil
	}
	last := len(tried) - 1
	stop, err := saturated(tried[last])
	if err != nil {
		return err
	}
	carried := 0.0
	if stop {
		last--
	}
	if last >= 0 {
		if carried, err = strconv.ParseFloat(loads[last], 64); err != nil {
			return err
		}
	}
	r.Means = append(r.Means, Mean{
		Row:  workload.Row{Metric: "saturation", Unit: "fraction", Value: carried, Labels: first.at},
		Runs: 1, at: first.at, run: first.run,
	})
	return nil
}

// Table returns the means as rows for pictures and files.
func (r *Results) Table() []rows.Row {
	var table []rows.Row
	for i := range r.Means {
		table = append(table, r.Means[i].tableRow())
	}
	return table
}

// MarshalJSON writes axes, seeds, runs with their results as "musubi run --json" has them, and means.
func (r *Results) MarshalJSON() ([]byte, error) {
	axes, runs, means := []ordered.Object{}, []ordered.Object{}, []ordered.Object{}
	for _, a := range r.Axes {
		axes = append(axes, ordered.Object{{Name: "name", Value: a.Label()}, {Name: "values", Value: a.Values}})
	}
	for i := range r.Runs {
		runs = append(runs, r.Runs[i].object())
	}
	for i := range r.Means {
		means = append(means, r.Means[i].object())
	}
	seeds := r.Seeds
	if seeds == nil {
		seeds = []uint64{}
	}
	return ordered.Object{
		{Name: "axes", Value: axes}, {Name: "seeds", Value: seeds}, {Name: "runs", Value: runs}, {Name: "means", Value: means},
	}.MarshalJSON()
}

func (r *RunResult) object() ordered.Object {
	at := ordered.Object{}
	for _, l := range r.At {
		at = append(at, ordered.Field{Name: l.Name, Value: l.Value})
	}
	o := ordered.Object{{Name: "at", Value: at}, {Name: "seed", Value: r.Seed}}
	if r.Outcome.Refused != "" {
		return append(o, ordered.Field{Name: "refused", Value: r.Outcome.Refused})
	}
	return append(o, ordered.Field{Name: "result", Value: r.Outcome.Result})
}

func (m *Mean) object() ordered.Object {
	o := ordered.Object{{Name: "metric", Value: m.Metric}, {Name: "unit", Value: m.Unit}}
	if m.HasSize() {
		o = append(o, ordered.Field{Name: "bytes", Value: m.Bytes})
	}
	for _, l := range m.Labels {
		o = append(o, ordered.Field{Name: l.Name, Value: l.Value})
	}
	if m.Unsettled {
		o = append(o, ordered.Field{Name: settledLabel, Value: false})
	}
	return append(o, ordered.Field{Name: "value", Value: m.Value}, ordered.Field{Name: "half_interval", Value: m.Half}, ordered.Field{Name: "runs", Value: m.Runs})
}

package sweep

import (
	"fmt"
	"maps"
	"slices"

	"musubi"
	"musubi/workload"
)

// Plan says which runs each point of a grid gets.
type Plan struct {
	// Seeds of the repeats; nil: one run with the seed of the scenario.
	Seeds []uint64
	// Until is how narrow the 95 % interval of the mean is to be, as a fraction of the mean; 0: all
	// seeds run. Otherwise repeats take as many seeds as they need.
	Until float64
	// Of is the metric whose intervals count; empty: the first metric of the result.
	Of string
	// Loads are offered loads, of workload pattern, that are tried one after the other until the
	// network saturates; nil: as the scenario says.
	Loads []string
}

// loadSetting is the setting of workload pattern that Loads are for.
const loadSetting = "load"

// fewestRepeats is how many repeats an interval needs at least.
const fewestRepeats = 3

// step is a run that a cell may need.
type step struct {
	at   []workload.Label
	seed uint64
	task Task
}

// finished is a step with its outcome.
type finished struct {
	step
	*Outcome
}

// cell is a point with the runs that it may need: for each load the repeats, in their order.
type cell struct {
	plan  *Plan
	steps [][]step
}

// newCell makes the cell of a point.
func (p *Plan) newCell(at Point, version string) (cell, error) {
	c := cell{plan: p}
	for _, load := range p.loads(at) {
		var steps []step
		for _, s := range p.repeats(load.Scenario) {
			t, err := newTask(s, version)
			if err != nil {
				return c, err
			}
			steps = append(steps, step{load.At, s.Seed, t})
		}
		c.steps = append(c.steps, steps)
	}
	return c, nil
}

// loads returns the points that the loads make of one.
func (p *Plan) loads(at Point) []Point {
	if p.Loads == nil {
		return []Point{at}
	}
	var points []Point
	for _, load := range p.Loads {
		at.Scenario.Set = maps.Clone(at.Scenario.Set)
		if at.Scenario.Set == nil {
			at.Scenario.Set = map[string]string{}
		}
		at.Scenario.Set[loadSetting] = load
		points = append(points, at)
	}
	return points
}

// repeats returns a scenario with each of the seeds.
func (p *Plan) repeats(s musubi.Scenario) []musubi.Scenario {
	if p.Seeds == nil {
		return []musubi.Scenario{s}
	}
	var all []musubi.Scenario
	for _, seed := range p.Seeds {
		s.Seed = seed
		all = append(all, s)
	}
	return all
}

// advance returns the runs that the cell needs and that have ended, for each load, and those that are
// missing. It follows from outcomes alone, so it does not matter in which order runs end. When
// nothing is missing, the cell is complete. outcome returns nil for a run that has not ended.
func (c *cell) advance(outcome func(key string) *Outcome) (have [][]finished, missing []step, err error) {
	for _, steps := range c.steps {
		runs, missing, err := c.plan.repeat(steps, outcome)
		have = append(have, runs)
		if err != nil || missing != nil {
			return have, missing, err
		}
		if stop, err := saturated(runs); err != nil || stop {
			return have, nil, err
		}
	}
	return have, nil, nil
}

// repeat returns the repeats that have ended and those that are missing. It takes half as many again
// until the interval is narrow enough, so that what it takes does not depend on how many run beside
// each other.
func (p *Plan) repeat(steps []step, outcome func(key string) *Outcome) (have []finished, missing []step, err error) {
	n := len(steps)
	if p.Until > 0 {
		n = min(fewestRepeats, n)
	}
	for {
		for _, s := range steps[len(have):n] {
			if o := outcome(s.task.Key); o != nil {
				have = append(have, finished{s, o})
			} else {
				missing = append(missing, s)
			}
		}
		if missing != nil || n == len(steps) || have[0].Refused != "" {
			return have, missing, nil
		}
		widest, err := p.widest(have)
		if err != nil || widest <= p.Until {
			return have, nil, err
		}
		n = min(n+max(1, n/2), len(steps))
	}
}

// widest returns the widest interval of the metric that counts, relative to its mean. Of distributions
// the mean counts, and neither quantiles nor the maximum.
func (p *Plan) widest(runs []finished) (float64, error) {
	rows, err := average(runs)
	if err != nil {
		return 0, err
	}
	of := p.Of
	if of == "" && len(rows) > 0 {
		of = rows[0].Metric
	}
	widest, found := 0.0, false
	for _, r := range rows {
		statistic := r.Label("statistic")
		if r.Metric == of && (statistic == nil || statistic == "mean") {
			found, widest = true, max(widest, r.Relative())
		}
	}
	if !found {
		return 0, fmt.Errorf("the result has no metric %q", of)
	}
	return widest, nil
}

// saturated reports whether a network is saturated in one of the runs, or one is refused.
func saturated(runs []finished) (bool, error) {
	for _, r := range runs {
		if r.Refused != "" {
			return true, nil
		}
		rows, err := r.Rows()
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(rows, func(r workload.Row) bool { return r.Label(saturatedLabel) == true }) {
			return true, nil
		}
	}
	return false, nil
}

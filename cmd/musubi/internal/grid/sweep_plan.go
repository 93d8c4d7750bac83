package grid

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"musubi"
	"musubi/sweep"
	"musubi/workload"
)

// RepeatFlags are the options of sweep that a sweep file may have as well.
type RepeatFlags struct {
	Until string `name:"until" value:"part" help:"repeat each point until the 95 % interval of the mean is within so much of it, such as 2%; with the seeds of --seeds, or up to 1000 from --seed on"`
	Of    string `name:"of" value:"metric" help:"metric whose interval is to be narrow; default: the first of the results"`
	Loads string `name:"loads" value:"list" help:"workload pattern: try these offered loads, such as 0.05..1:0.05, one after the other until the network saturates"`
}

// mostRepeats is how many seeds --until takes at most.
const mostRepeats = 1000

// Complete enters what the flags ask for into a plan.
func (f *RepeatFlags) Complete(g *sweep.Grid, plan *sweep.Plan) error {
	plan.Of = f.Of
	if err := f.completeUntil(g, plan); err != nil {
		return &musubi.InputError{Key: "until", Err: err}
	}
	if f.Loads == "" {
		return nil
	}
	loads, err := workload.Loads(f.Loads)
	switch {
	case err != nil:
		err = fmt.Errorf("--loads is %q; %w", f.Loads, err)
	case g.Base.Workload != "pattern":
		err = fmt.Errorf("--loads are for workload pattern, and the workload is %s", g.Base.Workload)
	case !slices.IsSorted(loads):
		err = fmt.Errorf("--loads is %q; expected loads that rise", f.Loads)
	}
	if err != nil {
		return &musubi.InputError{Key: "loads", Err: err}
	}
	for _, load := range loads {
		plan.Loads = append(plan.Loads, strconv.FormatFloat(load, 'g', -1, 64))
	}
	return nil
}

func (f *RepeatFlags) completeUntil(g *sweep.Grid, plan *sweep.Plan) error {
	switch {
	case f.Until == "" && f.Of != "":
		return errors.New("--of names a metric, but without --until there is nothing to reach")
	case f.Until == "":
		return nil
	}
	number, isPercent := strings.CutSuffix(f.Until, "%")
	part, err := strconv.ParseFloat(number, 64)
	if isPercent {
		part /= 100
	}
	if err != nil || !(part > 0 && part < 1) {
		return fmt.Errorf("--until is %q; expected a part of the mean such as 2%% or 0.02", f.Until)
	}
	plan.Until = part
	if plan.Seeds == nil {
		for i := range uint64(mostRepeats) {
			plan.Seeds = append(plan.Seeds, g.Base.Seed+i)
		}
	}
	return nil
}

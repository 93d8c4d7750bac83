package run

import (
	"context"
	"fmt"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/grid"
	"musubi/sweep"
)

// Grid returns the grid that the flags and the file make, without axes if they make none.
func (f *Flags) Grid() (sweep.Grid, sweep.Plan, error) {
	var plan sweep.Plan
	if f.Seeds != "" {
		seeds, err := sweep.Seeds(f.Seeds)
		if err != nil {
			return sweep.Grid{}, plan, &musubi.InputError{Key: "seeds", Err: fmt.Errorf("--seeds is %q; %w", f.Seeds, err)}
		}
		plan.Seeds = seeds
	}
	axes, err := f.Lists.Axes(&f.Scenario)
	return sweep.Grid{Base: f.Scenario, Axes: axes}, plan, err
}

// runGrid runs a grid on all processors and prints one table of all results.
func (f *Flags) runGrid(ctx context.Context, s cli.Shared, g sweep.Grid, plan sweep.Plan, locate func(error) error) error {
	if err := grid.Check(g, locate); err != nil {
		return err
	}
	sw, err := sweep.New(g, plan, "", nil)
	if err != nil {
		return locate(err)
	}
	if err := grid.CarryOut(ctx, s, sw, func(ctx context.Context) (sweep.Executor, error) {
		return sweep.NewPool(ctx, grid.Workers(g), grid.Run), nil
	}); err != nil {
		return err
	}
	return grid.Finish(&f.Outputs, s, g, sw)
}

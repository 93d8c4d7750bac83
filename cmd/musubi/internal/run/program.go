package run

import (
	"errors"
	"fmt"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/open"
	"musubi/cmd/musubi/internal/show"
	"musubi/mpi/abi/process"
	"musubi/option"
	"musubi/report/ordered"

	"github.com/spf13/cobra"
)

// oneArgumentOrProgram refuses a second argument, unless they are a program behind --.
func oneArgumentOrProgram(cmd *cobra.Command, args []string) error {
	switch at := cmd.ArgsLenAtDash(); {
	case at < 0:
		return cli.AtMostOneArgument(cmd, args)
	case at > 0:
		return fmt.Errorf("workload %q and a program behind --; expected one of them", args[0])
	case len(args) == 0:
		return errors.New("nothing behind --; expected a program, as in musubi run --on tofu2 -n 64 -- ./heat")
	}
	return nil
}

// runProgram simulates ranks that are processes of a program.
func (f *Flags) runProgram(cmd *cobra.Command, command []string) error {
	for _, o := range option.Of(f) {
		if err := o.Check(); err != nil {
			return err
		}
	}
	locate, err := f.Complete(cmd, nil)
	if err != nil {
		return err
	}
	compute, err := process.ParseCompute(f.Compute)
	if err != nil {
		return fmt.Errorf("--compute: %w", err)
	}
	switch grid, plan, err := f.Grid(); {
	case err != nil:
		return locate(err)
	case grid.Axes != nil || plan.Seeds != nil:
		return errors.New("lists of values and a program behind --; expected one value of each option")
	}
	f.Scenario.Workload = ""
	if err := open.CheckMachine(f.Scenario); err != nil {
		return locate(err)
	}
	system, err := musubi.Build(f.Scenario)
	shared := cli.SharedFlags(cmd)
	if err != nil {
		return show.Refusal(shared, locate(open.HintTopology(f.Scenario, err)))
	}
	program := &process.Program{Command: command, Compute: compute, Label: f.Label == "rank", Output: shared.Stdout, Errors: shared.Stderr}
	if shared.JSON {
		program.Output = shared.Stderr // standard output is for the result
	}
	result, err := system.RunCommand(cmd.Context(), program)
	var input *musubi.InputError
	switch {
	case errors.As(err, &input):
		return locate(err)
	case errors.Is(err, process.ErrNotCounted):
		return fmt.Errorf("--compute %s: %w", f.Compute, process.ErrNotCounted)
	case err != nil && cmd.Context().Err() == nil:
		return &cli.ExitError{Status: cli.StatusNo, Err: err}
	case err != nil:
		return err
	case shared.JSON:
		return ordered.WriteJSON(shared.Stdout, result)
	case shared.Quiet:
		return nil
	}
	fmt.Fprintln(shared.Stdout)
	return printRun(shared.Stdout, system, result)
}

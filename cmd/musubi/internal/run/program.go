package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/open"
	"musubi/cmd/musubi/internal/show"
	"musubi/mpi/abi/process"
	"musubi/option"
	"musubi/page"
	"musubi/report/files"
	"musubi/report/ordered"
	"musubi/sim/fabric"

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
	if err := cmp.Or(locate(f.checkProgram(command)), f.Outputs.Check(), f.draw.Check()); err != nil {
		return err
	}
	system, err := musubi.Build(f.Scenario)
	shared := cli.SharedFlags(cmd)
	if err == nil {
		err = cmp.Or(checkDrawing(f.draw, system), files.Check(system.Files()...))
	}
	if err != nil {
		return show.Refusal(shared, locate(open.HintTopology(f.Scenario, err)))
	}
	program := &process.Program{Command: command, Compute: compute, Label: f.Label == "rank", Output: shared.Stdout, Errors: shared.Stderr}
	if shared.JSON {
		program.Output = shared.Stderr // standard output is for the result
	}
	result, err := system.RunCommand(cmd.Context(), program)
	var input *musubi.InputError
	var deadlock *fabric.Deadlock
	switch {
	case errors.As(err, &input):
		return locate(err)
	case errors.Is(err, process.ErrNotCounted):
		return fmt.Errorf("--compute %s: %w", f.Compute, process.ErrNotCounted)
	case errors.As(err, &deadlock):
		return cmp.Or(drawTheDeadlock(f.draw, shared, system, deadlock), reportDeadlock(shared, system, deadlock))
	case err != nil && cmd.Context().Err() == nil:
		return &cli.ExitError{Status: cli.StatusNo, Err: err}
	case err != nil:
		return err
	}
	noteFiles(shared, system)
	if !program.Called() {
		shared.Note("no rank has called MPI, so nothing was simulated; expected a program that musubi cc, c++ or fc has compiled, or another one that loads libmpi_abi.so")
	}
	if err := printProgram(shared, system, result); err != nil {
		return err
	}
	return f.writeFiles(shared, system, result, func() *page.Page { return programPage(command, system, result) })
}

// printProgram prints the result of a program, below what the program has printed.
func printProgram(shared cli.Shared, system *musubi.System, result *musubi.Result) error {
	switch {
	case shared.JSON:
		return ordered.WriteJSON(shared.Stdout, result)
	case shared.Quiet:
		return nil
	}
	fmt.Fprintln(shared.Stdout)
	return printRun(shared.Stdout, system, result)
}

// programPage is the report of a program.
func programPage(command []string, system *musubi.System, result *musubi.Result) *page.Page {
	p := runPage(system, result, func(w io.Writer) error { return printResults(w, result) })
	p.Title = filepath.Base(command[0]) + " on " + result.Machine
	p.Question = fmt.Sprintf("What does the program %s give with %s on the simulated machine %s?", strings.Join(command, " "), cli.Plural(result.Ranks, "rank", "ranks"), result.Machine)
	return p
}

// checkProgram refuses what does not go together with a program, and a program that there is not.
func (f *Flags) checkProgram(command []string) error {
	grid, plan, err := f.Grid()
	switch s := f.Scenario; {
	case err != nil:
		return err
	case grid.Axes != nil || plan.Seeds != nil:
		return errors.New("lists of values and a program behind --; expected one value of each option")
	case s.Workload != "":
		return &musubi.InputError{Key: "workload", Err: fmt.Errorf("workload %q and a program behind --; expected one of them", s.Workload)}
	case s.Jobs != "":
		return &musubi.InputError{Key: "jobs", Err: fmt.Errorf("jobs %s and a program behind --; expected one of them", s.Jobs)}
	case f.Estimate:
		return errors.New("--estimate is of a workload; expected no program behind --")
	}
	for name := range f.Scenario.Set {
		if !strings.Contains(name, ".") {
			return &musubi.InputError{Key: "set." + name, Err: fmt.Errorf("--set %s and a program behind --, which has no parameters; expected one of the machine, such as switch.latency", name)}
		}
	}
	if err := open.CheckMachine(f.Scenario); err != nil {
		return err
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		return fmt.Errorf("program behind --: %w", err)
	}
	return nil
}

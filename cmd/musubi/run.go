package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"musubi"
	"musubi/option"
	"musubi/page"
	"musubi/report/ordered"
	"musubi/routing"
	"musubi/sim/fabric"
	"musubi/sim/machine"
	"musubi/sweep"
	"musubi/workload"

	"github.com/spf13/cobra"
)

type runFlags struct {
	scenario musubi.Scenario
	outputs  outputs
	lists    sweep.Lists // options that are given several values
	draw     drawFlags

	Estimate bool `name:"estimate" help:"say about how much memory and processor time the run takes, and do not run it"`

	Seeds   string `name:"seeds" value:"list" help:"repeat with each of these seeds, such as 1..20; results are means with 95 % intervals"`
	File    string `name:"file" short:"f" value:"file" help:"take what the flags do not say from a scenario file"`
	Compute string `name:"compute" value:"none,measured[:FACTOR]" default:"none" help:"simulated time that a program behind -- computes between its calls of MPI: none, or its processor time (times a factor)"`
	Label   string `name:"label" values:"none,rank" default:"none" help:"what comes before each line that a program behind -- writes: none or rank"`
}

func runCommand() *cobra.Command {
	f := runFlags{scenario: musubi.Usual(), Compute: "none", Label: "none"}
	cmd := &cobra.Command{
		Use:   "run WORKLOAD|-- PROGRAM [ARGUMENT...] --on MACHINE",
		Short: "Run a workload on a simulated cluster, or between processes",
		Long: `Run simulates a cluster with its network, routing, hosts and network interfaces, and
runs a workload on it. What the flags do not say comes from the machine. The routes
are proved free of deadlock before anything runs. With --on live nothing is simulated:
the ranks are processes on this host.

` + workloadHelp() + `
--set changes parameters of the workload, and of the machine: the names of those have
a dot, and "musubi machines MACHINE" lists them.

Behind -- comes a program of MPI in C, which "musubi cc" has compiled, with its arguments:
each rank is a process, whose calls of MPI take simulated time.

A scenario file given with -f holds the same in TOML: workload = "..." and the names
of the flags as keys, with a table [set]. Flags on the command line override it.

Several values of a flag, such as --routing updown,dl, -n 16,64 or --set
switch.latency=130ns,230ns, make a grid: all combinations run, and their results stand in
one table. Parameters of the workload that take lists keep them; in a file an array makes a
grid of any parameter. "musubi sweep" does more of that.

Exit status 1: the routing can deadlock and --unsafe is not given, or the simulated
network has come to a deadlock.`,
		Example: `  musubi run pingpong --on ndr --set to=each-distance
  musubi run pattern --on rhinet2 --topology torus:4x4 --routing dl
  musubi run barrier --on rhinet2 -n 16 --set switch.latency=200ns
  musubi run pingpong --on live -n 2
  musubi run barrier --on tofu2,ndr -n 16,64 --seeds 1..5
  musubi run -f scenario.toml --json
  musubi run halo --on ndr --topology fattree:k=16 --estimate
  musubi run --on tofu2 -n 64 -- ./heat -steps 100`,
		Args:              oneArgumentOrProgram,
		ValidArgsFunction: cobra.FixedCompletions(workload.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cmd.SetHelpFunc(helpOnWorkload)
	defineOptions(cmd, slices.Concat(f.lists.Options(&f.scenario), option.Of(&f), option.Of(&f.outputs), option.Of(&f.draw)))
	completeSet(cmd)
	return cmd
}

func (f *runFlags) run(cmd *cobra.Command, args []string) error {
	if cmd.ArgsLenAtDash() == 0 && len(args) > 0 {
		return f.runProgram(cmd, args)
	}
	locate, err := f.complete(cmd, args, option.Named(option.Of(f), "seeds")...)
	if err != nil {
		return err
	}
	if err := cmp.Or(f.outputs.check(), f.draw.check()); err != nil {
		return err
	}
	shared := sharedFlags(cmd)
	grid, plan, err := f.grid()
	switch {
	case err != nil:
		return locate(err)
	case (grid.Axes != nil || plan.Seeds != nil) && f.draw.Draw != "":
		return fmt.Errorf("--draw %s draws one run; expected no lists of values with it", f.draw.Draw)
	case (grid.Axes != nil || plan.Seeds != nil) && f.Estimate:
		return errors.New("--estimate is of one run; expected no lists of values with it")
	case f.Estimate:
		return estimateRun(shared, f.scenario, locate)
	case grid.Axes != nil || plan.Seeds != nil:
		return f.runGrid(cmd.Context(), shared, grid, plan, locate)
	}
	system, result, err := runScenario(cmd.Context(), shared, f.scenario, locate, f.draw)
	if err != nil {
		return err
	}
	print := func() error { return printRun(shared.stdout, system, result) }
	if shared.json {
		print = func() error { return ordered.WriteJSON(shared.stdout, result) }
	}
	if err := print(); err != nil {
		return err
	}
	about := func() *page.Page {
		return runPage(system, result, func(w io.Writer) error { return printResults(w, result) })
	}
	if err := f.outputs.writeWith(shared, result.Table(), about); err != nil || f.draw.Draw == "" {
		return err
	}
	drawing, err := drawRun(system, result)
	if err != nil {
		return err
	}
	return writeSheet(shared, f.draw.Draw, drawing)
}

// complete joins the command line and the scenario file, which may have more options than those of
// a scenario. locate says of a mistake in the scenario where it was made.
func (f *runFlags) complete(cmd *cobra.Command, args []string, more ...*option.Option) (locate func(error) error, err error) {
	if len(args) > 0 {
		f.scenario.Workload = args[0]
	}
	if f.File == "" {
		return func(err error) error { return err }, nil
	}
	document, err := readSmall(f.File)
	if err != nil {
		return nil, err
	}
	given := func(name string) bool {
		flag := cmd.Flags().Lookup(name)
		return flag != nil && flag.Changed || name == "workload" && len(args) > 0
	}
	lines, err := option.ReadTOML(f.File, document, append(f.lists.Options(&f.scenario), more...), given)
	return func(err error) error {
		var input *musubi.InputError
		if errors.As(err, &input) {
			return lines.Locate(input.Key, err)
		}
		return err
	}, err
}

// maxScenario is the size of the largest scenario file that is read, in bytes.
const maxScenario = 1 << 20

// readSmall reads a file or a pipe of at most maxScenario bytes.
func readSmall(path string) ([]byte, error) {
	var data []byte
	err := withFile(path, func(r io.Reader) (err error) {
		data, err = io.ReadAll(io.LimitReader(r, maxScenario+1))
		return err
	})
	if len(data) > maxScenario {
		return nil, fmt.Errorf("%s is too long; expected at most %d bytes", path, maxScenario)
	}
	return data, err
}

// buildScenario builds what a scenario describes, for a command. locate says of a mistake in the
// scenario where it was made.
func buildScenario(shared shared, s musubi.Scenario, locate func(error) error) (*musubi.System, error) {
	if err := checkNames(s); err != nil {
		return nil, locate(err)
	}
	system, err := musubi.Build(s)
	if err != nil {
		return nil, refusal(shared, locate(hintTopology(s, err)))
	}
	if system.Unsuited != nil {
		shared.note("%v; routing %s is used", system.Unsuited, system.Routes.Algorithm)
	}
	return system, nil
}

// runScenario runs the workload of a scenario, for a command that prints the result. locate says
// of a mistake in the scenario where it was made. A deadlock is drawn, if that is asked for.
func runScenario(ctx context.Context, shared shared, s musubi.Scenario, locate func(error) error, draw drawFlags) (*musubi.System, *musubi.Result, error) {
	system, err := buildScenario(shared, s, locate)
	if err != nil {
		return nil, nil, err
	}
	progress := startProgress(shared)
	system.Progress = progress.show
	result, err := system.RunWorkload(ctx)
	progress.finish()
	var deadlock *fabric.Deadlock
	switch {
	case errors.As(err, &deadlock):
		return nil, nil, cmp.Or(draw.deadlock(shared, system, deadlock), reportDeadlock(shared, system, deadlock))
	case err != nil:
		return nil, nil, refusal(shared, locate(err))
	}
	for _, file := range []string{s.RecordFile, s.TraceFile} {
		if file != "" {
			shared.note("wrote %s", file)
		}
	}
	return system, result, nil
}

// checkNames refuses unknown names, with a hint at what may have been meant.
func checkNames(s musubi.Scenario) error {
	if s.Workload == "" {
		return fmt.Errorf("no workload given; known are %s", strings.Join(workload.Names(), ", "))
	}
	if err := choose("workload", s.Workload, workload.Names()); err != nil && s.Machine != "" {
		return &musubi.InputError{Key: "workload", Err: err}
	}
	return checkMachine(s)
}

// checkMachine checks the names in a scenario that are not of its workload.
func checkMachine(s musubi.Scenario) error {
	if s.Machine == "" {
		return fmt.Errorf("no machine given; expected --on with one of %s, %s, or a .toml file", strings.Join(machine.Names(), ", "), musubi.Live)
	}
	if s.Machine != musubi.Live {
		if _, err := loadMachine(s.Machine); err != nil {
			return &musubi.InputError{Key: "on", Err: err}
		}
	}
	if s.Routing != "" {
		if err := choose("routing", s.Routing, routing.Names()); err != nil {
			return &musubi.InputError{Key: "routing", Err: err}
		}
	}
	return checkSelection(s)
}

// checkSelection refuses an unknown path selection.
func checkSelection(s musubi.Scenario) error {
	if s.Selection != "" {
		if err := choose("path selection", s.Selection, routing.SelectionNames()); err != nil {
			return &musubi.InputError{Key: "selection", Err: err}
		}
	}
	return nil
}

// hintTopology adds a hint to an error about a network whose name is misspelt.
func hintTopology(s musubi.Scenario, err error) error {
	var input *musubi.InputError
	if !errors.As(err, &input) || input.Key != "topology" {
		return err
	}
	return fmt.Errorf("%w%s", err, nearTopology(s.Topology))
}

// refusal prints what stands behind the refusal of routes, and returns other
// errors as they are.
func refusal(s shared, err error) error {
	var unsafe *musubi.UnsafeError
	if !errors.As(err, &unsafe) {
		return err
	}
	fmt.Fprintln(s.stderr, "musubi:", err)
	if s.json || unsafe.Proof.DeadlockFree() {
		return errNo
	}
	if err := printCycle(s.stdout, unsafe.Proof, unsafe.Proof.Cycle); err != nil {
		return err
	}
	s.note("--unsafe runs it nevertheless")
	return errNo
}

package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/open"
	"musubi/cmd/musubi/internal/show"
	"musubi/live"
	"musubi/option"
	"musubi/page"
	"musubi/report/ordered"
	"musubi/sim/fabric"
	"musubi/sweep"
	"musubi/workload/programs"

	"github.com/spf13/cobra"
)

// Flags are the options of run; sweep has some of them.
type Flags struct {
	Scenario musubi.Scenario
	Outputs  cli.Outputs
	Lists    sweep.Lists // options that are given several values
	draw     show.Drawing

	Estimate bool `name:"estimate" help:"say about how much memory and processor time the run takes, and do not run it"`

	Seeds   string `name:"seeds" value:"list" help:"repeat with each of these seeds, such as 1..20; results are means with 95 % intervals"`
	File    string `name:"file" short:"f" value:"file" help:"take what the flags do not say from a scenario file"`
	Compute string `name:"compute" value:"none,measured[:FACTOR],RATE" default:"none" help:"simulated time that a program behind -- computes between its calls of MPI: none, its processor time (times a factor), or its basic blocks at RATE per second, which it counts if compiled with -fsanitize-coverage=trace-pc"`
	Label   string `name:"label" values:"none,rank" default:"none" help:"what comes before each line that a program behind -- writes: none or rank"`
}

// Command is the subcommand run.
func Command() *cobra.Command {
	f := Flags{Scenario: musubi.Usual(), Compute: "none", Label: "none"}
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
		ValidArgsFunction: cobra.FixedCompletions(programs.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cmd.SetHelpFunc(helpOnWorkload)
	cli.DefineOptions(cmd, slices.Concat(f.Lists.Options(&f.Scenario), option.Of(&f), option.Of(&f.Outputs), option.Of(&f.draw)))
	completeSet(cmd)
	return cmd
}

func (f *Flags) run(cmd *cobra.Command, args []string) error {
	if cmd.ArgsLenAtDash() == 0 && len(args) > 0 {
		return f.runProgram(cmd, args)
	}
	for _, name := range []string{"compute", "label"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is for a program behind --, and none is given", name)
		}
	}
	locate, err := f.Complete(cmd, args, option.Named(option.Of(f), "seeds")...)
	if err != nil {
		return err
	}
	if err := cmp.Or(f.Outputs.Check(), f.draw.Check()); err != nil {
		return err
	}
	shared := cli.SharedFlags(cmd)
	grid, plan, err := f.Grid()
	switch {
	case err != nil:
		return locate(err)
	case (grid.Axes != nil || plan.Seeds != nil) && f.draw.Draw != "":
		return fmt.Errorf("--draw %s draws one run; expected no lists of values with it", f.draw.Draw)
	case (grid.Axes != nil || plan.Seeds != nil) && f.Estimate:
		return errors.New("--estimate is of one run; expected no lists of values with it")
	case f.Estimate:
		return estimateRun(shared, f.Scenario, locate)
	case grid.Axes != nil || plan.Seeds != nil:
		return f.runGrid(cmd.Context(), shared, grid, plan, locate)
	}
	system, result, err := runScenario(cmd.Context(), shared, f.Scenario, locate, f.draw)
	if err != nil {
		return err
	}
	print := func() error { return printRun(shared.Stdout, system, result) }
	if shared.JSON {
		print = func() error { return ordered.WriteJSON(shared.Stdout, result) }
	}
	if err := print(); err != nil {
		return err
	}
	return f.writeFiles(shared, system, result, func() *page.Page {
		return runPage(system, result, func(w io.Writer) error { return printResults(w, result) })
	})
}

// writeFiles writes the files that are asked for of a result.
func (f *Flags) writeFiles(shared cli.Shared, system *musubi.System, result *musubi.Result, about func() *page.Page) error {
	if err := f.Outputs.WriteWith(shared, result.Table(), about); err != nil || f.draw.Draw == "" {
		return err
	}
	drawing, err := drawRun(system, result)
	if err != nil {
		return err
	}
	return cli.WriteSheet(shared, f.draw.Draw, drawing)
}

// Complete joins the command line and the scenario file, which may have more options than those of
// a scenario. locate says of a mistake in the scenario where it was made.
func (f *Flags) Complete(cmd *cobra.Command, args []string, more ...*option.Option) (locate func(error) error, err error) {
	if len(args) > 0 {
		f.Scenario.Workload = args[0]
	}
	if f.File == "" {
		return func(err error) error { return err }, nil
	}
	document, err := cli.ReadSmall(f.File)
	if err != nil {
		return nil, err
	}
	given := func(name string) bool {
		flag := cmd.Flags().Lookup(name)
		return flag != nil && flag.Changed || name == "workload" && len(args) > 0
	}
	lines, err := option.ReadTOML(f.File, document, append(f.Lists.Options(&f.Scenario), more...), given)
	return func(err error) error {
		var input *musubi.InputError
		if errors.As(err, &input) {
			return lines.Locate(input.Key, err)
		}
		return err
	}, err
}

// buildScenario builds what a scenario describes, for a command. locate says of a mistake in the
// scenario where it was made.
func buildScenario(shared cli.Shared, s musubi.Scenario, locate func(error) error) (*musubi.System, error) {
	if err := open.CheckNames(s); err != nil {
		return nil, locate(err)
	}
	system, err := musubi.Build(s)
	if err != nil {
		return nil, show.Refusal(shared, locate(open.HintTopology(s, err)))
	}
	if system.Unsuited != nil {
		shared.Note("%v; routing %s is used", system.Unsuited, system.Routes.Algorithm)
	}
	return system, nil
}

// runScenario runs the workload of a scenario, for a command that prints the result. locate says
// of a mistake in the scenario where it was made. A deadlock is drawn, if that is asked for.
func runScenario(ctx context.Context, shared cli.Shared, s musubi.Scenario, locate func(error) error, draw show.Drawing) (*musubi.System, *musubi.Result, error) {
	system, err := buildScenario(shared, s, locate)
	if err == nil {
		err = checkDrawing(draw, system)
	}
	if err != nil {
		return nil, nil, err
	}
	progressed := shared
	progressed.Quiet = shared.Quiet || system.IsLive() && live.Inside() // who has started the ranks shows it, and not each of them
	progress := cli.StartProgress(progressed, costOf(system))
	system.Progress = progress.Show
	result, err := system.RunWorkload(ctx)
	progress.Finish()
	var deadlock *fabric.Deadlock
	switch {
	case errors.As(err, &deadlock):
		return nil, nil, cmp.Or(drawTheDeadlock(draw, shared, system, deadlock), reportDeadlock(shared, system, deadlock))
	case err != nil:
		return nil, nil, show.Refusal(shared, locate(err))
	}
	noteFiles(shared, system)
	return system, result, nil
}

// noteFiles tells which files a run has written by itself.
func noteFiles(shared cli.Shared, system *musubi.System) {
	for _, file := range system.Files() {
		shared.Note("wrote %s", file)
	}
}

package sweeps

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/grid"
	"musubi/cmd/musubi/internal/run"
	"musubi/option"
	"musubi/sweep"
	"musubi/sweep/queue"
	"musubi/sweep/store"
	"musubi/workload/programs"

	"github.com/spf13/cobra"
)

// sweepFlags are those of run, and how many runs there are to be, where and for how long.
type sweepFlags struct {
	run    run.Flags
	repeat grid.RepeatFlags

	Store   string `name:"store" value:"file" help:"file that keeps the results, a SQLite database; default: the sweep file with the ending .db, or sweep.db"`
	Workers int    `name:"workers" help:"runs beside each other on this computer; 0 means one per processor, or with --nats and --listen none"`
	NATS    string `name:"nats" value:"URL" help:"let \"musubi worker\" carry the runs out, by the NATS server of this URL, with JetStream"`
	Listen  string `name:"listen" value:"address" help:"let \"musubi worker\" carry the runs out, by a server in this process that listens at an address such as host:4222"`
}

// Command is the subcommand sweep.
func Command() *cobra.Command {
	f := sweepFlags{run: run.Flags{Scenario: musubi.Usual()}}
	cmd := &cobra.Command{
		Use:   "sweep [WORKLOAD] -f SWEEP",
		Short: "Run a grid of scenarios, stop and go on, on one computer or many",
		Long: `Sweep runs a grid of scenarios, as "musubi run" does where flags have several values, and keeps each
result in a file as soon as it is there. A sweep that was stopped, in whatever way, goes on with the
same command. Runs are named by the hash of the scenario and of the version of this program, so
results of other versions do not count.

A sweep file given with -f is a scenario file. Arrays make the grid, and the keys seeds, until, of and
loads say how often and at which loads each point runs.

With --nats or --listen workers on other computers carry the runs out, see "musubi worker --help".

Exit status 1: a routing can deadlock.`,
		Example: `  musubi sweep -f sweep.toml
  musubi sweep pattern --on rhinet2 --routing updown,dl --set loop=open \
      --loads 0.02..1:0.02 --until 2%
  musubi sweep -f sweep.toml --listen 10.0.0.1:4222`,
		Args:              cli.AtMostOneArgument,
		ValidArgsFunction: cobra.FixedCompletions(programs.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.sweep(cmd, args) },
	}
	cli.DefineOptions(cmd, slices.Concat(f.run.Lists.Options(&f.run.Scenario), option.Named(option.Of(&f.run), "seeds", "file"), option.Of(&f.repeat), option.Of(&f), option.Of(&f.run.Outputs)))
	return cmd
}

func (f *sweepFlags) sweep(cmd *cobra.Command, args []string) error {
	locate, err := f.run.Complete(cmd, args, append(option.Named(option.Of(&f.run), "seeds"), option.Of(&f.repeat)...)...)
	if err != nil {
		return err
	}
	if err := errors.Join(f.run.Outputs.Check(), f.check()); err != nil {
		return err
	}
	g, plan, err := f.run.Grid()
	if err == nil {
		err = f.repeat.Complete(&g, &plan)
	}
	if err != nil {
		return locate(err)
	}
	if err := grid.Check(g, locate); err != nil {
		return err
	}
	version, err := programVersion()
	if err != nil {
		return err
	}
	kept, err := store.Open(f.store())
	if err != nil {
		return err
	}
	defer kept.Close()
	sw, err := sweep.New(g, plan, version, kept)
	if err != nil {
		return locate(err)
	}
	s := cli.SharedFlags(cmd)
	err = grid.CarryOut(cmd.Context(), s, sw, func(ctx context.Context) (sweep.Executor, error) { return f.executor(ctx, s, g, version) })
	if n, errCount := kept.Count(); cmd.Context().Err() != nil && errCount == nil {
		s.Note("%s keeps %s; the same command goes on", f.store(), cli.Plural(n, "result", "results"))
	}
	if err != nil {
		return err
	}
	return grid.Finish(&f.run.Outputs, s, g, sw)
}

func (f *sweepFlags) check() error {
	switch {
	case f.NATS != "" && f.Listen != "":
		return errors.New("--nats and --listen name two servers; expected one of them")
	case f.Workers < 0:
		return fmt.Errorf("--workers %d; expected 0 or more", f.Workers)
	}
	return nil
}

// store returns the name of the file that keeps the results.
func (f *sweepFlags) store() string {
	switch {
	case f.Store != "":
		return f.Store
	case f.run.File != "":
		return strings.TrimSuffix(f.run.File, filepath.Ext(f.run.File)) + ".db"
	}
	return "sweep.db"
}

// executor returns what carries the runs out: this process, workers of a server, or both.
func (f *sweepFlags) executor(ctx context.Context, s cli.Shared, g sweep.Grid, version string) (sweep.Executor, error) {
	url := f.NATS
	switch {
	case f.Listen != "":
		server, err := queue.Serve(f.Listen, f.store()+".queue")
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, server.Close)
		url = server.URL
		s.Note("workers are started by: musubi worker --nats %s", url)
	case url == "":
		n := f.Workers
		if n == 0 {
			n = grid.Workers(g)
		}
		return sweep.NewPool(ctx, n, grid.Run), nil
	}
	q, err := queue.Dial(ctx, url, queueVersion(version))
	if err == nil && f.Workers > 0 {
		go func() { _ = queue.Work(ctx, url, queueVersion(version), f.Workers, sweep.Run) }()
	}
	return q, err
}

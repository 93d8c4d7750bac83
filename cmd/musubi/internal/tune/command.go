// Package tune has the subcommand tune: it measures the algorithms of collective operations.
package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/mpi"
	"musubi/option"
	"musubi/report/files"
	"musubi/sim/machine"
	"musubi/units"

	"github.com/spf13/cobra"
)

// flags are the flags of tune.
type flags struct {
	On         string `name:"on" help:"machine, or live for processes on this host"`
	Topology   string `name:"topology" help:"network, instead of that of the machine"`
	Place      string `name:"place" help:"where ranks run, see \"musubi run --help\": block:4 lets four share a host"`
	Transport  string `name:"transport" help:"with --on live, way of the data: auto, shm, tcp or unix"`
	Tuning     string `name:"tuning" default:"what comes along for the machine" help:"let auto choose by this file of measurements, or by none, to see how good it is"`
	Ranks      string `name:"ranks" short:"n" value:"list" help:"numbers of ranks"`
	Bytes      string `name:"bytes" value:"list" help:"bytes of each rank; operations with parts for all ranks leave out what makes more than 4 MiB of a rank"`
	Operations string `name:"operation" value:"list" help:"operations, or all"`
	Iterations int    `name:"iterations" short:"i" help:"operations measured of each kind"`
	Warmup     int    `name:"warmup" short:"x" help:"operations before"`
	Rounds     int    `name:"rounds" default:"5 with --on live, else 1" help:"how often each algorithm is measured, in turn with the others; the shortest time counts"`
	Output     string `name:"output" value:"file" help:"write the measurements to a file, for --tuning and MUSUBI_TUNING"`
	Renew      string `name:"renew" value:"file" help:"measure again what a file holds, by the commands at its head, and write it anew"`
	All        bool   `name:"all" help:"print all cases, not only those in which auto is more than 10 % off"`
}

// usual are the flags of which nothing is said.
func usual() flags {
	return flags{On: "ndr", Ranks: "2,4,8,16,32,64", Bytes: "8,64,512,4KiB,32KiB,256KiB,1MiB", Operations: "all", Iterations: 2, Warmup: 2}
}

// Command is the subcommand tune.
func Command() *cobra.Command {
	f := usual()
	cmd := &cobra.Command{
		Use:   "tune [--on MACHINE|live] [--output FILE]",
		Short: "Measure which algorithms of collective operations are the fastest",
		Long: `Tune measures each collective operation of package mpi by each of its algorithms, and by
"auto", which package mpi chooses, for some numbers of ranks and bytes. It prints where auto is more
than 10 % slower than the best algorithm, and in how many cases it is not.

Measurements of the built-in machines come along, and auto chooses by them. --output writes what was
measured now. Runs and jobs choose by it if --tuning names the file, or if the environment variable
MUSUBI_TUNING does, for processes. Between the numbers that were measured a model of cost tells: the
time of an algorithm is a power of bytes and of ranks.

On simulated machines the result does not depend on where tune runs. With --on live it does: measure
with as many ranks for each processor as jobs will have, and take hundreds of iterations. The algorithms
take turns, so that what disturbs the host for a while disturbs all of them, and the shortest time of
each counts. Where there are several rounds tune tells how much "auto" and the best algorithm scatter:
how many times as long they take in one half of the rounds as in the other. A case that is off by no
more than that tells nothing, and is counted by itself. The file says how many processors the host has.

An interrupt keeps what has been measured: tune prints it, writes it to the file of --output with
".partial" behind its name, and says what is missing.

A file has the command that measured it at its head, or several, of which later ones count where they
measure the same. --renew carries them out again, and tells how many times have changed.`,
		Example: `  musubi tune --on ndr --output ndr.tuning
  musubi tune --on ndr --tuning none
  musubi tune --on live -n 2,4 -i 1000 -x 1000 --output host.tuning
  musubi tune --renew host.tuning`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	own := option.Of(&f)
	option.Named(own, "on")[0].Know(append(machine.Names(), musubi.Live))
	cli.DefineOptions(cmd, own)
	return cmd
}

// plan is what is to be measured.
type plan struct {
	ranks, bytes []int
	operations   []string
}

func (f *flags) plan() (p plan, err error) {
	if f.Iterations < 1 || f.Warmup < 0 {
		return p, fmt.Errorf("%d iterations after %d; expected at least 1 after at least 0", f.Iterations, f.Warmup)
	}
	if f.Rounds < 0 {
		return p, fmt.Errorf("--rounds is %d; expected at least 1", f.Rounds)
	}
	p.ranks, err = numbers("ranks", f.Ranks, func(s string) (int, error) { return strconv.Atoi(s) })
	if err != nil {
		return p, err
	}
	p.bytes, err = numbers("bytes", f.Bytes, func(s string) (int, error) {
		n, err := units.ParseBytes(s)
		return int(n), err
	})
	if err != nil {
		return p, err
	}
	if p.operations = mpi.Operations(); f.Operations != "all" {
		p.operations = strings.Split(f.Operations, ",")
	}
	for _, o := range p.operations {
		if err := cli.Choose("operation", o, mpi.Operations()); err != nil {
			return p, err
		}
	}
	return p, nil
}

// numbers reads a list of numbers from 1.
func numbers(name, list string, parse func(string) (int, error)) (all []int, err error) {
	for _, text := range strings.Split(list, ",") {
		n, err := parse(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("--%s is %q; expected numbers from 1, with commas between", name, list)
		}
		all = append(all, n)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// command returns a command line that measures the same.
func (f *flags) command() string {
	line := fmt.Sprintf("musubi tune --on %s --ranks %s --bytes %s --operation %s -i %d -x %d", f.On, f.Ranks, f.Bytes, f.Operations, f.Iterations, f.Warmup)
	for _, option := range []struct{ flag, value string }{{"topology", f.Topology}, {"place", f.Place}, {"transport", f.Transport}, {"tuning", f.Tuning}} {
		if option.value != "" {
			line += " --" + option.flag + " " + option.value
		}
	}
	if f.Rounds > 0 {
		line += fmt.Sprintf(" --rounds %d", f.Rounds)
	}
	return line
}

// usualRounds is how often processes are measured: of so many at least one is hardly disturbed.
const usualRounds = 5

// rounds returns how often each algorithm is measured.
func (f *flags) rounds() int {
	switch {
	case f.Rounds > 0:
		return f.Rounds
	case f.On == musubi.Live:
		return usualRounds
	}
	return 1
}

func (f *flags) run(cmd *cobra.Command) error {
	shared := cli.SharedFlags(cmd)
	if f.Renew != "" {
		return f.renew(cmd, shared)
	}
	plan, err := f.plan()
	if err := cmp.Or(err, files.Check(f.Output)); err != nil {
		return err
	}
	m := &measurements{}
	ranks, operation, err := f.measureAll(cmd.Context(), m, &plan, shared)
	if interrupted := cmd.Context().Err(); err != nil && interrupted != nil {
		return errors.Join(interrupted, f.keep(shared, m, plan.rest(ranks, operation)))
	}
	if err != nil {
		return err
	}
	r := m.judge(f.On)
	if len(r.Cases) == 0 {
		return errors.New("nothing was measured; expected fewer ranks or bytes: operations with parts for all ranks leave out what makes more than 4 MiB of a rank")
	}
	if f.Output != "" {
		if err := files.Write(f.Output, func(w io.Writer) error { return m.all.Choices().Write(w, f.command()) }); err != nil {
			return err
		}
		shared.Note("wrote %s", f.Output)
	}
	return f.report(shared, r)
}

// measureAll adds what a plan says, in place of what has been measured of the same before. If it fails, it returns how far it has come.
func (f *flags) measureAll(ctx context.Context, m *measurements, p *plan, shared cli.Shared) (i, j int, err error) {
	if f.On == musubi.Live {
		m.all.Processors = runtime.NumCPU()
	}
	for i, ranks := range p.ranks {
		for j, operation := range p.operations {
			if err := f.measure(ctx, m, operation, ranks, p.bytes); err != nil {
				return i, j, fmt.Errorf("%s of %d ranks: %w", operation, ranks, err)
			}
		}
		shared.Note("measured %d ranks", ranks)
	}
	return len(p.ranks), 0, nil
}

package run

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/cmd/musubi/internal/tabulate"
	"musubi/live"
	"musubi/option"
	"musubi/page"
	"musubi/report/ordered"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/osu"

	"github.com/spf13/cobra"
)

// benchWorkload is what benchmarks are tests of.
const benchWorkload = "osu"

type benchFlags struct {
	scenario musubi.Scenario
	outputs  cli.Outputs

	Sizes      string `name:"message-size" short:"m" value:"MIN:MAX" help:"sizes of messages: these and the powers of two between; empty means as far as the original goes"`
	Iterations int    `name:"iterations" short:"i" help:"iterations measured of each size"`
	Warmup     int    `name:"warmup" short:"x" help:"iterations before"`
	Window     int    `name:"window-size" short:"W" help:"messages or accesses under way at once, of tests of bandwidth"`
	Full       bool   `name:"full" help:"of collective operations also the least and the longest time of a rank, and the iterations"`
}

// Bench is the subcommand bench.
func Bench() *cobra.Command {
	f := benchFlags{scenario: musubi.Usual(), Window: 64}
	f.scenario.Machine, f.scenario.Ranks = "ndr", 2
	cmd := &cobra.Command{
		Use:   "bench TEST",
		Short: "Run a test of the OSU micro-benchmarks",
		Long: `Bench measures message passing as the programs of the OSU micro-benchmarks do, on
package mpi, and prints what they print. Tests of messages between two ranks are
latency, bw (bandwidth), bibw (in both directions) and mbw_mr (several pairs, and the
message rate). Tests of windows, which rank 0 accesses at rank 1, are put, get, acc
(accumulate), get_acc, fop (fetch and op), cas (compare and swap), put_bw, get_bw and
put_bibw. The others are collective operations, such as allreduce; a wrong name
lists them.

On simulated machines a test measures a hundredth as often as the original, as
simulated time does not scatter, and with --on live as often. --set takes parameters of
the workload "osu", see "musubi run osu --help", and of the machine.`,
		Example: `  musubi bench latency
  musubi bench allreduce -n 16 --full -m 8:64KiB
  musubi bench bw --on live`,
		Args:              cli.AtMostOneArgument,
		ValidArgsFunction: cobra.FixedCompletions(osu.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cli.DefineOptions(cmd, slices.Concat(f.scenario.Options(), option.Of(&f), option.Of(&f.outputs)))
	return cmd
}

func (f *benchFlags) run(cmd *cobra.Command, args []string) error {
	shared := cli.SharedFlags(cmd)
	if len(args) == 0 {
		return fmt.Errorf("no test given; known are %s", strings.Join(osu.Names(), ", "))
	}
	if err := cli.Choose("test", args[0], osu.Names()); err != nil {
		if name := osu.OfProgram(args[0]); name != "" {
			return fmt.Errorf("unknown test %q; \"musubi bench %s\" measures as this program does", args[0], name)
		}
		return err
	}
	if err := f.complete(cmd, args[0]); err != nil {
		return err
	}
	if err := f.outputs.Check(); err != nil {
		return err
	}
	system, result, err := runScenario(cmd.Context(), shared, f.scenario, f.explain, show.Drawing{})
	if err != nil {
		return err
	}
	print := func() error { return f.print(shared.Stdout, args[0], result) }
	if shared.JSON {
		print = func() error { return ordered.WriteJSON(shared.Stdout, result) }
	}
	if err := print(); err != nil {
		return err
	}
	about := func() *page.Page {
		p := runPage(system, result, func(w io.Writer) error { return f.print(w, args[0], result) })
		p.Title = "bench " + args[0] + " on " + result.Machine
		return p
	}
	return f.outputs.WriteWith(shared, result.Table(), about)
}

// print prints the results of a test, and the steps of messages.
func (f *benchFlags) print(w io.Writer, test string, result *musubi.Result) error {
	if err := printBench(w, newBench(test, result, f)); err != nil {
		return err
	}
	_, stages := tabulate.SplitStages(result.Rows)
	return tabulate.PrintStages(w, stages)
}

// complete makes a scenario of the flags.
func (f *benchFlags) complete(cmd *cobra.Command, test string) error {
	s := &f.scenario
	s.Workload = benchWorkload
	set := map[string]string{"test": test}
	if s.Machine == musubi.Live {
		set["runs"] = "osu"
		if !cmd.Flags().Changed("ranks") && live.Inside() {
			s.Ranks = 0 // as many as have been started
		}
	}
	for _, number := range []struct {
		flag, param string
		value       int
	}{{"iterations", "iterations", f.Iterations}, {"warmup", "warmup", f.Warmup}, {"window-size", "window", f.Window}} {
		if cmd.Flags().Changed(number.flag) {
			set[number.param] = strconv.Itoa(number.value)
		}
	}
	if f.Sizes != "" {
		least, most, found := strings.Cut(f.Sizes, ":")
		if !found || !areSizes(least, most) {
			return fmt.Errorf("-m %s; expected the least and the largest size, such as 8:64KiB, of 1B to %v", f.Sizes, units.Bytes(workload.MaxSize))
		}
		set["bytes"] = least + ".." + most
	}
	maps.Copy(set, s.Set)
	s.Set = set
	return nil
}

// areSizes reports whether two sizes are the least and the largest of a test.
func areSizes(least, most string) bool {
	from, err := units.ParseBytes(least)
	to, failed := units.ParseBytes(most)
	return err == nil && failed == nil && 1 <= from && from <= to && to <= workload.MaxSize
}

// benchFlagOf says which flag sets a parameter of the workload.
var benchFlagOf = map[string]string{"set.bytes": "-m", "set.iterations": "-i", "set.warmup": "-x", "set.window": "-W"}

// explain puts the flag before an error about what it has set.
func (f *benchFlags) explain(err error) error {
	var input *musubi.InputError
	if errors.As(err, &input) && benchFlagOf[input.Key] != "" {
		return fmt.Errorf("%s: %w", benchFlagOf[input.Key], err)
	}
	return err
}

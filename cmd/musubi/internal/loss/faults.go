package loss

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/open"
	"musubi/option"
	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/routing/change"
	"musubi/routing/faults"
	"musubi/routing/nexthop"
	"musubi/routing/tables"
	"musubi/sim/machine"
	"musubi/topology"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

// Reactions to failures.
const (
	byRepair  = "repair"
	byRouting = "routing"
)

type faultsFlags struct {
	scenario musubi.Scenario
	tables   tableFlags
	cli.Outputs

	Routing string `name:"routing" help:"the routing that the fabric has, instead of --previous: {names}"`
	React   string `name:"react" help:"what follows a failure: repair the entries that used what has gone, as reroute does, or compute the routing anew: {names}"`
	Double  bool   `name:"double" help:"let two links or switches fail together, all pairs of them"`
	Top     int    `name:"top" help:"how many of the worst failures to show; 0: all"`
}

// Faults is the subcommand faults.
func Faults() *cobra.Command {
	f := faultsFlags{scenario: musubi.Usual(), React: byRepair, Top: 16}
	cmd := &cobra.Command{
		Use:   "faults --topology FILE {--previous TABLES | --routing NAME}",
		Short: "Find out what each failure of a link or switch costs",
		Long: `Faults lets each link between switches and each switch fail, one at a time or with
--double two at a time, and says what comes of it, the worst first: pairs of hosts that
are left and cannot reach each other, whether a repair keeps the fabric free of deadlock,
and the load of the busiest link.

After a failure the entries that used what has gone are repaired, see reroute. The repair is
kept, if the new entries bring no dependency among channels that was not there;
widened, if they bring some, and no cycle; unordered, if switches may have to change in an
order; anew, if all entries have to change. With --react routing the routing is computed
anew instead, and the outcome can be a deadlock. So it is with routings whose packets choose
as they go, such as ugal, of which no load is known.

The files of --output and --report have all single failures, whatever --top says. An
interrupt shows and writes what is done, to files with .partial before their ending.

Exit status 1: some failure leaves hosts that are still connected without a path, or the
routes can deadlock.`,
		Example: `  musubi faults --topology fabric.ibnetdiscover --previous opensm-lfts.dump
  musubi faults --topology torus:4x4 --routing lash --double
  musubi faults --topology fattree:k=4 --routing minimal --react routing --json
  musubi faults --topology torus:4x4 --routing lash --report faults.html --output faults.csv`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	own := append(option.Of(&f.tables), option.Of(&f)...)
	option.Named(own, "routing")[0].Know(musubi.RoutingNames())
	option.Named(own, "react")[0].Know([]string{byRepair, byRouting})
	cli.DefineOptions(cmd, append(option.Named(f.scenario.Options(), "topology", "part", "hosts", "vcs", "selection", "root", "seed"), own...))
	return cmd
}

func (f *faultsFlags) run(cmd *cobra.Command) error {
	if err := errors.Join(f.check(), f.Outputs.Check()); err != nil {
		return err
	}
	net, err := open.Network(f.scenario, new(machine.Machine))
	if err != nil {
		return err
	}
	if len(faults.Items(net)) == 0 {
		return fmt.Errorf("%s has no link between switches that could fail", net.Name)
	}
	s := cli.SharedFlags(cmd)
	preparing := cli.StartProgress(s, "")
	preparing.Draw("routing while nothing fails", 0)
	react, err := f.reaction(s, net)
	if err != nil {
		preparing.Finish()
		return err
	}
	began := time.Now()
	v := &survey{net: net, flags: f, intact: react.Cost(topology.NewLoss())}
	preparing.Finish()
	if f.React == byRouting {
		noteTime(s, time.Since(began), faults.Count(net, f.Double))
	}
	bar := cli.StartProgress(s, "")
	v.Survey = faults.Run(cmd.Context(), net, react, f.Double, f.keeps(), func(done float64) { bar.Draw("failures", done) })
	bar.Finish()
	if v.Done > 0 || !v.interrupted() {
		if err := v.print(s); err != nil {
			return err
		}
	}
	if err := v.write(s); err != nil {
		return err
	}
	if err := cmd.Context().Err(); err != nil {
		s.Note("interrupted after %d of %d failures", v.Done, v.All)
		return err
	}
	return cli.Answer(v.ok())
}

// noteTime says what is ahead, if routings take long: one has been computed.
func noteTime(s cli.Shared, one time.Duration, failures int64) {
	whole := one * time.Duration(failures) / time.Duration(runtime.GOMAXPROCS(0))
	if whole > time.Minute {
		s.Note("a routing takes %.2g s here, so %d failures take about %.0f minutes; --react repair is much faster, and an interrupt shows what is done",
			one.Seconds(), failures, math.Ceil(whole.Minutes()))
	}
}

// fits refuses what takes more memory than is free, and says what is ahead, if that is much.
func (f *faultsFlags) fits(s cli.Shared, net *topology.Network, a *routing.Algorithm, opt routing.Options) error {
	const much = 1e9
	cores := 1
	if f.React == byRouting {
		cores = runtime.GOMAXPROCS(0)
	}
	need, err := a.CheckHeap(net, opt, cores)
	switch {
	case err != nil && cores > 1:
		return fmt.Errorf("routings on %d cores at a time: %w, or a lower GOMAXPROCS", cores, err)
	case err != nil:
		return err
	case need > much && cores > 1:
		s.Note("routings on %d cores at a time take about %s of memory", cores, humanize.Bytes(uint64(need)))
	case need > much:
		s.Note("the routing takes about %s of memory", humanize.Bytes(uint64(need)))
	}
	return nil
}

// check refuses flags that do not go together.
func (f *faultsFlags) check() error {
	switch {
	case f.scenario.Topology == "":
		return errors.New("no network given; expected --topology with a file, or a name such as torus:4x4")
	case (f.tables.Previous == "") == (f.Routing == ""):
		return errors.New("expected one of --previous with the tables that the fabric has, and --routing with the name of a routing")
	case f.React == byRouting && f.Routing == "":
		return errors.New("--react routing without --routing; expected the name of the routing that is computed anew")
	case f.Top < 0:
		return fmt.Errorf("--top %d; expected how many failures to show, or 0 for all", f.Top)
	}
	if err := cli.Choose("reaction", f.React, []string{byRepair, byRouting}); err != nil {
		return err
	}
	if f.Routing == "" {
		return nil
	}
	return cli.Choose("routing", f.Routing, musubi.RoutingNames())
}

// chooses reports whether packets choose as they go.
func (f *faultsFlags) chooses() bool { return adaptive.Has(f.Routing) }

// anew reports whether the routing is computed anew after a failure.
func (f *faultsFlags) anew() bool { return f.React == byRouting || f.chooses() }

// reaction is what follows a failure.
func (f *faultsFlags) reaction(s cli.Shared, net *topology.Network) (faults.Reaction, error) {
	if f.Routing == "" {
		old, err := f.tables.read(net)
		if err != nil {
			return nil, err
		}
		return faults.Repairing(old), nil
	}
	if f.chooses() {
		return faults.Choosing(net, func(left *topology.Network) (*nexthop.Proof, error) {
			scheme, err := adaptive.Build(f.Routing, left, adaptive.Options{Seed: f.scenario.Seed})
			if err != nil {
				return nil, err
			}
			return adaptive.Prove(scheme), nil
		}), nil
	}
	if err := open.CheckSelection(f.scenario); err != nil {
		return nil, err
	}
	opt, err := f.scenario.RoutingOptions(net, new(machine.Machine))
	if err != nil {
		return nil, err
	}
	a, err := routing.Lookup(f.Routing)
	if err != nil {
		return nil, err
	}
	opt.DestinationOnly = f.React == byRepair
	if err := f.fits(s, net, a, opt); err != nil {
		return nil, err
	}
	if f.React == byRouting {
		return faults.Routing(net, a, opt), nil
	}
	routes, err := a.Build(net, opt)
	if err != nil {
		return nil, err
	}
	t, err := tables.NewInfiniBand(routes)
	if err != nil {
		return nil, err
	}
	return faults.Repairing(change.Read(t)), nil
}

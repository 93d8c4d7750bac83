package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/grid"
	"musubi/cmd/musubi/internal/open"
	sized "musubi/comparison"
	"musubi/option"
	"musubi/page"
	"musubi/report/ordered"
	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/sim/machine"
	"musubi/sweep"
	"musubi/topology"
	"musubi/workload/programs"

	"github.com/spf13/cobra"
)

type compareFlags struct {
	scenario musubi.Scenario
	cli.Outputs

	Size     int      `name:"size" help:"number of hosts, of which each runs a rank"`
	Networks string   `name:"topology" help:"networks, with commas between them: kinds ({names}), of which the smallest of the size is taken, or names with their sizes"`
	Routings string   `name:"routing" help:"routings, with commas between them: {names}"`
	Jobs     []string `name:"job" value:"WORKLOAD:NAME=VALUE,..." help:"workload to time, with its parameters; repeatable; default: an allreduce and a halo exchange of 64 KiB"`
	Prices   string   `name:"prices" value:"file" help:"price file, for cost and power: a source, a currency, and price and watts of each [switch], [port], [cable], [host-cable] and [host]"`
}

// usualJobs are what is timed if nobody says otherwise.
var usualJobs = []string{
	"collective:operation=allreduce,bytes=64KiB,iterations=1,warmup=1",
	"halo:stencil=3d,bytes=64KiB,iterations=2,warmup=1",
}

// Loads that are tried to find saturation, and packets of each host at each.
const (
	lowestLoad      = "0.1"
	comparedLoads   = lowestLoad + "..1:0.1"
	comparedPackets = 50
)

// Command is the subcommand compare.
func Command() *cobra.Command {
	f := compareFlags{scenario: musubi.Usual(), Size: 1024, Networks: "fattree,dragonfly,torus", Routings: "updown,lash"}
	f.scenario.Machine = "ndr"
	cmd := &cobra.Command{
		Use:   "compare [--size HOSTS] [--topology NAME,...] [--routing NAME,...]",
		Short: "Compare networks of one size: times, saturation, parts, cost, failures",
		Long: `Compare sets networks and routings beside each other, with the interfaces and switches of one machine:
what the networks are built of, and what that costs; how far hosts are apart; the load of uniform traffic
at which the network saturates; the time of jobs; and what the failure of a link or a switch does.

Saturation is the highest load carried of ` + comparedLoads + `, as a fraction of a link. A failure is told by
the largest load of a channel after the network is routed again, as a multiple of that before, at worst
of four links and four switches that are spread over the network. Where packets choose their way as they
go (ugal, adaptive and so on) lengths and loads are those expected if they take each next hop that they have equally
often, and with valiant each detour; ugal then takes none. On networks of more than 400 switches these are left out, and
"free" says that the routing of what is left was proved.`,
		Example: `  musubi compare --size 1024
  musubi compare --size 256 --topology fattree,torus:16x16 --routing updown,lash \
      --job collective:operation=alltoall,bytes=1KiB --prices prices.toml
  musubi compare --size 64 --report networks.html --output networks.csv`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.compare(cmd) },
	}
	own := option.Of(&f)
	option.Named(own, "topology")[0].Know(sized.Families())
	option.Named(own, "routing")[0].Know(musubi.RoutingNames())
	cli.DefineOptions(cmd, append(option.Named(f.scenario.Options(), "on", "seed", "engine", "set"), own...))
	return cmd
}

// compared is what one routing of one network gives.
type compared struct {
	network *comparedNetwork
	routing string
	routes  *sized.Routes // nil if refused
	refused string
}

// comparedNetwork is a network with its parts.
type comparedNetwork struct {
	net   *topology.Network
	parts sized.Parts
}

// comparedJob is what one job takes on all networks.
type comparedJob struct {
	name    string
	results *sweep.Results
}

func (f *compareFlags) compare(cmd *cobra.Command) error {
	if err := f.Outputs.Check(); err != nil {
		return err
	}
	prices, err := f.prices()
	if err != nil {
		return err
	}
	on, err := open.Machine(f.scenario.Machine)
	if err != nil {
		return err
	}
	networks, err := f.networks(on)
	if err != nil {
		return err
	}
	jobs, err := f.jobs()
	if err != nil {
		return err
	}
	s := cli.SharedFlags(cmd)
	all, err := f.route(cmd.Context(), s, on, networks)
	if err != nil {
		return err
	}
	done, err := f.runJobs(cmd.Context(), s, networks, jobs)
	if err != nil {
		return err
	}
	compared := comparedPage{f.Size, networks, all, done, prices}
	if s.JSON {
		err = ordered.WriteJSON(s.Stdout, compared.object())
	} else {
		err = compared.print(s.Stdout)
	}
	if err != nil {
		return err
	}
	return f.WriteWith(s, compared.table(), func() *page.Page { return compared.page(on) })
}

func (f *compareFlags) prices() (*sized.Prices, error) {
	if f.Prices == "" {
		return nil, nil
	}
	data, err := cli.ReadSmall(f.Prices)
	if err != nil {
		return nil, err
	}
	p, err := sized.ReadPrices(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Prices, err)
	}
	return p, nil
}

// networks opens the networks that are compared.
func (f *compareFlags) networks(on *machine.Machine) ([]*comparedNetwork, error) {
	if f.Size < 2 || f.Size > mostCompared {
		return nil, fmt.Errorf("--size %d; expected 2 to %d hosts", f.Size, mostCompared)
	}
	for _, name := range strings.Split(f.Routings, ",") {
		if err := cli.Choose("routing", name, musubi.RoutingNames()); err != nil {
			return nil, err
		}
	}
	var all []*comparedNetwork
	for _, name := range sweep.SplitTopologies(f.Networks) {
		spec, err := sized.Sized(name, f.Size)
		if err != nil {
			return nil, err
		}
		s := f.scenario
		s.Topology = spec
		if s.Hosts = 0; spec != name && strings.HasPrefix(name, "torus") || spec != name && (name == "mesh" || name == "hypercube") {
			s.Hosts = 1
		}
		net, err := open.Network(s, on)
		switch {
		case err != nil:
			return nil, err
		case net.Hosts() < f.Size:
			return nil, fmt.Errorf("%s has %d hosts; expected at least the %d of --size", spec, net.Hosts(), f.Size)
		case slices.ContainsFunc(all, func(c *comparedNetwork) bool { return c.net.Name == net.Name }):
			return nil, fmt.Errorf("--topology names %s twice", spec)
		}
		all = append(all, &comparedNetwork{net, sized.PartsOf(net)})
	}
	return all, nil
}

// mostCompared keeps a typing error from exhausting memory.
const mostCompared = 1 << 16

// jobs returns the scenarios of the jobs.
func (f *compareFlags) jobs() ([]musubi.Scenario, error) {
	names := f.Jobs
	if names == nil {
		names = usualJobs
	}
	var jobs []musubi.Scenario
	for _, text := range names {
		name, settings, _ := strings.Cut(text, ":")
		if err := cli.Choose("workload", name, programs.Names()); err != nil {
			return nil, fmt.Errorf("--job %s: %w", text, err)
		}
		s := f.base()
		s.Workload = name
		for setting := range strings.SplitSeq(settings, ",") {
			if settings == "" {
				break
			}
			if err := option.Named(option.Of(&s), "set")[0].Set(setting); err != nil {
				return nil, fmt.Errorf("--job %s: %q; %w", text, setting, err)
			}
		}
		jobs = append(jobs, s)
	}
	return jobs, nil
}

// base returns the scenario that all runs have in common.
func (f *compareFlags) base() musubi.Scenario {
	s := f.scenario
	s.Ranks = f.Size
	s.Set = map[string]string{}
	for name, value := range f.scenario.Set {
		s.Set[name] = value
	}
	return s
}

// route routes all networks, and lets parts of them fail.
func (f *compareFlags) route(ctx context.Context, s cli.Shared, on *machine.Machine, networks []*comparedNetwork) ([]compared, error) {
	progress := cli.StartProgress(s, "")
	defer progress.Finish()
	var all []compared
	names := strings.Split(f.Routings, ",")
	for i, n := range networks {
		options, err := f.scenario.RoutingOptions(n.net, on)
		if err != nil {
			return nil, err
		}
		options.VCs = 0
		for j, name := range names {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			progress.Draw("routing "+n.net.Name, float64(i*len(names)+j)/float64(len(networks)*len(names)))
			c := compared{network: n, routing: name}
			if c.routes, err = f.routesOf(n.net, name, options); err != nil {
				c.refused = err.Error()
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// routesOf is what a routing gives that fixes paths, or whose packets choose.
func (f *compareFlags) routesOf(net *topology.Network, name string, options routing.Options) (*sized.Routes, error) {
	if adaptive.Has(name) {
		return sized.ChoicesOf(net, name, adaptive.Options{Seed: f.scenario.Seed})
	}
	algorithm, err := routing.Lookup(name)
	if err != nil {
		return nil, err
	}
	return sized.RoutesOf(net, algorithm, options)
}

// runJobs runs the jobs on all networks, and uniform traffic of rising load before.
func (f *compareFlags) runJobs(ctx context.Context, s cli.Shared, networks []*comparedNetwork, jobs []musubi.Scenario) ([]comparedJob, error) {
	traffic := f.base()
	traffic.Workload = "pattern"
	for name, value := range map[string]string{"loop": "open", "pattern": "uniform", "packets": fmt.Sprint(comparedPackets * f.Size)} {
		traffic.Set[name] = value
	}
	axes := []sweep.Axis{{Name: "topology"}, {Name: "routing", Values: strings.Split(f.Routings, ",")}}
	for _, n := range networks {
		axes[0].Values = append(axes[0].Values, n.net.Name)
	}
	var all []comparedJob
	for i, job := range append([]musubi.Scenario{traffic}, jobs...) {
		var plan sweep.Plan
		if i == 0 {
			loads := grid.RepeatFlags{Loads: comparedLoads}
			if err := loads.Complete(&sweep.Grid{Base: job}, &plan); err != nil {
				return nil, err
			}
		}
		g := sweep.Grid{Base: job, Axes: axes}
		sw, err := sweep.New(g, plan, "", nil)
		if err != nil {
			return nil, err
		}
		err = grid.CarryOut(ctx, s, sw, func(ctx context.Context) (sweep.Executor, error) {
			return sweep.NewPool(ctx, grid.Workers(g), grid.Run), nil
		})
		if err != nil {
			return nil, err
		}
		results, err := sw.Results()
		if err != nil {
			return nil, err
		}
		all = append(all, comparedJob{jobName(job), results})
	}
	if !slices.ContainsFunc(all[0].results.Runs, func(r sweep.RunResult) bool { return r.Outcome.Refused == "" }) {
		return nil, errors.New(all[0].results.Runs[0].Outcome.Refused)
	}
	return all, nil
}

// jobName is the workload of a job, or the operation that it measures.
func jobName(s musubi.Scenario) string {
	if operation := s.Set["operation"]; operation != "" {
		return operation
	}
	return s.Workload
}

package route

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/open"
	"musubi/cmd/musubi/internal/show"
	"musubi/option"
	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/routing/tables"
	"musubi/sim/machine"
	"musubi/topology"

	"github.com/spf13/cobra"
)

// allRoutings is the name that stands for every algorithm.
const allRoutings = "all"

type routeFlags struct {
	scenario musubi.Scenario
	export   exportFlags
	draw     show.Drawing
	files    struct {
		Plot string `name:"plot" value:"file" help:"draw the comparison: a .svg, .png or .pdf file"`
		cli.PageFile
	}

	Routings        string `name:"routing" help:"algorithms, separated by commas: {names}"`
	DestinationOnly bool   `name:"destination-only" help:"only paths of fabrics that forward by destination alone; default: if the tables of --export or --on need it"`
}

// Command is the subcommand route.
func Command() *cobra.Command {
	f := routeFlags{scenario: musubi.Usual(), Routings: allRoutings}
	cmd := &cobra.Command{
		Use:   "route --topology NAME|FILE [--routing NAME,...|all]",
		Short: "Compare routings of a network, prove them, and export them",
		Long: `Route computes routings of a network, proves each free of deadlock or shows a cycle
of channel dependencies, and compares them. With --export it writes the tables
that switches hold; a routing that is not proved is written only with --unsafe.

Lengths are counted in links between switches, over ordered pairs of hosts on
different switches; the load of a link is the number of such pairs whose path uses
it in one direction.

` + routingHelp() + `
Exit status 1: a routing that --routing names can deadlock or leaves end points
without a path, and --unsafe is not given.`,
		Example: `  musubi route --topology torus:8x8
  musubi route --topology fabric.ibnetdiscover --routing dl,lash --vcs 4
  musubi route --topology fabric.ibnetdiscover --routing updown \
      --destination-only --export infiniband --output tables/`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	own := append(option.Of(&f), slices.Concat(option.Of(&f.export), option.Of(&f.draw), option.Of(&f.files))...)
	option.Named(own, "routing")[0].Know(append(musubi.RoutingNames(), allRoutings))
	option.Named(own, "export")[0].Suggest = formNames()
	option.Named(own, "export")[0].Help += aboutForms()
	cli.DefineOptions(cmd, append(option.Named(f.scenario.Options(), "on", "topology", "part", "hosts", "vcs", "selection", "root", "seed", "unsafe"), own...))
	return cmd
}

func routingHelp() string {
	var b strings.Builder
	b.WriteString("Algorithms:\n")
	for _, a := range routing.Algorithms() {
		cli.Hang(&b, fmt.Sprintf("  %-16s  ", a.Name), a.Summary)
	}
	b.WriteString("\nRoutings whose packets choose as they go, which --routing all leaves out:\n")
	for _, a := range adaptive.All() {
		cli.Hang(&b, fmt.Sprintf("  %-16s  ", a.Name), a.Summary)
	}
	return b.String()
}

// run compares the routings, prints the comparison and exports.
func (f *routeFlags) run(cmd *cobra.Command) error {
	on, err := f.machine()
	if err != nil {
		return err
	}
	names, err := f.names()
	if err != nil {
		return err
	}
	if err := cmp.Or(f.export.check(names, f.Routings == allRoutings), f.draw.Check(), f.plots().Check()); err != nil {
		return err
	}
	net, err := open.Network(f.scenario, on)
	if err != nil {
		return err
	}
	options, err := f.options(cmd, net, on)
	if err != nil {
		return err
	}
	c := &comparison{net: net, options: options, export: f.export.Form != "" || f.draw.Draw != "" || f.files.Report != ""}
	if f.scenario.Machine != "" {
		c.machine = on
	}
	if err := f.compare(cmd, c, names); err != nil {
		if cmd.Context().Err() != nil && len(c.results) > 0 {
			cli.SharedFlags(cmd).Note("interrupted after %d of %d routings", len(c.results)+len(c.refusals), len(names))
			return errors.Join(c.print(cli.SharedFlags(cmd)), err)
		}
		return err
	}
	return f.finish(cli.SharedFlags(cmd), c)
}

// compare computes and proves the routings. One that does not fit the network is
// an error unless it was only asked for with all others. An interrupt ends it with what is done.
func (f *routeFlags) compare(cmd *cobra.Command, c *comparison, names []string) error {
	progress := cli.StartProgress(cli.SharedFlags(cmd), "")
	defer progress.Finish()
	ctx := cmd.Context()
	for i, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress.Draw(name, float64(i)/float64(len(names)))
		if adaptive.Has(name) {
			if err := cmp.Or(f.refuseChoices(name), c.choose(name, f.scenario.Seed)); err != nil {
				return err
			}
			continue
		}
		done := make(chan outcome, 1)
		go func() { done <- c.compute(name) }()
		select {
		case o := <-done:
			c.add(o)
			if o.err != nil && f.Routings != allRoutings {
				return o.err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// machine returns the machine that says what the flags do not; without --on it says nothing.
func (f *routeFlags) machine() (*machine.Machine, error) {
	switch {
	case f.scenario.Machine == "" && f.scenario.Topology == "":
		return nil, errors.New("no network given; expected --topology with a name such as torus:4x4, or a file")
	case f.scenario.Machine == "":
		return new(machine.Machine), nil
	}
	m, err := open.Machine(f.scenario.Machine)
	if err == nil && m.Network.Model != "fabric" {
		err = fmt.Errorf("--on %s: this machine has no fabric to route", f.scenario.Machine)
	}
	return m, err
}

// names returns the algorithms that are to be compared.
func (f *routeFlags) names() ([]string, error) {
	if f.Routings == allRoutings {
		return routing.Names(), nil
	}
	names := strings.Split(f.Routings, ",")
	for i, name := range names {
		if err := cli.Choose("routing", name, append(musubi.RoutingNames(), allRoutings)); err != nil {
			return nil, err
		}
		if name == allRoutings || slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("--routing %s names %s twice; expected each algorithm once, or all", f.Routings, name)
		}
	}
	return names, nil
}

// options returns what all algorithms are asked for.
func (f *routeFlags) options(cmd *cobra.Command, net *topology.Network, on *machine.Machine) (routing.Options, error) {
	if err := open.CheckSelection(f.scenario); err != nil {
		return routing.Options{}, err
	}
	scenario, auto := f.scenario, f.scenario.Root == musubi.AutoRoot
	if auto {
		scenario.Root = "" // it depends on what follows
	}
	options, err := scenario.RoutingOptions(net, on)
	options.VCs = f.scenario.VCs // those of the machine are for its own routing
	if form := tables.FormNamed(f.export.Form); form != nil {
		options.DestinationOnly = form.ByDestination
	}
	if cmd.Flags().Changed("destination-only") {
		options.DestinationOnly = f.DestinationOnly
	}
	if len(options.MoreRoots) > 0 && err == nil {
		err = noteRoots(cli.SharedFlags(cmd), net, options)
	}
	if auto && err == nil {
		options.Root, err = bestRoot(cli.SharedFlags(cmd), net, options)
	}
	return options, err
}

// finish prints the comparison, exports, and answers for the exit status.
func (f *routeFlags) finish(s cli.Shared, c *comparison) error {
	if len(c.results)+len(c.choices) == 0 {
		return fmt.Errorf("no routing fits this network: %s", c.refusals[0])
	}
	if err := c.print(s); err != nil {
		return err
	}
	if err := cmp.Or(drawRoutings(f.draw, s, c), f.plots().WriteWith(s, c.table(), c.page)); err != nil {
		return err
	}
	sound := true
	for _, r := range c.results {
		sound = sound && r.proof.OK()
	}
	for _, r := range c.choices {
		sound = sound && r.proof.OK()
	}
	if f.Routings == allRoutings || f.scenario.Unsafe {
		sound = true
	}
	if f.export.Form == "" {
		return cli.Answer(sound)
	}
	if !sound {
		s.Note("%s is not exported, as its proof failed; --unsafe exports it nevertheless", c.results[0].name)
		return cli.ErrNo
	}
	return f.export.write(s, c.results[0].routes)
}

// plots are the files about the comparison; rows have no option, as --output is for tables.
func (f *routeFlags) plots() *cli.Outputs {
	return &cli.Outputs{Plot: f.files.Plot, PageFile: f.files.PageFile}
}

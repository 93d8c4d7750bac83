package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"musubi/routing"
	"musubi/routing/tables"
	"musubi/sim/machine"
	"musubi/topology"

	"github.com/spf13/cobra"
)

// allRoutings is the name that stands for every algorithm.
const allRoutings = "all"

type routeFlags struct {
	network         networkFlags
	machine         string
	routings        string
	vcs             int
	root            string
	selection       string
	destinationOnly bool
	export          exportFlags

	on *machine.Machine // what machine names; nil if none
}

func routeCommand() *cobra.Command {
	var f routeFlags
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
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.network.define(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.machine, "on", "", "take defaults of the flags above and below from a machine")
	flags.StringVar(&f.routings, "routing", allRoutings, "algorithms, separated by commas, or all")
	flags.IntVar(&f.vcs, "vcs", 0, "virtual channels that may be used; 0 means as few as the algorithm needs")
	flags.StringVar(&f.root, "root", "0", "root of the spanning tree: name, ID or number of a switch")
	flags.StringVar(&f.selection, "selection", string(routing.Balanced), "choice among several allowed paths: "+strings.Join(routing.SelectionNames(), ", "))
	flags.BoolVar(&f.destinationOnly, "destination-only", false, "only paths of fabrics that forward by destination alone; default: if the tables of --export or --on need it")
	f.export.define(cmd)
	completeNamesOrFiles(cmd, "on", machine.Names()...)
	completeWith(cmd, "routing", append(routing.Names(), allRoutings)...)
	completeWith(cmd, "selection", routing.SelectionNames()...)
	return cmd
}

func routingHelp() string {
	var b strings.Builder
	b.WriteString("Algorithms:\n")
	for _, a := range routing.Algorithms() {
		hang(&b, fmt.Sprintf("  %-16s  ", a.Name), a.Summary)
	}
	return b.String()
}

// run compares the routings, prints the comparison and exports.
func (f *routeFlags) run(cmd *cobra.Command) error {
	if err := f.takeDefaults(cmd); err != nil {
		return err
	}
	names, err := f.names()
	if err != nil {
		return err
	}
	if err := f.export.check(names, f.routings == allRoutings); err != nil {
		return err
	}
	net, err := f.network.open(cmd)
	if err != nil {
		return err
	}
	options, err := f.options(net)
	if err != nil {
		return err
	}
	c := &comparison{net: net, options: options, machine: f.on, export: f.export.form != ""}
	if err := f.compare(cmd, c, names); err != nil {
		return err
	}
	return f.finish(sharedFlags(cmd), c)
}

// compare computes and proves the routings. One that does not fit the network is
// an error unless it was only asked for with all others.
func (f *routeFlags) compare(cmd *cobra.Command, c *comparison, names []string) error {
	progress := startProgress(sharedFlags(cmd))
	defer progress.finish()
	for i, name := range names {
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		progress.draw(name, float64(i)/float64(len(names)))
		if err := c.add(name); err != nil && f.routings != allRoutings {
			return err
		}
	}
	return nil
}

// takeDefaults fills in what the machine says, where the user does not.
func (f *routeFlags) takeDefaults(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	form := tables.FormNamed(f.export.form)
	if f.machine != "" {
		m, err := loadMachine(f.machine)
		if err != nil {
			return err
		}
		if m.Network.Model != "fabric" {
			return fmt.Errorf("--on %s: this machine has no fabric to route", f.machine)
		}
		f.network.topology = cmp.Or(f.network.topology, m.Network.Topology)
		f.network.usual = m.Network.Hosts
		if !given("selection") {
			f.selection = m.Network.Selection
		}
		f.on = m
		form = cmp.Or(form, tables.FormNamed(m.Network.Form))
	}
	if !given("destination-only") {
		f.destinationOnly = form != nil && form.ByDestination
	}
	if f.network.topology == "" {
		return errors.New("no network given; expected --topology with a name such as torus:4x4, or a file")
	}
	return nil
}

// names returns the algorithms that are to be compared.
func (f *routeFlags) names() ([]string, error) {
	if f.routings == allRoutings {
		return routing.Names(), nil
	}
	names := strings.Split(f.routings, ",")
	for i, name := range names {
		if err := choose("routing", name, append(routing.Names(), allRoutings)); err != nil {
			return nil, err
		}
		if name == allRoutings || slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("--routing %s names %s twice; expected each algorithm once, or all", f.routings, name)
		}
	}
	return names, nil
}

func (f *routeFlags) options(net *topology.Network) (routing.Options, error) {
	if err := choose("path selection", f.selection, routing.SelectionNames()); err != nil {
		return routing.Options{}, err
	}
	if f.vcs < 0 || f.vcs > routing.MaxVCs {
		return routing.Options{}, fmt.Errorf("--vcs %d; expected 1 to %d, or 0 for as few as needed", f.vcs, routing.MaxVCs)
	}
	root, err := findSwitch(net, f.root)
	if err != nil {
		return routing.Options{}, fmt.Errorf("--root: %w", err)
	}
	return routing.Options{
		VCs: f.vcs, Root: root, Selection: routing.Selection(f.selection), DestinationOnly: f.destinationOnly,
	}, nil
}

// findSwitch finds a switch by ID, name or number, in this order.
func findSwitch(net *topology.Network, text string) (int, error) {
	var named []int
	for i, s := range net.Switches {
		if s.ID == text {
			return i, nil
		}
		if s.Name == text {
			named = append(named, i)
		}
	}
	if len(named) == 1 {
		return named[0], nil
	}
	if len(named) > 1 {
		return 0, fmt.Errorf("%d switches are called %q; expected an ID, such as %s", len(named), text, net.Switches[named[0]].ID)
	}
	if i, err := strconv.Atoi(text); err == nil && i >= 0 && i < len(net.Switches) {
		return i, nil
	}
	return 0, fmt.Errorf("no switch %q; expected the name or ID of a switch, such as %s, or a number from 0 to %d",
		text, net.Switches[0].ID, len(net.Switches)-1)
}

// finish prints the comparison, exports, and answers for the exit status.
func (f *routeFlags) finish(s shared, c *comparison) error {
	if len(c.results) == 0 {
		return fmt.Errorf("no routing fits this network: %s", c.refusals[0])
	}
	if err := c.print(s); err != nil {
		return err
	}
	sound := true
	for _, r := range c.results {
		sound = sound && r.proof.OK()
	}
	if f.routings == allRoutings || f.export.unsafe {
		sound = true
	}
	if f.export.form == "" {
		return answer(sound)
	}
	if !sound {
		s.note("%s is not exported, as its proof failed; --unsafe exports it nevertheless", c.results[0].name)
		return errNo
	}
	return f.export.write(s, c.results[0].routes)
}

// answer turns the answer to the user's question into what a command returns.
func answer(yes bool) error {
	if !yes {
		return errNo
	}
	return nil
}

package main

import (
	"musubi/cmd/musubi/internal/catalogue"
	"musubi/cmd/musubi/internal/cc"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/compare"
	"musubi/cmd/musubi/internal/convert"
	"musubi/cmd/musubi/internal/launch"
	"musubi/cmd/musubi/internal/loss"
	"musubi/cmd/musubi/internal/papers"
	"musubi/cmd/musubi/internal/plan"
	"musubi/cmd/musubi/internal/route"
	"musubi/cmd/musubi/internal/run"
	"musubi/cmd/musubi/internal/sweeps"
	"musubi/cmd/musubi/internal/tune"
	"musubi/cmd/musubi/internal/verify"
	"musubi/cmd/musubi/internal/view"

	"github.com/spf13/cobra"
)

// builder builds a command, which takes up to some milliseconds with all of its flags.
type builder struct {
	name  string
	build func() *cobra.Command
}

// commands returns those of musubi.
func commands() []builder {
	return []builder{
		{"run", run.Command},
		{"bench", run.Bench},
		{"route", route.Command},
		{"verify", verify.Command},
		{"reroute", loss.Reroute},
		{"faults", loss.Faults},
		{"watch", verify.Watch},
		{"view", view.Command},
		{"topology", catalogue.Topology},
		{"machines", catalogue.Machines},
		{"launch", launch.Command},
		{"cc", func() *cobra.Command { return cc.Command(cc.C) }},
		{"c++", func() *cobra.Command { return cc.Command(cc.CXX) }},
		{"fc", func() *cobra.Command { return cc.Command(cc.Fortran) }},
		{"agent", launch.Agent},
		{"ps", launch.PS},
		{"plan", plan.Command},
		{"trace", convert.Command},
		{"reproduce", papers.Command},
		{"compare", compare.Command},
		{"tune", tune.Command},
		{"sweep", sweeps.Command},
		{"worker", sweeps.Worker},
		{"version", cli.VersionCommand},
		{"man", manCommand},
	}
}

// addCommands adds the command that the first argument names, and otherwise all of them.
func addCommands(root *cobra.Command, args []string) {
	for _, c := range commands() {
		if len(args) > 0 && c.name == args[0] {
			root.AddCommand(c.build())
			return
		}
	}
	for _, c := range commands() {
		root.AddCommand(c.build())
	}
}

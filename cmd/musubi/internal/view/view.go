// Package view has the subcommand view: it serves the page that shows networks, routings and runs.
package view

import (
	"fmt"
	"net/url"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/option"
	"musubi/sim/machine"
	"musubi/view"

	"github.com/spf13/cobra"
)

type viewFlags struct {
	Listen   string `name:"listen" value:"address" help:"address of this computer to serve the page at; port 0: any that is free"`
	Topology string `name:"topology" file:"any" help:"network to begin with: a name such as torus:4x4, or a file"`
	Routing  string `name:"routing" help:"routing to begin with: {names}"`
}

// Command is the subcommand view.
func Command() *cobra.Command {
	f := viewFlags{Listen: "127.0.0.1:0", Topology: "torus:4x4", Routing: "minimal"}
	cmd := &cobra.Command{
		Use:   "view [flags]",
		Short: "Look at networks, routings and runs in a browser",
		Long: `View serves a page on this computer and prints its address. There a network and a routing
can be chosen; the page shows the way between two hosts, the cycle of a routing that can deadlock,
how packets come to that deadlock step by step, workloads as they run, and two runs side by side.
Of routings whose packets choose as they go (ugal, adaptive and so on) it shows the parts of the
packets that links are expected to carry.

Nobody else reaches the page: it is served to this computer alone, its address holds a random
token, and it loads nothing from anywhere else. It ends with an interrupt.`,
		Example: `  musubi view
  musubi view --topology fabric.ibnetdiscover --routing updown`,
		Args:        cli.NoArguments,
		RunE:        func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
		Annotations: map[string]string{cli.EndsByItself: ""},
	}
	own := option.Of(&f)
	option.Named(own, "routing")[0].Know(musubi.RoutingNames())
	cli.DefineOptions(cmd, own)
	return cmd
}

func (f *viewFlags) run(cmd *cobra.Command) error {
	if err := cli.Choose("routing", f.Routing, musubi.RoutingNames()); err != nil {
		return err
	}
	s := musubi.Scenario{Topology: f.Topology}
	if _, err := s.OpenNetwork(new(machine.Machine)); err != nil {
		return err
	}
	server, err := view.Listen(f.Listen)
	if err != nil {
		return err
	}
	asked := url.Values{"topology": {f.Topology}, "routing": {f.Routing}}
	fmt.Fprintf(cmd.OutOrStdout(), "%s#%s\n", server.URL(), asked.Encode())
	return server.Serve(cmd.Context())
}

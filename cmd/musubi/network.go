package main

import (
	"fmt"
	"strings"

	"musubi/report"
	"musubi/topology"

	"github.com/spf13/cobra"
)

// networkFlags say which network a command is about.
type networkFlags struct {
	topology string
	hosts    int
	usual    int // hosts per switch if neither the user nor a file says; 0: as the topology says
}

func (f *networkFlags) define(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.topology, "topology", "", `network: a name such as torus:4x4, or a file; see "musubi topology --help"`)
	completeNamesOrFiles(cmd, "topology", topology.Examples()...)
	f.defineHosts(cmd)
}

func (f *networkFlags) defineHosts(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.hosts, "hosts", 0, "hosts per switch; 0 means as many as the topology says, else 1")
	completeWith(cmd, "hosts")
}

// open returns the network. --seed, if given, is for a random one that does not
// name its own.
func (f *networkFlags) open(cmd *cobra.Command) (*topology.Network, error) {
	spec := f.topology
	if cmd.Flags().Changed("seed") && strings.HasPrefix(spec, "random:") && !strings.Contains(spec, "seed=") {
		spec = fmt.Sprintf("%s,seed=%d", spec, sharedFlags(cmd).seed)
	}
	net, err := topology.OpenUsual(spec, f.hosts, f.usual)
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, nearTopology(spec))
	}
	return net, nil
}

// nearTopology returns a hint if a name that was taken for a file looks like a
// misspelt kind of network.
func nearTopology(spec string) string {
	var families []string
	for _, g := range topology.Generators() {
		families = append(families, g.Name)
	}
	for _, n := range topology.NamedNetworks() {
		families = append(families, n.Name)
	}
	family, _, _ := strings.Cut(spec, ":")
	return didYouMean(family, families)
}

// describe sums a network up in one line.
func describe(net *topology.Network) string { return net.Name + ": " + net.Summary() }

func countKind(net *topology.Network, kind topology.Kind) int {
	n := 0
	for e := range net.EndPoints {
		if net.KindOf(e) == kind {
			n++
		}
	}
	return n
}

// plural says how many there are of something.
func plural[T int | int64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return report.Count(n).Text + " " + many
}

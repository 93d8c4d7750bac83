package verify

import (
	"fmt"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/open"
	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/sim/machine"
	"musubi/topology"
)

// computed says which routing is verified in place of tables.
type computed struct {
	Routing string `name:"routing" help:"verify what this routing computes, and no tables: {names}"`
}

// ofPaths are the options of routings that are computed and have one path for each pair.
var ofPaths = []string{"vcs", "selection", "root"}

// compute computes a routing, and proves it.
func (f *verifyFlags) compute(net *topology.Network, name string, kinds []topology.Kind) (finding, error) {
	if adaptive.Has(name) {
		if err := f.refuseClasses(); err != nil {
			return nil, err
		}
		scheme, err := adaptive.Build(name, net, adaptive.Options{Seed: f.scenario.Seed})
		if err != nil {
			return nil, err
		}
		return &choices{tables: f.source(), proof: adaptive.Prove(scheme), notCovered: net.LeftOut}, nil
	}
	if err := cli.Choose("routing", name, musubi.RoutingNames()); err != nil {
		return nil, err
	}
	if err := open.CheckSelection(f.scenario); err != nil {
		return nil, err
	}
	options, err := f.scenario.RoutingOptions(net, new(machine.Machine))
	if err != nil {
		return nil, err
	}
	a, err := routing.Lookup(name)
	if err != nil {
		return nil, err
	}
	routes, err := a.Build(net, options)
	if err != nil {
		return nil, fmt.Errorf("routing %s: %w", name, err)
	}
	j := judge([]*routing.Routes{routes}, kinds)
	j.tables, j.notCovered = f.source(), net.LeftOut
	return j, nil
}

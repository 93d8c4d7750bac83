package routing

import (
	"fmt"

	"musubi/topology"
)

var sbpRouting = Algorithm{
	Name:    "sbp",
	Summary: "structured buffer pool: one virtual channel up at every switch",
	Source:  "Horie et al., AP1000, 1992",
	Minimal: true,
	build:   buildSBP,
}

// buildSBP is the structured buffer pool (Horie et al.: "Deadlock-Free Routing
// Scheme on the AP1000", 1992): shortest paths, on which the virtual channel
// grows by one per hop between switches, from 0. It needs as many virtual
// channels as the longest path has hops, and leaves any others unused.
func buildSBP(net *topology.Network, opt Options) (*Routes, error) {
	return buildPool(net, opt, func(int) bool { return true })
}

var reducedSBPRouting = Algorithm{
	Name:          "reduced-sbp",
	Summary:       "structured buffer pool: one virtual channel up where three or more links meet; not safe on a ring",
	Source:        "Nishimura et al., RHiNET-2/SW, 2000",
	Minimal:       true,
	UnsafeOnRings: true,
	build:         buildReducedSBP,
}

// buildReducedSBP is the structured buffer pool as RHiNET-2 reduces it (Nishimura et al.:
// "RHiNET-2/SW: A High-Throughput, Compact Network-Switch", 2000): the virtual channel grows only
// where a packet passes a switch with three or more links to other switches, because other switches
// close no cycle. The exception is a network that is only a ring, where the routes are not safe.
func buildReducedSBP(net *topology.Network, opt Options) (*Routes, error) {
	return buildPool(net, opt, func(sw int) bool { return len(net.Out(sw)) >= 3 })
}

// buildPool yields shortest paths whose virtual channel grows at the switches
// for which rises is true.
func buildPool(net *topology.Network, opt Options, rises func(sw int) bool) (*Routes, error) {
	limit := opt.VCs
	if limit == 0 {
		limit = MaxVCs
	}
	used := 1
	p := &plan{net: net, opt: opt, guide: minimalGuide(net)}
	p.oneLane(limit)
	p.remembers = true // the number of virtual channels used
	p.assign = func(path Path) error {
		vc := 0
		for i, h := range path {
			if i > 0 && rises(net.From(h.Channel()).Switch) {
				vc++
			}
			if vc < limit {
				path[i] = MakeHop(h.Channel(), vc)
			}
		}
		used = max(used, vc+1)
		return nil
	}
	r, err := p.build()
	if err != nil {
		return nil, err
	}
	if used > limit {
		return nil, fmt.Errorf("%s needs %d virtual channels on this network, whose longest path has %d hops; %d can be used",
			opt.algorithm, used, r.Longest(), limit)
	}
	r.VCs = used
	return r, nil
}

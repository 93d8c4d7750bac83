package routing

import (
	"musubi/routing/internal/ways"
	"musubi/topology"
)

// minimalGuide allows every shortest path.
func minimalGuide(net *topology.Network) ways.Guide {
	return ways.ClassAutomaton(net, 1, func(int, int32) int { return 0 })
}

var minimalRouting = Algorithm{
	Name:    "minimal",
	Summary: "shortest paths without regard to deadlock, for comparison",
	Minimal: true,
	Unsafe:  true,
	build:   buildMinimal,
}

// buildMinimal yields shortest paths on one virtual channel without regard to deadlock. It serves
// for comparison, and to show deadlocks.
func buildMinimal(net *topology.Network, opt Options) (*Routes, error) {
	p := &plan{net: net, opt: opt, guide: minimalGuide(net)}
	if err := p.spareLanes(1); err != nil {
		return nil, err
	}
	return p.build()
}

package routing

import (
	"musubi/topology"
)

// tofuOrder is X, Y, Z, A, C, B as positions in a name such as tofu:2x2x2x2x3x2.
var tofuOrder = []int{0, 1, 2, 3, 5, 4}

var tofuRouting = Algorithm{
	Name:    "tofu",
	Summary: "dimension order X, Y, Z, A, C, B on a Tofu network",
	Source:  "Ajima et al., The Tofu Interconnect, IEEE Micro 2012",
	Minimal: true,
	Kind:    "tofu",
	build:   buildTofu,
	compute: func(net *topology.Network, opt Options) (*Routes, error) {
		return computeDimensionOrder(net, opt, tofuOrder)
	},
}

// buildTofu is the routing of Tofu networks along shortest paths (Ajima, Inoue,
// Hiramoto, Takagi, Shimizu: "The Tofu Interconnect", IEEE Micro 32(1), 2012): a packet
// corrects X, Y and Z, then the coordinates within a group of twelve nodes, A, C and B.
// The hardware can also take it to other coordinates A, B and C before, to go round
// faults; that is not modelled. X, Y and Z are rings and need two virtual channels
// where they are longer than three, as in e-cube; A, C and B need none: the first two
// are single links, and in a ring of three shortest paths have one hop.
func buildTofu(net *topology.Network, opt Options) (*Routes, error) {
	return buildDimensionOrder(net, opt, tofuOrder)
}

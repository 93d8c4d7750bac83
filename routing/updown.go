package routing

import "musubi/topology"

var upDownRouting = Algorithm{
	Name:    "updown",
	Summary: "Up*/Down*: up towards the root of a spanning tree, then down",
	Source:  "Schroeder et al., Autonet, IEEE JSAC 1991",
	keepsVC: true,
	build:   buildUpDown,
}

// buildUpDown is Up*/Down* routing (Schroeder et al.: "Autonet: A High-Speed,
// Self-Configuring Local Area Network Using Point-to-Point Links", IEEE JSAC
// 1991): a path goes up, towards the root of a breadth-first spanning tree, any
// number of times, then down any number of times, and never up again. Paths are
// the shortest of these.
func buildUpDown(net *topology.Network, opt Options) (*Routes, error) {
	t, err := rootedTree(net, opt)
	if err != nil {
		return nil, err
	}
	p := &plan{net: net, opt: opt, guide: descendingGuide(net, upwards(t), 1, opt.DestinationOnly)}
	if err := p.spareLanes(1); err != nil {
		return nil, err
	}
	return p.build()
}

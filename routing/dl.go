package routing

import (
	"musubi/routing/internal/tree"
	"musubi/routing/internal/ways"
	"musubi/topology"
)

var dlRouting = Algorithm{
	Name:    "dl",
	Summary: "Descending Layers: Up*/Down* in each virtual channel, the next one after each forbidden turn",
	Source:  "Koibuchi, Jouraku, Amano, ICPP 2003",
	build:   buildDL,
}

// buildDL is Descending Layers (Koibuchi, Jouraku, Amano: "Descending Layers
// Routing: A Deadlock-Free Deterministic Routing using Virtual Channels in
// System Area Networks with Irregular Topologies", ICPP 2003).
//
// Every virtual channel is a copy of the network with Up*/Down* on it. A packet
// starts in layer 0 and moves to the next layer, never back, at each turn from
// down to up, which Up*/Down* alone forbids. Paths are the shortest that get by
// with the layers given. One layer is Up*/Down*.
func buildDL(net *topology.Network, opt Options) (*Routes, error) {
	if opt.VCs == 0 {
		opt.VCs = 2
	}
	t, err := rootedTree(net, opt)
	if err != nil {
		return nil, err
	}
	up := upwards(t)
	p := &plan{net: net, opt: opt, guide: descendingGuide(net, up, opt.VCs, opt.DestinationOnly), assign: descend(up)}
	p.oneLane(opt.VCs)
	return p.build()
}

// upwards returns, per channel, whether it leads to its up end.
func upwards(t *tree.Tree) []bool {
	up := make([]bool, t.Net.Channels())
	for c := range up {
		up[c] = t.Up(c)
	}
	return up
}

// descendingGuide allows paths with at most layers-1 turns from down to up.
func descendingGuide(net *topology.Network, up []bool, layers int, destinationOnly bool) ways.Guide {
	if destinationOnly {
		// Accepting all but the highest label costs next to nothing in length and
		// leaves enough choice for balancing.
		return &ways.DestinationGuide{Net: net, Join: descendingJoin(up, layers), Slack: ways.Label(2*layers - 2)}
	}
	// Class 2l is layer l before the first hop down in it, class 2l+1 after it.
	return ways.ClassAutomaton(net, 2*layers, func(class int, c int32) int {
		switch down := class&1 == 1; {
		case !up[c]:
			return class | 1
		case !down:
			return class
		case class+1 < 2*layers:
			return class + 1
		default:
			return -1
		}
	})
}

// descendingJoin labels a switch with 2 * (turns from down to up on the way to
// the destination), plus 1 if the way begins upwards.
//
// No switch is left without a way: on a breadth-first tree, shortest paths from
// an ancestor of the destination lead straight down, level by level. So all
// ancestors, the root among them, have ways with label 0, and all other switches
// can follow their parents, since joining upwards is always allowed.
func descendingJoin(up []bool, layers int) ways.JoinFunc {
	return func(c int32, next ways.Label) (ways.Label, bool) {
		turns := next >> 1
		if up[c] {
			return turns<<1 | 1, true
		}
		turns += next & 1
		return turns << 1, int(turns) < layers
	}
}

// descend sets the layer of each hop of a path.
func descend(up []bool) func(Path) error {
	return func(p Path) error {
		layer, down := 0, false
		for i, h := range p {
			if up[h.Channel()] && down {
				layer++
			}
			down = !up[h.Channel()]
			p[i] = MakeHop(h.Channel(), layer)
		}
		return nil
	}
}

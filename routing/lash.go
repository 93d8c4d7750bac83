package routing

import (
	"fmt"

	"musubi/routing/internal/order"
	"musubi/topology"
)

var lashRouting = Algorithm{
	Name:    "lash",
	Summary: "layered shortest paths: each path in one virtual channel, by first fit",
	Source:  "Skeie, Lysne, Theiss, IPDPS 2002",
	Minimal: true,
	build:   buildLASH,
}

// buildLASH is layered shortest path routing (Skeie, Lysne, Theiss: "Layered
// Shortest Path (LASH) Routing in Irregular System Area Networks", IPDPS 2002):
// each path is assigned to the first layer, that is virtual channel, whose
// channel dependencies stay free of cycles with it, and keeps to this layer from
// end to end. Virtual channels beyond those needed are left unused.
//
// The paths of one policy alone decide how many layers there are: with Spread the low-port paths,
// one for each pair of switches. A host whose own path fits in no layer takes that of its pair.
func buildLASH(net *topology.Network, opt Options) (*Routes, error) {
	limit := opt.VCs
	if limit == 0 {
		limit = MaxVCs
	}
	l := &layering{turns: order.NewTurnNumbers(net), limit: limit}
	p := &plan{net: net, opt: opt, guide: minimalGuide(net), assign: l.assign, remembers: true}
	p.oneLane(limit)
	if n := len(endSwitches(net)); opt.Selection != Balanced && !opt.DestinationOnly && n*n <= maxPairs {
		p.assign = l.pairs(p).assign
	}
	r, err := p.build()
	if err != nil {
		return nil, err
	}
	r.VCs = max(1, len(l.layers))
	if opt.DestinationOnly && len(endSwitches(net)) <= mostFitted && (l.left > 0 || r.VCs > usualLayers) {
		most := r.VCs - 1
		if l.left > 0 {
			most = limit
		}
		if fits, err := fitTrees(net, opt, most); fits != nil || err != nil {
			return fits, err
		}
	}
	if l.left > 0 {
		return nil, fmt.Errorf("lash: %d of %d paths between switches do not fit; expected more virtual channels than %d", l.left, l.total, limit)
	}
	return r, nil
}

// layering assigns paths to layers by first fit.
type layering struct {
	turns       *order.TurnNumbers
	limit       int
	layers      []*layer
	left, total int // paths that fit nowhere, and all
}

// layer is the channel dependencies of the paths assigned to it.
type layer struct {
	order *order.ChannelOrder
	// blocked has the numbers of the turns that would close a cycle on their own. Dependencies are
	// never removed, so these turns stay blocked.
	blocked order.BitSet
}

func (l *layering) assign(p Path) error {
	l.total++
	vc := l.place(p)
	if vc < 0 {
		l.left++
		return nil
	}
	p.setVC(vc)
	return nil
}

// place returns the first layer that takes p, or -1.
func (l *layering) place(p Path) int {
	if len(p) < 2 {
		return 0
	}
	for i, y := range l.layers {
		if y.take(p) {
			return i
		}
	}
	if len(l.layers) == l.limit {
		return -1
	}
	l.layers = append(l.layers, &layer{order.NewChannelOrder(l.turns), order.NewBitSet(l.turns.Total)})
	l.layers[len(l.layers)-1].take(p)
	return len(l.layers) - 1
}

// take adds the dependencies of p unless they close a cycle.
func (y *layer) take(p Path) bool {
	y.order.Begin()
	return y.extend(p)
}

// extend is take for one of several paths that may be rolled back together.
func (y *layer) extend(p Path) bool {
	for i := 1; i < len(p); i++ {
		if y.blocked.Has(y.order.Number(int32(p[i-1].Channel()), int32(p[i].Channel()))) {
			return false
		}
	}
	mark := len(y.order.Graph.Added())
	for i := 1; i < len(p); i++ {
		in, out := int32(p[i-1].Channel()), int32(p[i].Channel())
		if !y.order.Add(in, out) {
			y.order.RollBackTo(mark)
			if mark == 0 {
				y.block(in, out)
			}
			return false
		}
	}
	return true
}

// block records a turn if it closes a cycle on its own.
func (y *layer) block(in, out int32) {
	if y.order.Add(in, out) {
		y.order.RollBack()
		return
	}
	y.blocked.Set(y.order.Number(in, out))
}

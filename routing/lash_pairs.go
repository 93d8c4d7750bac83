package routing

import (
	"math/rand/v2"
	"slices"

	"musubi/routing/internal/ways"
	"musubi/topology"
)

// How many orders of first fit are tried: fewer where there are many paths.
const (
	maxOrders   = 64
	pathsToFit  = 1 << 16 // in all orders together
	maxPairs    = 1 << 20 // of switches; beyond them paths are assigned as they are found
	usualLayers = 2       // no order needs fewer where one layer is not enough
)

// pairPaths has a path with its layer for each pair of switches.
type pairPaths struct {
	*layering
	net   *topology.Network
	paths map[[2]int]Path
}

// pairs assigns the low-port path of each pair of switches to a layer. Afterwards there is room for
// other paths in two layers, or in as many as the user allows.
func (l *layering) pairs(p *plan) *pairPaths {
	low := *p
	low.opt.Selection = LowPort
	sel := newSelector(&low)
	var paths []Path
	var next steps
	ends := endSwitches(p.net)
	ways.NewAtlas(p.guide, ends).Each(func(i int, w *ways.Ways) error {
		next.set(sel, w, ends[i], 1)
		for k := range ends {
			if x := w.Entry[k]; k != i && x >= 0 {
				paths = append(paths, next.walk(nil, x, 0))
			}
		}
		return nil
	})
	all := &pairPaths{l, p.net, make(map[[2]int]Path, len(paths))}
	for i, vc := range l.fit(paths) {
		paths[i].setVC(max(0, vc))
		all.paths[all.ends(paths[i])] = paths[i]
	}
	if p.opt.VCs == 0 {
		l.limit = max(len(l.layers), usualLayers)
	}
	return all
}

// fit assigns paths to layers and returns the layer of each, -1 if it fits nowhere. Whether a path
// fits depends on those before it. So several orders are tried, and that counts which needs the
// fewest layers: the order of the paths, long paths first, and random ones.
func (l *layering) fit(paths []Path) []int {
	order := make([]int, len(paths))
	for i := range order {
		order[i] = i
	}
	var best []int
	for try := range min(maxOrders, 1+pathsToFit/max(1, len(paths))) {
		switch {
		case try == 1:
			slices.SortStableFunc(order, func(a, b int) int { return len(paths[b]) - len(paths[a]) })
		case try > 1:
			rng := rand.New(rand.NewPCG(uint64(try), 0))
			rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		one := layering{turns: l.turns, limit: l.limit, total: len(paths)}
		vcs := make([]int, len(paths))
		for _, i := range order {
			if vcs[i] = one.place(paths[i]); vcs[i] < 0 {
				one.left++
			}
		}
		if best == nil || one.left < l.left || one.left == l.left && len(one.layers) < len(l.layers) {
			best, *l = vcs, one
		}
		if l.left == 0 && len(l.layers) <= usualLayers {
			break
		}
	}
	return best
}

// assign puts a path into a layer, or makes it the path of its pair of switches.
func (a *pairPaths) assign(p Path) error {
	if len(p) == 0 {
		return nil
	}
	base := a.paths[a.ends(p)]
	vc := base[0].VC()
	if !slices.EqualFunc(p, base, func(x, y Hop) bool { return x.Channel() == y.Channel() }) {
		if vc = a.place(p); vc < 0 {
			copy(p, base) // shortest paths are equally long
			return nil
		}
	}
	p.setVC(vc)
	return nil
}

// ends returns the switches that a path joins.
func (a *pairPaths) ends(p Path) [2]int {
	return [2]int{a.net.From(p[0].Channel()).Switch, a.net.To(p[len(p)-1].Channel()).Switch}
}

// setVC keeps a path on one virtual channel.
func (p Path) setVC(vc int) {
	for i, h := range p {
		p[i] = MakeHop(h.Channel(), vc)
	}
}

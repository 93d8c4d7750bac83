package routing

import (
	"musubi/routing/internal/tree"
	"musubi/routing/internal/ways"
	"musubi/topology"
)

var layeredRouting = Algorithm{
	Name:    "layered",
	Summary: "balanced short paths in as many virtual channels as there are, one of them Up*/Down*",
	Source:  "after LASH, and Domke, Hoefler, Matsuoka (Nue), HPDC 2016",
	build:   buildLayered,
}

// usualLanes is how many virtual channels layered may use where nobody says.
const usualLanes = 8

// buildLayered finds short paths that fit in the virtual channels given, and never fails for want
// of them. Virtual channel 0 takes Up*/Down* paths only; each other one is a layer whose channel
// dependencies are kept free of cycles, as in LASH. A path keeps to its virtual channel.
//
// The paths to an end point are a tree, so all switches forward by destination alone. It grows from
// the destination, nearest switches first: a switch takes the least used of the shortest ways over
// which its packets fit in some virtual channel. If some switch has no way left, all packets to
// the end point take Up*/Down* paths.
func buildLayered(net *topology.Network, opt Options) (*Routes, error) {
	if opt.VCs == 0 {
		opt.VCs = usualLanes
	}
	r, err := growLayered(net, opt)
	if err != nil || opt.Selection != Balanced || len(endSwitches(net)) > fewEnds {
		return r, err
	}
	// The order of destinations misleads the search now and then, which shows on small networks.
	opt.Selection = LowPort
	low, err := growLayered(net, opt)
	if err != nil {
		return nil, err
	}
	a, b := r.Statistics(), low.Statistics()
	if b.Hops.Mean <= a.Hops.Mean && b.ChannelLoad.Max < a.ChannelLoad.Max {
		return low, nil
	}
	return r, nil
}

// fewEnds is a number of switches with end points for which low-port paths are tried as well.
const fewEnds = 32

// growLayered is buildLayered for one path selection.
func growLayered(net *topology.Network, opt Options) (*Routes, error) {
	t, err := rootedTree(net, opt)
	if err != nil {
		return nil, err
	}
	l := newLaneGrower(net, opt, opt.VCs-1, 1)
	l.escape = newEscape(t, l.ends)
	r, _, err := l.routes(inTurn(len(l.ends)))
	return r, err
}

// inTurn returns the numbers below n.
func inTurn(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// escape has the Up*/Down* paths of layered.
type escape struct {
	up     []bool // per channel
	guide  *ways.DestinationGuide
	search ways.Search
	ways   ways.Ways
}

func newEscape(t *tree.Tree, ends []int) *escape {
	up := upwards(t)
	e := &escape{up: up, guide: descendingGuide(t.Net, up, 1, true).(*ways.DestinationGuide)}
	e.search.Ends = ends
	return e
}

// Find returns the ways to a switch.
func (e *escape) Find(dst int) *ways.Ways {
	e.guide.Find(dst, &e.search, &e.ways)
	return &e.ways
}

// legal reports whether a path never goes up after it has gone down.
func (e *escape) legal(p Path) bool {
	down := false
	for _, h := range p {
		up := e.up[h.Channel()]
		if up && down {
			return false
		}
		down = down || !up
	}
	return true
}

// flee makes all packets take Up*/Down* paths.
func (l *laneGrower) flee(dst int) {
	ways := l.escape.Find(dst)
	for x, state := range ways.State {
		l.vc[state] = 0
		best := int32(-1)
		for _, m := range ways.From(int32(x)) {
			if best < 0 || l.opt.Selection != LowPort && l.load[m.Channel] < l.load[best] {
				best = m.Channel
			}
		}
		l.next[state] = best
	}
}

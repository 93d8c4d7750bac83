package routing

import (
	"slices"

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
	b, err := NewBuilder(opt.algorithm, net, opt.VCs)
	if err != nil {
		return nil, err
	}
	l := newLaneGrower(t, opt)
	var s sheaf
	for i, dst := range l.ends {
		s.reset()
		l.route(dst)
		for k := range l.ends {
			l.store(&s, k)
		}
		b.addSheaf(&s, i)
		if err := b.Check(); err != nil {
			return nil, err
		}
		if err := b.foresee(i+1, len(l.ends)); err != nil {
			return nil, err
		}
	}
	b.r.VCs = l.used
	return b.Routes(), nil
}

// laneGrower grows the trees of layered.
type laneGrower struct {
	net    *topology.Network
	opt    Options
	up     []bool   // per channel
	layers []*layer // layers[i] is virtual channel i+1
	used   int      // virtual channels
	ends   []int    // switches with end points
	hosts  []int64  // per switch
	load   []int64  // per channel
	escape *destinationGuide
	search search
	ways   ways

	// To the present end point:
	hops  []int32 // per switch: length of its path, -1 if it has none
	next  []int32 // per switch: the channel that it takes
	vc    []uint8 // per switch
	queue [][]int32
	path  Path
	marks []int
	list  []int32

	found [][]lanePath // by end point of the present switch and source
}

// lanePath is a path and its virtual channel.
type lanePath struct {
	path Path
	vc   uint8
}

func newLaneGrower(t *tree, opt Options) *laneGrower {
	n := len(t.net.Switches)
	l := &laneGrower{
		net: t.net, opt: opt, up: make([]bool, t.net.Channels()), used: 1, ends: endSwitches(t.net),
		hosts: make([]int64, n), load: make([]int64, t.net.Channels()),
		hops: make([]int32, n), next: make([]int32, n), vc: make([]uint8, n), marks: make([]int, opt.VCs-1),
	}
	for c := range l.up {
		l.up[c] = t.up(c)
	}
	for e := range t.net.Hosts() {
		l.hosts[t.net.EndPoints[e].At.Switch]++
	}
	turns := newTurnNumbers(t.net)
	for range opt.VCs - 1 {
		l.layers = append(l.layers, &layer{newChannelOrder(turns), newBitSet(turns.total)})
	}
	l.escape = descendingGuide(t, 1, true).(*destinationGuide)
	l.search.ends = l.ends
	return l
}

// route finds the paths to all end points of a switch.
func (l *laneGrower) route(dst int) {
	l.found = l.found[:0]
	for j := range l.net.EndPointsAt(dst)[:min(len(l.net.EndPointsAt(dst)), maxVariants)] {
		if l.opt.VCs == 1 || !l.grow(dst, j) {
			l.flee(dst)
		}
		paths := make([]lanePath, len(l.ends))
		for k, src := range l.ends {
			paths[k] = lanePath{l.follow(nil, int32(src), dst), l.vc[src]}
			l.used = max(l.used, int(l.vc[src])+1)
			for _, h := range paths[k].path {
				l.load[h.Channel()] += l.hosts[src]
			}
		}
		l.found = append(l.found, paths)
		if l.opt.Selection == LowPort {
			return // the others are the same
		}
	}
}

// store adds the paths from the k-th switch with end points.
func (l *laneGrower) store(s *sheaf, k int) {
	s.pair.reset(1, len(l.found))
	for _, paths := range l.found {
		p := paths[k]
		p.path.setVC(int(p.vc))
		s.pair.keep(p.path, p.vc)
	}
	s.pair.store(s)
}

// follow appends the path from a switch.
func (l *laneGrower) follow(path Path, s int32, dst int) Path {
	for int(s) != dst {
		path = append(path, MakeHop(int(l.next[s]), 0))
		s = int32(l.net.To(int(l.next[s])).Switch)
	}
	return path
}

// flee makes all packets take Up*/Down* paths.
func (l *laneGrower) flee(dst int) {
	l.escape.find(dst, &l.search, &l.ways)
	for x, state := range l.ways.state {
		l.vc[state] = 0
		best := int32(-1)
		for _, m := range l.ways.from(int32(x)) {
			if best < 0 || l.opt.Selection != LowPort && l.load[m.channel] < l.load[best] {
				best = m.channel
			}
		}
		l.next[state] = best
	}
}

// grow grows the tree to the j-th end point of a switch. If it fails, it leaves the layers as they
// were.
func (l *laneGrower) grow(dst, j int) bool {
	for s := range l.hops {
		l.hops[s] = -1
	}
	for i := range l.queue {
		l.queue[i] = l.queue[i][:0]
	}
	for i, y := range l.layers {
		y.order.begin()
		l.marks[i] = 0
	}
	l.hops[dst], l.vc[dst] = 0, 0
	l.announce(dst)
	for n := 1; n < len(l.queue); n++ {
		for i := 0; i < len(l.queue[n]); i++ {
			if s := l.queue[n][i]; l.hops[s] < 0 {
				l.attach(s, int32(n), dst, j)
			}
		}
	}
	for _, s := range l.ends {
		if l.hops[s] < 0 {
			for _, y := range l.layers {
				y.order.rollBack()
			}
			return false
		}
	}
	return true
}

// announce schedules the neighbours of a switch that has a path.
func (l *laneGrower) announce(s int) {
	n := int(l.hops[s]) + 1
	for len(l.queue) <= n {
		l.queue = append(l.queue, nil)
	}
	for _, c := range l.net.Out(s) {
		if x := l.net.To(int(c)).Switch; l.hops[x] < 0 {
			l.queue[n] = append(l.queue[n], int32(x))
		}
	}
}

// attach gives a switch a path of n hops, if one fits in a virtual channel.
func (l *laneGrower) attach(s, n int32, dst, j int) {
	l.list = l.list[:0]
	for _, c := range l.net.Out(int(s)) {
		if l.hops[l.net.To(int(c)).Switch] == n-1 {
			l.list = append(l.list, c)
		}
	}
	switch l.opt.Selection {
	case LowPort:
	case Spread:
		k := j % max(1, len(l.list))
		l.list = append(l.list[k:], l.list[:k]...)
	default:
		slices.SortStableFunc(l.list, func(a, b int32) int { return int(l.load[a] - l.load[b]) })
	}
	for _, c := range l.list {
		l.next[s] = c
		l.path = l.follow(l.path[:0], s, dst)
		if vc := l.place(l.path); vc >= 0 {
			l.vc[s], l.hops[s] = uint8(vc), n
			l.announce(int(s))
			return
		}
	}
}

// place returns the first virtual channel that takes a path, or -1.
func (l *laneGrower) place(p Path) int {
	if l.legal(p) {
		return 0
	}
	for i, y := range l.layers {
		if y.extend(p) {
			return i + 1
		}
	}
	return -1
}

// legal reports whether a path never goes up after it has gone down.
func (l *laneGrower) legal(p Path) bool {
	down := false
	for _, h := range p {
		up := l.up[h.Channel()]
		if up && down {
			return false
		}
		down = down || !up
	}
	return true
}

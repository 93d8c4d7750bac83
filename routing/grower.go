package routing

import (
	"slices"

	"musubi/routing/internal/balance"
	"musubi/routing/internal/order"
	"musubi/topology"
)

// laneGrower grows trees of paths, one to each end point, and gives each path a virtual channel. The channel
// dependencies of a virtual channel are a layer that is kept free of cycles, as in LASH.
type laneGrower struct {
	net    *topology.Network
	opt    Options
	layers []*layer
	first  int     // virtual channel of the first layer
	used   int     // virtual channels
	ends   []int   // switches with end points
	hosts  []int64 // per switch
	load   []int64 // per channel, by the time that it takes
	slow   []int64 // per channel: see slowness
	escape *escape // of layered; nil: shortest paths only

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

// newLaneGrower returns one with a number of layers, of which the first is virtual channel first.
func newLaneGrower(net *topology.Network, opt Options, layers, first int) *laneGrower {
	n := len(net.Switches)
	l := &laneGrower{
		net: net, opt: opt, first: first, used: 1, ends: endSwitches(net),
		hosts: make([]int64, n), load: make([]int64, net.Channels()), slow: balance.Slowness(net),
		hops: make([]int32, n), next: make([]int32, n), vc: make([]uint8, n), marks: make([]int, layers),
	}
	for e := range net.Hosts() {
		l.hosts[net.EndPoints[e].At.Switch]++
	}
	turns := order.NewTurnNumbers(net)
	for range layers {
		l.layers = append(l.layers, &layer{order.NewChannelOrder(turns), order.NewBitSet(turns.Total)})
	}
	return l
}

// routes grows the trees to all end points, in an order of the switches that they are at. done is false if
// one could not be grown.
func (l *laneGrower) routes(order []int) (r *Routes, done bool, err error) {
	b, err := NewBuilder(l.opt.algorithm, l.net, len(l.layers)+l.first)
	if err != nil {
		return nil, false, err
	}
	var s sheaf
	for n, i := range order {
		s.reset()
		if !l.route(l.ends[i]) {
			return nil, false, nil
		}
		for k := range l.ends {
			l.store(&s, k)
		}
		b.addSheaf(&s, i)
		if err := b.Check(); err != nil {
			return nil, false, err
		}
		if err := b.foresee(n+1, len(l.ends)); err != nil {
			return nil, false, err
		}
	}
	b.r.VCs = l.used
	return b.Routes(), true, nil
}

// route finds the paths to all end points of a switch, and reports whether it has.
func (l *laneGrower) route(dst int) bool {
	l.found = l.found[:0]
	for j := range l.net.EndPointsAt(dst)[:min(len(l.net.EndPointsAt(dst)), maxVariants)] {
		if len(l.layers) == 0 || !l.grow(dst, j) {
			if l.escape == nil {
				return false
			}
			l.flee(dst)
		}
		paths := make([]lanePath, len(l.ends))
		for k, src := range l.ends {
			paths[k] = lanePath{l.follow(nil, int32(src), dst), l.vc[src]}
			l.used = max(l.used, int(l.vc[src])+1)
			for _, h := range paths[k].path {
				l.load[h.Channel()] += l.hosts[src] * l.slow[h.Channel()]
			}
		}
		l.found = append(l.found, paths)
		if l.opt.Selection == LowPort {
			break // the others are the same
		}
	}
	return true
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
		y.order.Begin()
		l.marks[i] = 0
	}
	l.hops[dst], l.vc[dst] = 0, 0
	l.announce(dst)
	for n := 1; n < len(l.queue); n++ {
		for i := 0; i < len(l.queue[n]); i++ {
			s := l.queue[n][i]
			if l.hops[s] < 0 && !l.attach(s, int32(n), dst, j) && l.escape == nil {
				l.rollBack()
				return false // the next attempt would be no shortest path
			}
		}
	}
	for _, s := range l.ends {
		if l.hops[s] < 0 {
			l.rollBack()
			return false
		}
	}
	return true
}

func (l *laneGrower) rollBack() {
	for _, y := range l.layers {
		y.order.RollBack()
	}
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

// attach gives a switch a path of n hops, and reports whether one fits in a virtual channel.
func (l *laneGrower) attach(s, n int32, dst, j int) bool {
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
			return true
		}
	}
	return false
}

// place returns the first virtual channel that takes a path, or -1.
func (l *laneGrower) place(p Path) int {
	if l.escape != nil && l.escape.legal(p) {
		return 0
	}
	for i, y := range l.layers {
		if y.extend(p) {
			return l.first + i
		}
	}
	return -1
}

package change

import (
	"math/bits"

	"musubi/routing/acyclic"
	"musubi/topology"
)

// trial is how far new entries may go.
type trial uint8

const (
	asBefore trial = iota // only dependencies that some path makes already
	added                 // new ones, if they close no cycle
	moved                 // new ones, and packets may change their service level for another one in use
)

// grower finds new entries for one destination after the other. Its graph has the dependencies of
// all paths that are to go on, and grows with each new entry.
//
// The entries to a destination are a tree. What the loss cuts off is grown again from what is left,
// nearest switches first. A switch takes a shortest way on, where possible the one that it has. The
// way must fit both packets of its own end points and those that come from switches which still
// have the old entry.
type grower struct {
	f     *Forwarding
	graph *acyclic.Graph
	loss  topology.Loss
	gone  []bool  // per channel
	load  []int64 // per channel: pairs of hosts, if known; decides between ways that are equally long
	hosts []int64 // per switch
	ends  []bool  // per switch: it has end points

	d      int
	next   []int32 // of f, to destination d
	given  []int32 // the same without what complete has added
	levels levelSet
	trial  trial
	// transit says that packets with old entries may come by.
	transit bool
	// sources leaves switches without end points cut off.
	sources bool

	epoch    int32
	cut      []int32 // per switch: the epoch in which its way has been cut off
	used     []int32 // per switch: the epoch in which its old entry was found to lead to what is gone
	grown    []int32 // per switch: the epoch in which it has got a new way
	way      []int32 // that way, a channel
	measure  []int32 // per switch: the epoch in which length was measured
	length   []int32 // hops to the destination, -1 if packets do not arrive
	members  []int32 // switches that were cut off
	queue    [][]int32
	ways     []int32           // channels that attach tries
	of       []levelSet        // per destination: the levels of all packets
	inUse    int               // service levels in use, counted from 0
	switched []int32           // per switch: the epoch in which levels were chosen
	level    [][numLevels]int8 // the new level of packets by their old one
}

func newGrower(f *Forwarding) *grower {
	n := len(f.Net.Switches)
	g := &grower{
		f: f, gone: make([]bool, f.Net.Channels()), load: make([]int64, f.Net.Channels()), hosts: hostsBySwitch(f.Net), transit: true,
		of: make([]levelSet, len(f.Destinations)), cut: make([]int32, n), used: make([]int32, n), grown: make([]int32, n), way: make([]int32, n), measure: make([]int32, n), length: make([]int32, n),
	}
	g.switched, g.level = make([]int32, n), make([][numLevels]int8, n)
	g.ends = make([]bool, n)
	for s := range g.ends {
		g.ends[s] = len(f.Net.EndPointsAt(s)) > 0
	}
	for d, to := range f.Destinations {
		g.of[d] = f.lane.all(to)
		g.inUse = max(g.inUse, bits.Len16(uint16(g.of[d])))
	}
	return g
}

func hostsBySwitch(net *topology.Network) []int64 {
	hosts := make([]int64, len(net.Switches))
	for e := range net.Hosts() {
		hosts[net.EndPoints[e].At.Switch]++
	}
	return hosts
}

// lose sets what is gone.
func (g *grower) lose(loss topology.Loss) {
	g.loss = loss
	for c := range g.gone {
		g.gone[c] = loss.Link(g.f.Net, c>>1)
	}
}

// begin turns to destination d and finds the switches that are cut off from it, upwards from those
// whose entry leads to what is gone.
func (g *grower) begin(d int, heads []int32) {
	g.d, g.next, g.given = d, g.f.next[d], g.f.next[d]
	if g.f.given != nil {
		g.given = g.f.given[d]
	}
	g.epoch++
	g.members = g.members[:0]
	g.levels = 0
	for _, s := range heads {
		g.cutOff(s)
	}
	for i := 0; i < len(g.members); i++ {
		for _, c := range g.f.Net.Out(int(g.members[i])) {
			if x := int32(g.f.to(c)); g.next[x] == c^1 && !g.gone[c] {
				g.cutOff(x)
			}
		}
	}
	if len(g.members) > 0 {
		g.levels = g.of[d]
	}
}

func (g *grower) cutOff(s int32) {
	if g.cut[s] != g.epoch {
		g.cut[s] = g.epoch
		g.members = append(g.members, s)
	}
}

// waiting reports whether a switch is cut off.
func (g *grower) waiting(s int32) bool { return g.cut[s] == g.epoch && g.grown[s] != g.epoch }

// now returns the present entry of a switch.
func (g *grower) now(s int32) int32 {
	if g.grown[s] == g.epoch {
		return g.way[s]
	}
	return g.next[s]
}

// hops returns the length of the present path from a switch that is not cut off, -1 if packets do
// not arrive.
func (g *grower) hops(s int32) int32 {
	if g.measure[s] == g.epoch {
		return g.length[s]
	}
	n, at := int32(0), s
	for c := g.now(at); c != deliver; c = g.now(at) {
		if c < 0 || g.gone[c] || int(n) > len(g.cut) {
			n = -1
			break
		}
		at = int32(g.f.to(c))
		n++
	}
	g.measure[s], g.length[s] = g.epoch, n
	return n
}

// grow gives ways to the switches that are cut off, or only to those with end points, as far as the
// trial allows, nearest first.
func (g *grower) grow(t trial, sources bool) {
	g.trial, g.sources = t, sources
	for i := range g.queue {
		g.queue[i] = g.queue[i][:0]
	}
	for _, s := range g.members {
		if g.waiting(s) {
			g.enqueue(s, 0)
		}
	}
	for key := 0; key < len(g.queue); key++ {
		for i := 0; i < len(g.queue[key]); i++ {
			if s := g.queue[key][i]; g.waiting(s) && !g.attach(s, int32(key)) {
				g.enqueue(s, int32(key))
			}
		}
	}
}

// enqueue schedules a switch for the shortest way that is longer than a length.
func (g *grower) enqueue(s, longer int32) {
	least := int32(-1)
	for _, c := range g.f.Net.Out(int(s)) {
		if n := g.over(c); n > longer && (least < 0 || n < least) {
			least = n
		}
	}
	if least >= 0 {
		g.schedule(s, least)
	}
}

func (g *grower) schedule(s, length int32) {
	if g.sources && !g.ends[s] {
		return
	}
	for int(length) >= len(g.queue) {
		g.queue = append(g.queue, nil)
	}
	g.queue[length] = append(g.queue[length], s)
}

// over returns the length of the way by a channel, 0 if there is none.
func (g *grower) over(c int32) int32 {
	if g.gone[c] {
		return 0
	}
	to := int32(g.f.to(c))
	if g.waiting(to) {
		return 0
	}
	return g.hops(to) + 1
}

// attach gives a switch a way of some length: the one that it has, or else the least used.
func (g *grower) attach(s, length int32) bool {
	if c := g.next[s]; c >= 0 && g.over(c) == length && g.fits(s, c) {
		g.take(s, c, length)
		return true
	}
	g.ways = g.ways[:0]
	for _, c := range g.f.Net.Out(int(s)) {
		if g.over(c) == length {
			g.ways = append(g.ways, c)
		}
	}
	for i := range g.ways {
		for k := i + 1; k < len(g.ways); k++ {
			if g.lighter(g.ways[k], g.ways[i]) {
				g.ways[i], g.ways[k] = g.ways[k], g.ways[i]
			}
		}
		if g.fits(s, g.ways[i]) {
			g.take(s, g.ways[i], length)
			return true
		}
	}
	return false
}

// lighter reports whether channel a comes before channel b in the order of their loads.
func (g *grower) lighter(a, b int32) bool {
	return g.load[a] < g.load[b] || g.load[a] == g.load[b] && a < b
}

// take sets the way of a switch, which opens ways for those beside it.
func (g *grower) take(s, c, length int32) {
	g.grown[s], g.way[s] = g.epoch, c
	g.measure[s], g.length[s] = g.epoch, length
	g.load[c] += g.hosts[s]
	for _, back := range g.f.Net.Out(int(s)) {
		if x := int32(g.f.to(back)); !g.gone[back] && g.waiting(x) {
			g.schedule(x, length+1)
		}
	}
}

// fits reports whether packets may leave a switch by a channel: those of its own end points, and
// those that come by old entries. Then their dependencies are in the graph.
func (g *grower) fits(s, c int32) bool {
	mark := len(g.graph.Added())
	if g.injects(s, c) && g.passes(s, c) {
		return true
	}
	if g.trial != asBefore {
		g.graph.RollBackTo(mark)
	}
	return false
}

// injects follows packets that enter the fabric at a switch. A switch without end points counts as
// one that may have any.
func (g *grower) injects(s, c int32) bool {
	set := g.f.lane.at(g.f.Destinations[g.d], int(s))
	if set == 0 {
		set = g.levels
	}
	if g.trial == moved {
		return g.moves(s, c)
	}
	ok := true
	set.each(func(level int) { ok = ok && g.enters(s, c, level) })
	return ok
}

// enters follows packets of a level that enter the fabric at a switch.
func (g *grower) enters(s, c int32, level int) bool {
	ok := true
	g.f.lane.entries(int(s), func(in topology.Port) { ok = ok && g.follow(c, g.f.lane.onto(in, c, level), level) })
	return ok
}

// moves finds for each level of the packets of a switch one that they can have from now on: the
// same if possible, or another one of those in use.
func (g *grower) moves(s, c int32) bool {
	ok := true
	var to [numLevels]int8
	g.f.lane.at(g.f.Destinations[g.d], int(s)).each(func(level int) {
		to[level] = int8(level)
		mark := len(g.graph.Added())
		for next := 0; ok && !g.enters(s, c, int(to[level])); next++ {
			g.graph.RollBackTo(mark)
			ok = next < g.inUse
			to[level] = int8(next)
		}
	})
	g.level[s], g.switched[s] = to, g.epoch
	return ok
}

// passes follows packets that come to a switch from others with the old entry.
func (g *grower) passes(s, c int32) bool {
	if !g.transit || g.levels == 0 {
		return true
	}
	for _, back := range g.f.Net.Out(int(s)) {
		x, in := int32(g.f.to(back)), back^1
		if g.given[x] != in || g.gone[in] {
			continue
		}
		ok := c != back // or packets would go to and fro until x has changed
		g.arrivals(x, in, func(v int32, level int) { ok = ok && g.turn(in, v, c, level) })
		if !ok {
			return false
		}
	}
	return true
}

// arrivals calls f with the channels of lanes on which packets of each level may go from switch x
// by channel c with old entries.
func (g *grower) arrivals(x, c int32, f func(v int32, level int)) {
	if g.f.lane.plain {
		g.levels.each(func(level int) { f(vertex(c, level), level) })
		return
	}
	each := func(in topology.Port) {
		g.levels.each(func(level int) { f(g.f.lane.onto(in, c, level), level) })
	}
	g.f.lane.entries(int(x), each)
	for _, back := range g.f.Net.Out(int(x)) {
		if y := g.f.to(back); g.given[y] == back^1 {
			each(g.f.Net.From(int(back)))
		}
	}
}

// turn takes packets of a level from vertex v of channel in on to channel c, and follows them.
func (g *grower) turn(in, v, c int32, level int) bool {
	to := g.f.lane.onto(g.f.Net.To(int(in)), c, level)
	return g.depend(v, to) && g.follow(c, to, level)
}

// follow takes packets on from channel c to the destination.
func (g *grower) follow(c, v int32, level int) bool {
	for {
		out := g.now(int32(g.f.to(c)))
		if out < 0 {
			return true
		}
		to := g.f.lane.onto(g.f.Net.To(int(c)), out, level)
		if !g.depend(v, to) {
			return false
		}
		c, v = out, to
	}
}

// depend adds a dependency, if the trial allows it.
func (g *grower) depend(from, to int32) bool {
	return g.graph.Has(from, to) || g.trial != asBefore && g.graph.Add(from, to)
}

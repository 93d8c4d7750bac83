package change

import (
	"slices"

	"musubi/routing/acyclic"
	"musubi/topology"
)

// Change is an entry that differs between two tables. Channels are negative if there is none.
type Change struct {
	Destination, Switch int
	From, To            int32
}

// Move is a new service level for packets from the end points of a switch to a destination that have
// an old one.
type Move struct {
	Destination, Switch int
	From, To            int
}

// Added reports whether there was no entry.
func (c Change) Added() bool { return c.From == nowhere }

// Outcome is what becomes of tables after a loss.
type Outcome struct {
	// Affected is the number of entries to end points whose packets came to what is gone. Entries of
	// switches that are gone, and those to end points that are gone, do not count.
	Affected int
	Changes  []Change
	// Moves are packets that have to change their service level.
	Moves []Move
	// Stuck are switches with end points that have no way to a destination, though one exists.
	Stuck []Change
	// Apart counts the pairs of hosts that are left and that no path joins.
	Apart int64
	// Most is the largest load of a channel after the repair, see Load, and Busiest that channel, -1
	// if there is none.
	Most    int64
	Busiest int
	// Widened says that the new entries make dependencies among channels that the old ones do not
	// make. They close no cycle.
	Widened bool
	// Unordered says that new entries were found only without regard to packets under way with old
	// ones.
	Unordered bool
}

// Repairer repairs the same tables after one loss or another. It is for one goroutine.
type Repairer struct {
	f      *Forwarding
	grower *grower
	noted  []int32 // per switch: the epoch in which its new entry was listed
	// Cyclic says that the tables themselves can deadlock. Repairs keep that.
	Cyclic bool
	load   []int64 // per channel
	after  []int64 // the same after the last repair
	// Thorough repairs also the entries of switches without end points.
	Thorough bool
	// all has the destinations to which all entries are found anew; nil: to none.
	all map[int]bool
}

// NewRepairer prepares for repairs of f.
func NewRepairer(f *Forwarding) *Repairer {
	g := newGrower(f)
	var cyclic bool
	g.graph, cyclic = graphOf(f, topology.NewLoss())
	r := &Repairer{f: f, grower: g, load: Load(f, topology.NewLoss()), Cyclic: cyclic, noted: make([]int32, len(f.Net.Switches))}
	r.complete(topology.NewLoss())
	return r
}

// Fork returns a repairer of the same tables for another goroutine.
func (r *Repairer) Fork() *Repairer {
	c := *r
	c.after, c.noted = nil, make([]int32, len(r.noted))
	g := newGrower(r.f)
	g.of, g.inUse = r.grower.of, r.grower.inUse
	g.graph, g.transit = r.grower.graph.Clone(), r.grower.transit
	c.grower = g
	return &c
}

// complete adds entries where switches have none, as no packet comes by. Repairs can lead packets
// there. They make no dependency that is not in the graph.
func (r *Repairer) complete(loss topology.Loss) {
	g := r.grower
	g.lose(loss)
	full := r.f.clone()
	full.given = r.f.next
	var heads []int32
	for d := range r.f.Destinations {
		heads = heads[:0]
		for s, c := range r.f.next[d] {
			if c == nowhere && !loss.Switches[s] {
				heads = append(heads, int32(s))
			}
		}
		if len(heads) == 0 || r.f.Destinations[d].EndPoint < 0 {
			continue
		}
		g.begin(d, heads)
		g.grow(asBefore, false)
		for _, s := range heads {
			if !g.waiting(s) {
				full.next[d][s] = g.way[s]
			}
		}
	}
	r.f, g.f = full, full
}

// graphOf returns the dependencies of all paths between end points, but for those that close a
// cycle, and whether there are any of these.
func graphOf(f *Forwarding, loss topology.Loss) (g *acyclic.Graph, cyclic bool) {
	g = acyclic.New(vertices(f.Net))
	m := newMixture(f, f, loss)
	for d := range f.Destinations {
		m.walk(d, func(from, to int32) bool {
			if !g.Has(from, to) && !g.Add(from, to) {
				cyclic = true
			}
			return true
		})
	}
	g.Begin()
	return g, cyclic
}

// Repair finds new entries after a loss.
func (r *Repairer) Repair(loss topology.Loss) Outcome {
	g := r.grower
	g.graph.Begin()
	g.lose(loss)
	copy(g.load, r.load)
	r.after = append(r.after[:0], r.load...)
	r.forget(loss)
	var o Outcome
	tails := r.tails(loss)
	var heads []int32
	for d, to := range r.f.Destinations {
		if loss.Switches[to.Switch] || to.EndPoint < 0 && !r.Thorough {
			continue
		}
		heads = heads[:0]
		next := r.f.next[d]
		for _, c := range tails {
			if s := int32(r.f.Net.From(int(c)).Switch); next[s] == c {
				heads = append(heads, s)
			}
		}
		if r.Thorough {
			r.countAll(&o, d, loss)
			r.deliver(&o, d, loss)
			heads = r.broken(heads, d, loss)
		}
		if r.all != nil {
			if heads = heads[:0]; r.all[d] {
				heads = r.others(heads, d, loss)
			}
		}
		if len(heads) > 0 {
			r.restore(&o, d, heads)
		}
	}
	o.Widened = len(g.graph.Added()) > 0
	g.graph.RollBack()
	o.Busiest = -1
	for c, n := range r.after {
		if o.Busiest < 0 || n > o.Most {
			o.Most, o.Busiest = n, c
		}
	}
	if len(o.Stuck) > 0 || len(loss.Switches) > 0 || len(loss.Links) > 1 || r.Thorough {
		part := parts(r.f.Net, loss)
		o.Apart = apart(g.hosts, part, loss)
		o.Stuck = slices.DeleteFunc(o.Stuck, func(c Change) bool {
			return part[c.Switch] != part[r.f.Destinations[c.Destination].Switch]
		})
	}
	return o
}

// Apart counts the ordered pairs of hosts that are left after a loss and that no link joins.
func Apart(net *topology.Network, loss topology.Loss) int64 {
	return apart(hostsBySwitch(net), parts(net, loss), loss)
}

// parts numbers the parts that are left of a network, by switch.
func parts(net *topology.Network, loss topology.Loss) []int {
	part := make([]int, len(net.Switches))
	for s := range part {
		part[s] = -1
	}
	number := 0
	for s := range part {
		if part[s] >= 0 {
			continue
		}
		part[s] = number
		for queue := []int{s}; len(queue) > 0; queue = queue[1:] {
			for _, c := range net.Out(queue[0]) {
				if x := net.To(int(c)).Switch; part[x] < 0 && !loss.Link(net, int(c)>>1) {
					part[x] = number
					queue = append(queue, x)
				}
			}
		}
		number++
	}
	return part
}

// apart counts the ordered pairs of hosts in different parts.
func apart(hosts []int64, part []int, loss topology.Loss) int64 {
	in := make(map[int]int64)
	var all, together int64
	for s, n := range hosts {
		if !loss.Switches[s] {
			in[part[s]] += n
			all += n
		}
	}
	for _, n := range in {
		together += n * n
	}
	return all*all - together
}

// tails returns the channels that are gone and leave switches that are left.
func (r *Repairer) tails(loss topology.Loss) []int32 {
	var list []int32
	add := func(c int32) {
		if !loss.Switches[r.f.Net.From(int(c)).Switch] {
			list = append(list, c)
		}
	}
	for link := range loss.Links {
		add(int32(2 * link))
		add(int32(2*link + 1))
	}
	for s := range loss.Switches {
		for _, c := range r.f.Net.Out(s) {
			if !loss.Links[int(c)>>1] {
				add(c ^ 1)
			}
		}
	}
	return list
}

// deliver mends the entry of the switch that a destination is attached to, as where a host has moved
// to another port. No other entry has to change, and packets that leave the fabric make no dependency.
func (r *Repairer) deliver(o *Outcome, d int, loss topology.Loss) {
	to := r.f.Destinations[d]
	c := r.f.given[d][to.Switch]
	if to.EndPoint < 0 || c == deliver {
		return
	}
	r.f.next[d][to.Switch] = deliver
	o.Changes = append(o.Changes, Change{d, to.Switch, c, deliver})
	if !r.f.counts(d) {
		return
	}
	for s, n := range r.grower.hosts {
		if !loss.Switches[s] {
			r.weigh(d, int32(s), n, r.f.next[d])
		}
	}
}

// broken adds the switches whose entry leads to a port without a link, and those that have no entry
// where packets enter the fabric or come by, but for the switch of the destination.
func (r *Repairer) broken(heads []int32, d int, loss topology.Loss) []int32 {
	for s, c := range r.f.given[d] {
		missing := c == nowhere && (r.grower.ends[s] || r.passed(d, s))
		if (c == dead || missing) && !loss.Switches[s] && s != r.f.Destinations[d].Switch {
			heads = append(heads, int32(s))
		}
	}
	return heads
}

// passed reports whether an entry of another switch leads to a switch.
func (r *Repairer) passed(d, s int) bool {
	for _, c := range r.f.Net.Out(s) {
		if r.f.given[d][r.f.to(c)] == c^1 && !r.grower.gone[c] {
			return true
		}
	}
	return false
}

// others adds all switches but that of the destination.
func (r *Repairer) others(heads []int32, d int, loss topology.Loss) []int32 {
	for s := range r.f.Net.Switches {
		if s != r.f.Destinations[d].Switch && !loss.Switches[s] {
			heads = append(heads, int32(s))
		}
	}
	return heads
}

// restore finds new entries to a destination.
func (r *Repairer) restore(o *Outcome, d int, heads []int32) {
	g := r.grower
	g.begin(d, heads)
	if !r.Thorough {
		r.count(o)
		g.grow(asBefore, true)
	}
	if r.needed() {
		g.grow(asBefore, false)
	}
	if r.needed() {
		g.grow(added, false)
	}
	if !g.transit && g.inUse > 1 && r.needed() {
		g.grow(moved, false)
	}
	for _, s := range g.members {
		r.shift(s)
		switch {
		case !g.waiting(s):
			r.note(o, s)
			if g.switched[s] == g.epoch {
				r.f.lane.at(r.f.Destinations[d], int(s)).each(func(level int) {
					if to := int(g.level[s][level]); to != level {
						o.Moves = append(o.Moves, Move{d, int(s), level, to})
					}
				})
			}
		case r.f.Destinations[d].EndPoint >= 0 && r.grower.ends[s]:
			o.Stuck = append(o.Stuck, Change{d, int(s), g.given[s], nowhere})
		}
	}
}

// count adds the entries to the present destination whose packets come to what is gone. They are among
// the members, each behind the one that it leads to.
func (r *Repairer) count(o *Outcome) {
	g := r.grower
	for _, s := range g.members {
		c := g.given[s]
		if c == dead || c >= 0 && (g.gone[c] || g.used[g.f.to(c)] == g.epoch) {
			g.used[s] = g.epoch
			o.Affected++
		}
	}
}

// countAll is count for all entries to a destination, before any of them is mended.
func (r *Repairer) countAll(o *Outcome, d int, loss topology.Loss) {
	var heads []int32
	for s, c := range r.f.given[d] {
		if !loss.Switches[s] && (c == dead || c >= 0 && r.grower.gone[c]) {
			heads = append(heads, int32(s))
		}
	}
	if len(heads) > 0 && r.f.Destinations[d].EndPoint >= 0 {
		r.grower.begin(d, heads)
		r.count(o)
	}
}

// forget takes away the load of packets from and to hosts that are gone.
func (r *Repairer) forget(loss topology.Loss) {
	if len(loss.Switches) == 0 {
		return
	}
	for d, to := range r.f.Destinations {
		if !r.f.counts(d) {
			continue
		}
		if loss.Switches[to.Switch] {
			for s, n := range r.grower.hosts {
				r.weigh(d, int32(s), -n, r.f.next[d])
			}
			continue
		}
		for s := range loss.Switches {
			r.weigh(d, int32(s), -r.grower.hosts[s], r.f.next[d])
		}
	}
}

// weigh adds n pairs to the channels from a switch to a destination.
func (r *Repairer) weigh(d int, s int32, n int64, next []int32) {
	if n != 0 {
		addPath(r.f, r.after, next, int(s), n, topology.Loss{})
	}
}

// shift moves the load of a switch that was cut off to its new way.
func (r *Repairer) shift(s int32) {
	g := r.grower
	n := g.hosts[s]
	if n == 0 || !r.f.counts(g.d) {
		return
	}
	r.weigh(g.d, s, -n, g.next)
	if g.waiting(s) {
		return
	}
	for c := g.now(s); c >= 0; c = g.now(s) {
		r.after[c] += n
		s = int32(r.f.to(c))
	}
}

// note lists the new entry of a switch, and those behind it that were not in use.
func (r *Repairer) note(o *Outcome, s int32) {
	g := r.grower
	if g.given[s] == nowhere && !r.grower.ends[s] {
		return // no packet comes by, unless another one notes it
	}
	for c := g.now(s); c >= 0 && r.noted[s] != g.epoch; c = g.now(s) {
		r.noted[s] = g.epoch
		if c != g.given[s] {
			o.Changes = append(o.Changes, Change{g.d, int(s), g.given[s], c})
		}
		s = int32(r.f.to(c))
	}
}

// needed reports whether a switch that should have a way to the present destination has none.
func (r *Repairer) needed() bool {
	for _, s := range r.grower.members {
		if r.grower.waiting(s) && (r.Thorough || r.grower.ends[s]) {
			return true
		}
	}
	return false
}

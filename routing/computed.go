package routing

import "musubi/topology"

// A rule computes the paths of a network when they are needed, so that none is kept.
type rule interface {
	// walk appends the path from switch src to switch dst for the i-th end point of src and the
	// j-th of dst. base is the first virtual channel of the source's lane.
	walk(p Path, base, src, dst, i, j int) Path
	// forks tells whether paths between two switches differ by their end points.
	forks() (bySource, byDestination bool)
	// longest returns the number of hops of a longest path.
	longest() int
	// statistics measures the paths between switches with so many hosts each, if that is possible
	// without looking at all paths.
	statistics(hosts int64) (Statistics, bool)
	// covers reports whether prove also shows that packets of both, some of which follow other
	// routes for the same network, close no cycle together.
	covers(other *Routes) bool
	// prove shows from the structure of the rule that all pairs have well-formed paths on the
	// virtual channels 0 to vcs-1, and that no cycle of channel dependencies can close. It returns
	// the argument in a few words, or why there is none.
	prove(vcs int) (string, error)
}

// computed is what Routes have in place of tables.
type computed struct {
	rule  rule
	vcs   int     // of a lane
	lanes int     // see plan
	at    []int32 // per end point: its switch
	base  []uint8 // per end point: the first virtual channel of its lane
}

// newComputed makes Routes that follow a rule. Of several lanes each has as many virtual channels
// as the rule needs.
func newComputed(p *plan, r rule) *Routes {
	c := &computed{rule: r, vcs: p.laneVCs, lanes: p.lanes, at: make([]int32, len(p.net.EndPoints)), base: make([]uint8, len(p.net.EndPoints))}
	for sw := range p.net.Switches {
		for i, e := range p.net.EndPointsAt(sw) {
			c.at[e], c.base[e] = int32(sw), uint8(p.lane(sw, i)*p.laneVCs)
		}
	}
	return &Routes{Algorithm: p.opt.algorithm, Net: p.net, VCs: p.lanes * p.laneVCs, local: localNumbers(p.net), computed: c}
}

// localNumbers returns the index of each end point among those of its switch.
func localNumbers(net *topology.Network) []int32 {
	local := make([]int32, len(net.EndPoints))
	for s := range net.Switches {
		for i, e := range net.EndPointsAt(s) {
			local[e] = int32(i)
		}
	}
	return local
}

// path appends the path between two end points.
func (r *Routes) path(p Path, src, dst int) Path {
	c := r.computed
	return c.rule.walk(p, int(c.base[src]), int(c.at[src]), int(c.at[dst]), int(r.local[src]), int(r.local[dst]))
}

// shape returns after how many end points of the source and of the destination the paths between
// two switches repeat.
func (c *computed) shape(net *topology.Network, src, dst int) (rows, cols int) {
	sources, destinations := len(net.EndPointsAt(src)), len(net.EndPointsAt(dst))
	bySource, byDestination := c.rule.forks()
	rows, cols = min(c.lanes, sources), min(1, destinations)
	if bySource && src != dst {
		rows = sources
	}
	if byDestination && src != dst {
		cols = destinations
	}
	return rows, cols
}

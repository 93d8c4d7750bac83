package nexthop

import (
	"maps"
	"math"
)

// CycleCure is a small change that leaves no cycle of dependencies: packets that take one of Turns
// become lossy there, or go on in a further lossless lane.
type CycleCure struct {
	Turns []Turn
	Least bool // fewer turns do not suffice
	// MoreLanes is how many further lossless lanes packets need, going up by one at each of the
	// turns; 0 if a few do not suffice.
	MoreLanes int
}

// Turn is a pair of channels that packets take one after the other, at the switch between them.
type Turn struct {
	From, To Step
	Headings int // whose packets take it
}

// LoopCure is a small change that leaves one heading no forwarding loop: next hops to take out.
type LoopCure struct {
	Heading int32
	Cuts    []Cut
	Least   bool // fewer do not suffice
	// Unreachable is how many pairs of the heading are not sure to arrive after that.
	Unreachable int64
}

// Cut takes a channel out of the next hops of the switch where it begins, for packets that leave
// under a heading.
type Cut struct{ Channel, Heading int32 }

// explainCycle finds a cycle, the flows that close it, and a cure.
func (p *prover) explainCycle(proof *Proof, c *core) {
	c.budget = cycleBudget
	cycle, exact := c.shortestCycle()
	proof.Shortest = exact
	valleys := p.valleys(c)
	cuts, least := c.cuts(cycle, valleys)
	if cuts == nil {
		c.budget = math.MaxInt
		if len(valleys) == 0 || c.anyCycle(valleys) != nil {
			valleys = nil
		}
		cuts = sorted(valleys)
	}

	var edges []dependency // the cycle's and then the cure's, of the whole graph
	for i, v := range cycle {
		edges = append(edges, dependency{c.vertices[v], c.vertices[cycle[(i+1)%len(cycle)]]})
	}
	for _, d := range cuts {
		edges = append(edges, dependency{c.vertices[d.from], c.vertices[d.to]})
	}
	flows, headings := p.flowsOver(edges)
	lanes := int32(p.rules.Lanes())
	for i := range cycle {
		v := edges[i].from
		proof.Cycle = append(proof.Cycle, Dependency{int(v / lanes), int(v % lanes), flows[i], headings[i]})
	}
	if cuts == nil {
		return
	}
	proof.CycleCure = &CycleCure{Least: least}
	turns := make(map[dependency]bool)
	for i, e := range edges[len(cycle):] {
		turns[e] = true
		proof.CycleCure.Turns = append(proof.CycleCure.Turns,
			Turn{p.stepOf(e.from), p.stepOf(e.to), headings[len(cycle)+i]})
	}
	for more := 1; more <= maxMoreLanes && proof.CycleCure.MoreLanes == 0; more++ {
		if p.freeWith(newRaised(p.rules, turns, more)) {
			proof.CycleCure.MoreLanes = more
		}
	}
}

// maxMoreLanes is how many further lanes are tried.
const maxMoreLanes = 3

func (p *prover) stepOf(v int32) Step {
	lanes := int32(p.rules.Lanes())
	return Step{Channel: v / lanes, Lane: uint8(v % lanes)}
}

// freeWith reports whether rules close no cycle.
func (p *prover) freeWith(rules Rules) bool {
	q := &prover{rules: rules, lossless: losslessLanes(rules), turns: newTurns(rules.Network(), rules.Lanes())}
	for _, part := range q.walkAll(nil) {
		q.turns.merge(part.turns)
	}
	return len(q.turns.cyclicCore().vertices) == 0
}

// flowsOver finds a flow for each dependency, and how many headings make it.
func (p *prover) flowsOver(edges []dependency) (flows []Flow, headings []int) {
	index := make(map[dependency][]int)
	from := make([]bool, len(p.lossless))
	for i, e := range edges {
		index[e] = append(index[e], i)
		from[e.from] = true
	}
	type finding struct {
		last, first int32
		headings    int
	}
	var parts [][]finding
	p.walkAll(&watch{from, func() func(heading, from, to int32) {
		list := make([]finding, len(edges))
		for i := range list {
			list[i].last, list[i].first = -1, -1
		}
		parts = append(parts, list)
		return func(heading, from, to int32) {
			for _, i := range index[dependency{from, to}] {
				f := &list[i]
				if f.last == heading {
					continue
				}
				f.last = heading
				f.headings++
				if f.first < 0 || heading < f.first {
					f.first = heading
				}
			}
		}
	}})
	flows, headings = make([]Flow, len(edges)), make([]int, len(edges))
	for i, e := range edges {
		first := int32(-1)
		for _, list := range parts {
			headings[i] += list[i].headings
			if list[i].first >= 0 && (first < 0 || list[i].first < first) {
				first = list[i].first
			}
		}
		entries := p.rules.Entries(first)
		t := tracer{p.rules, entries, first}
		walk, entry := t.walkOver(place(p.stepOf(e.from)), place(p.stepOf(e.to)))
		flows[i] = Flow{source(entries[entry], p.rules.Targets(first)), first, walk}
	}
	return flows, headings
}

// cutsTried is how many sets of dependencies are tried before the rest is cut one cycle at a
// time, and mostExact the size of the sets.
const (
	cutsTried = 2000
	mostExact = 4
	mostCuts  = 1000
)

// cuts returns a small set of dependencies that all cycles go over, beginning with a given cycle,
// and whether there is no smaller one;
// nil if there is no small one. Each set must have a dependency of each cycle, so it is enough
// to branch on those of one. Among sets of one size those that are preferred are found first.
func (c *core) cuts(cycle []int32, prefer map[dependency]bool) (list []dependency, least bool) {
	tried := 0
	c.budget = cycleBudget
	cut := make(map[dependency]bool)
	var try func(cycle []int32, most int) bool
	try = func(cycle []int32, most int) bool {
		for _, d := range preferred(cycle, prefer) {
			if tried++; tried > cutsTried || c.budget < 0 {
				return false
			}
			cut[d] = true
			rest := c.anyCycle(cut)
			if rest == nil || most > 1 && try(rest, most-1) {
				return true
			}
			delete(cut, d)
		}
		return false
	}
	for most := 1; most <= mostExact; most++ {
		clear(cut)
		if try(cycle, most) {
			return sorted(cut), true
		}
		if tried > cutsTried || c.budget < 0 {
			break
		}
	}
	clear(cut)
	c.budget = cycleBudget
	for rest := cycle; rest != nil; rest = c.anyCycle(cut) {
		if len(cut) == mostCuts || c.budget < 0 {
			return nil, false
		}
		cut[preferred(rest, prefer)[0]] = true
	}
	return sorted(cut), false
}

// preferred lists the dependencies of a cycle, those first that are preferred.
func preferred(cycle []int32, prefer map[dependency]bool) []dependency {
	var list, rest []dependency
	for i, v := range cycle {
		d := dependency{v, cycle[(i+1)%len(cycle)]}
		if prefer[d] {
			list = append(list, d)
		} else {
			rest = append(rest, d)
		}
	}
	return append(list, rest...)
}

// valleys returns the dependencies by which packets that have come down towards the hosts go up
// again.
func (p *prover) valleys(c *core) map[dependency]bool {
	net := p.rules.Network()
	links := net.LinkLevels()
	level := make([]int, len(net.Switches))
	for s := range level {
		if len(net.EndPointsAt(s)) > 0 {
			continue
		}
		level[s] = math.MaxInt
		for _, c := range net.Out(s) {
			level[s] = min(level[s], links[c/2])
		}
	}
	lanes := int32(p.rules.Lanes())
	cut := make(map[dependency]bool)
	for from, next := range c.next {
		in := int(c.vertices[from] / lanes)
		at := level[net.To(in).Switch]
		for _, to := range next {
			if out := int(c.vertices[to] / lanes); links[in/2] > at && links[out/2] > at {
				cut[dependency{int32(from), to}] = true
			}
		}
	}
	return cut
}

// anyCycle returns a cycle without the dependencies that are cut, nil if there is none.
func (c *core) anyCycle(cut map[dependency]bool) []int32 {
	const fresh, open, done = 0, 1, 2
	state := make([]uint8, len(c.next))
	at := make([]int, len(c.next))
	var way []int32
	for root := range c.next {
		if state[root] != fresh {
			continue
		}
		way = append(way[:0], int32(root))
		state[root] = open
		for len(way) > 0 {
			v := way[len(way)-1]
			if at[v] == len(c.next[v]) {
				state[v] = done
				way = way[:len(way)-1]
				continue
			}
			w := c.next[v][at[v]]
			at[v]++
			c.budget--
			switch {
			case cut[dependency{v, w}] || state[w] == done:
			case state[w] == open:
				first := len(way) - 1
				for way[first] != w {
					first--
				}
				return way[first:]
			default:
				state[w] = open
				way = append(way, w)
			}
		}
	}
	return nil
}

func sorted(cut map[dependency]bool) []dependency {
	var list []dependency
	for d := range maps.Keys(cut) {
		list = append(list, d)
	}
	sortDependencies(list)
	return list
}

package traffic

import (
	"errors"

	"musubi/workload"
)

// Patterns that are not permutations.
const (
	uniformPattern  = "uniform"
	hotspotPattern  = "hotspot"
	incastPattern   = "incast"
	allToAllPattern = "all-to-all"
	// nextGroupPattern is the worst of a dragonfly: all packets of a group go to the next one, over one
	// link if there is one (bad_dragon in BookSim2).
	nextGroupPattern = "next-group"
)

// patternNames lists all traffic patterns.
func patternNames() []string { return append(patternsWithoutGroups(), nextGroupPattern) }

// patternsWithoutGroups lists those for any network.
func patternsWithoutGroups() []string {
	var names []string
	for _, p := range permutations {
		names = append(names, p.name)
	}
	return append(names, uniformPattern, hotspotPattern, incastPattern, allToAllPattern)
}

// hotspot is the share of the packets of the hotspot pattern that go to one destination; the others
// go to all destinations with equal probability.
type hotspot struct {
	target   int
	fraction float64
}

// destinations returns a function that makes fresh generators of destinations for a pattern over
// places. It fails if these do not fit the pattern.
func destinations(pattern string, p places, hot hotspot) (func() workload.Destination, error) {
	to, err := permutation(pattern, p)
	switch {
	case err != nil:
		return nil, err
	case to != nil:
		return func() workload.Destination {
			return func(src, _ int, _ func(int) int) int { return to[src] }
		}, nil
	case pattern == hotspotPattern:
		return func() workload.Destination { return hot.draw }, nil
	case pattern == incastPattern:
		return func() workload.Destination {
			return func(_, _ int, _ func(int) int) int { return hot.target }
		}, nil
	case pattern == allToAllPattern:
		return rotation, nil
	case pattern == nextGroupPattern:
		return nextGroup(p)
	}
	return func() workload.Destination { return uniform }, nil
}

// uniform draws among all destinations, the source included (Dally and Towles,
// table 3.1).
func uniform(_, n int, draw func(int) int) int { return draw(n) }

func (h hotspot) draw(src, n int, draw func(int) int) int {
	const grain = 1 << 30
	if draw(grain) < int(h.fraction*grain) {
		return h.target
	}
	return uniform(src, n, draw)
}

// nextGroup draws among the places of the group after that of the source.
func nextGroup(p places) (func() workload.Destination, error) {
	if p.groupOf == nil {
		return nil, errors.New("next-group needs groups of switches, such as dragonfly:a=4,h=2,p=2 has, and there are none among these")
	}
	members := map[int][]int{}
	last := 0
	for place := range p.n {
		g := p.groupOf(place)
		members[g] = append(members[g], place)
		last = max(last, g)
	}
	draw := func(src, _ int, draw func(int) int) int {
		g := p.groupOf(src)
		for {
			if g++; g > last {
				g = 0
			}
			if to := members[g]; len(to) > 0 {
				return to[draw(len(to))]
			}
		}
	}
	return func() workload.Destination { return draw }, nil
}

// rotation lets each source send to all destinations in turn, beginning with the
// one after itself and ending with itself.
func rotation() workload.Destination {
	sent := map[int]int{} // by source
	return func(src, n int, _ func(int) int) int {
		sent[src]++
		return (src + sent[src]) % n
	}
}

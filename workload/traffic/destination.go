package traffic

import "musubi/workload"

// Patterns that are not permutations.
const (
	uniformPattern  = "uniform"
	hotspotPattern  = "hotspot"
	incastPattern   = "incast"
	allToAllPattern = "all-to-all"
)

// patternNames lists all traffic patterns.
func patternNames() []string {
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

// rotation lets each source send to all destinations in turn, beginning with the
// one after itself and ending with itself.
func rotation() workload.Destination {
	sent := map[int]int{} // by source
	return func(src, n int, _ func(int) int) int {
		sent[src]++
		return (src + sent[src]) % n
	}
}

package adaptive

import (
	"slices"

	"musubi/routing/nexthop"
	"musubi/topology"
)

// Hop is a next hop: a channel and a virtual channel.
type Hop struct {
	Channel int32
	VC      uint8
}

// basis is next hops that depend on the switch and the destination alone, so that no packet which
// stays on them can be part of a deadlock.
type basis interface {
	vcs() int
	// hops appends the next hops at a switch to another one.
	hops(list []Hop, sw, to int) []Hop
	// length returns the number of hops to the other switch.
	length(sw, to int) int
}

// fewHops is up to which diameter of a network each hop of a shortest way has a virtual channel of
// its own.
const fewHops = 4

// basisOf returns the basis for packets that take detours, or do not, that allows the most ways: all shortest ones, if a few
// virtual channels keep them free of cycles; else dimension order, or Up*/Down*.
func basisOf(c *common, detours bool) basis {
	if g := groupsOf(c, detours); g != nil {
		return g
	}
	if one := (&shortest{common: c, lanes: 1}); c.indirect() && c.free(one) {
		return one
	}
	if c.dist.diameter > 1 {
		if b := dimensionOrder(c); b != nil {
			return b
		}
	}
	if c.dist.diameter <= fewHops {
		return &shortest{common: c, lanes: max(1, c.dist.diameter), byDistance: true}
	}
	return newUpDown(c.net)
}

// dimensionOrder returns a basis with one way to each destination, or few; nil for networks without coordinates, and where
// too many links are missing.
func dimensionOrder(c *common) basis {
	switch s := c.net.Shape; {
	case s == nil:
		return nil
	case s.Full:
		if l := newLines(c); l != nil {
			return l
		}
	default:
		if o := newOrder(c); o != nil {
			return o
		}
	}
	return nil
}

// indirect tells whether there are switches without end points, as in trees.
func (c *common) indirect() bool {
	for sw := range c.net.Switches {
		if len(c.net.EndPointsAt(sw)) == 0 {
			return true
		}
	}
	return false
}

// free tells whether packets that stay on a basis close no cycle.
func (c *common) free(b basis) bool {
	return nexthop.Prove(Rules(&minimal{common: *c, basis: b})).DeadlockFree()
}

// distances are the numbers of hops between switches.
type distances struct {
	n        int
	hops     []int16 // by destination, then by switch; -1: it cannot be reached
	diameter int     // between switches with end points
}

func newDistances(net *topology.Network) *distances {
	n := len(net.Switches)
	d := &distances{n: n, hops: slices.Repeat([]int16{-1}, n*n)}
	var queue []int32
	for to := range n {
		row := d.hops[to*n : (to+1)*n]
		row[to] = 0
		queue = append(queue[:0], int32(to))
		for head := 0; head < len(queue); head++ {
			sw := queue[head]
			for _, c := range net.Out(int(sw)) {
				if next := net.To(int(c)).Switch; row[next] < 0 {
					row[next] = row[sw] + 1
					queue = append(queue, int32(next))
				}
			}
		}
		if len(net.EndPointsAt(to)) == 0 {
			continue
		}
		for sw, hops := range row {
			if len(net.EndPointsAt(sw)) > 0 {
				d.diameter = max(d.diameter, int(hops))
			}
		}
	}
	return d
}

// between returns the number of hops from a switch to another one.
func (d *distances) between(sw, to int) int { return int(d.hops[to*d.n+sw]) }

// apart returns a switch that the first one cannot reach, -1 if there is none.
func (d *distances) apart() int { return slices.Index(d.hops[:d.n], -1) }

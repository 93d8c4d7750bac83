package routing

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"musubi/topology"
)

// dimensionOrder is the rule that corrects one coordinate after the other, each by one leg.
type dimensionOrder struct {
	net     *topology.Network
	axes    []axis
	channel []int32 // (switch * axes + position in axes) * 2, + 1 upwards
	ties    ties
	shift   int // see Options
}

// axis is a dimension of a regular network.
type axis struct {
	size, stride uint32 // switch s has coordinate s / stride % size
	wrap         bool   // the last switch and the first are neighbours
	course       course
}

// course chooses the legs of an axis.
type course interface {
	// leg returns how packets get from a coordinate to another one. If both ways round are alike,
	// up says which one they go.
	leg(from, to uint32, up bool) leg
	// longest returns the number of hops of a longest leg.
	longest() int
}

// leg is the part of a path along one axis: hops in one direction on one virtual channel.
type leg struct {
	up   bool
	tied bool // there is another leg, the other way round
	vc   uint8
	hops uint32
}

// ties is the way in which a rule chooses between two ways round a ring that are equally long.
type ties uint8

const (
	tiesDown          ties = iota // LowPort: the port downwards has the lower number
	tiesBySource                  // Spread
	tiesByDestination             // Spread with Options.DestinationOnly
	tiesByPosition                // Regular
)

func tiesOf(opt Options) ties {
	switch {
	case opt.Selection == LowPort:
		return tiesDown
	case opt.Selection == Regular:
		return tiesByPosition
	case opt.DestinationOnly:
		return tiesByDestination
	}
	return tiesBySource
}

// line is the course of an axis without wrap-around links.
type line struct{ size uint32 }

func (l line) longest() int { return int(l.size) - 1 }

func (l line) leg(from, to uint32, _ bool) leg {
	if to > from {
		return leg{up: true, hops: to - from}
	}
	return leg{hops: from - to}
}

// ring is the course of an axis with wrap-around links: the shorter way round, on virtual channel
// 1 if it crosses the wrap-around link of a ring of more than three switches. See buildECube.
type ring struct{ size uint32 }

func (r ring) longest() int { return int(r.size) / 2 }

func (r ring) leg(from, to uint32, up bool) leg {
	rise := to - from
	if to < from {
		rise += r.size
	}
	l := leg{up: 2*rise < r.size, tied: 2*rise == r.size, hops: rise}
	if l.tied {
		l.up = up
	}
	if !l.up {
		l.hops = r.size - rise
	}
	if r.size > 3 && l.up != (to > from) {
		l.vc = 1
	}
	return l
}

// walk implements rule.
func (d *dimensionOrder) walk(p Path, base, src, dst, i, j int) Path {
	at, goal, digits := uint32(src), uint32(dst), i+d.shift
	for k := range d.axes {
		x := &d.axes[k]
		from, to := at/x.stride%x.size, goal/x.stride%x.size
		if from == to {
			continue
		}
		l := x.course.leg(from, to, false)
		if l.tied {
			l = x.course.leg(from, to, d.ascends(k, at, goal, digits, j))
			digits /= 2
		}
		vc := Hop(base) + Hop(l.vc)
		if l.up {
			p, at = d.climb(p, k, at, from, l.hops, vc)
		} else {
			p, at = d.descend(p, k, at, from, l.hops, vc)
		}
	}
	return p
}

// ascends breaks a tie on axis k.
func (d *dimensionOrder) ascends(k int, at, goal uint32, digits, j int) bool {
	switch d.ties {
	case tiesBySource:
		return digits&1 == 1
	case tiesByDestination:
		return j&1 == 1
	case tiesByPosition:
		return d.parity(k, at, goal)
	}
	return false
}

// parity is even for one half of the positions from which packets go to goal by way of axis k and odd
// for the other. It does not depend on the coordinates that are corrected, so that what a switch
// does depends on the destination alone.
func (d *dimensionOrder) parity(k int, at, goal uint32) bool {
	x := &d.axes[k]
	sum := at / x.stride % x.size
	for _, y := range d.axes[k+1:] {
		sum += at/y.stride%y.size + goal/y.stride%y.size
	}
	return sum&1 == 1
}

// climb appends hops up axis k, from a switch whose coordinate there is x.
func (d *dimensionOrder) climb(p Path, k int, at, x, hops uint32, vc Hop) (Path, uint32) {
	a := &d.axes[k]
	for range hops {
		p = append(p, Hop(d.channel[(at*uint32(len(d.axes))+uint32(k))*2+1])<<8|vc)
		at += a.stride
		if x++; x == a.size {
			x = 0
			at -= a.stride * a.size
		}
	}
	return p, at
}

// descend appends hops down axis k.
func (d *dimensionOrder) descend(p Path, k int, at, x, hops uint32, vc Hop) (Path, uint32) {
	a := &d.axes[k]
	for range hops {
		p = append(p, Hop(d.channel[(at*uint32(len(d.axes))+uint32(k))*2])<<8|vc)
		if x == 0 {
			x = a.size
			at += a.stride * a.size
		}
		x--
		at -= a.stride
	}
	return p, at
}

// lanes returns the number of virtual channels that the rule needs.
func (d *dimensionOrder) lanes() int {
	if slices.ContainsFunc(d.axes, func(x axis) bool { return x.wrap && x.size > 3 }) {
		return 2
	}
	return 1
}

// forks implements rule.
func (d *dimensionOrder) forks() (bySource, byDestination bool) {
	tied := slices.ContainsFunc(d.axes, axis.tied)
	return tied && d.ties == tiesBySource, tied && d.ties == tiesByDestination
}

// tied reports whether there are two ways round that are equally long.
func (x axis) tied() bool { return x.wrap && x.size%2 == 0 }

// longest implements rule.
func (d *dimensionOrder) longest() int {
	hops := 0
	for _, x := range d.axes {
		hops += x.course.longest()
	}
	return hops
}

// errIrregular is the error of networks that lack a link of their shape, or have one more.
var errIrregular = errors.New("the links are not those of a regular network")

// newDimensionOrder makes the rule for a network with coordinates, which packets correct in the
// given order. It fails if a link is missing or there is one more.
func newDimensionOrder(net *topology.Network, opt Options, order []int) (*dimensionOrder, error) {
	d := &dimensionOrder{net: net, ties: tiesOf(opt), shift: opt.shift}
	strides, stride := make([]int, len(net.Shape.Dims)), 1
	for i, size := range net.Shape.Dims {
		strides[i] = stride
		stride *= size
	}
	if stride != len(net.Switches) {
		return nil, errIrregular
	}
	for _, i := range order {
		x := axis{size: uint32(net.Shape.Dims[i]), stride: uint32(strides[i]), wrap: net.Shape.Wrap[i] && net.Shape.Dims[i] > 2, course: line{uint32(net.Shape.Dims[i])}}
		if x.wrap {
			x.course = ring{x.size}
		}
		d.axes = append(d.axes, x)
	}
	return d, d.wire()
}

// wire finds the channels between neighbours.
func (d *dimensionOrder) wire() error {
	d.channel = make([]int32, len(d.net.Switches)*len(d.axes)*2)
	found := 0
	err := d.neighbours(func(sw, next, place int) error {
		out := d.net.Out(sw)
		c := slices.IndexFunc(out, func(c int32) bool { return d.net.To(int(c)).Switch == next })
		if c < 0 {
			return errIrregular
		}
		d.channel[place] = out[c]
		found++
		return nil
	})
	for sw := range d.net.Switches {
		found -= len(d.net.Out(sw))
	}
	if err == nil && found != 0 {
		return errIrregular
	}
	return err
}

// neighbours calls f for each two switches that are neighbours, with the place of the channel
// from the first to the second.
func (d *dimensionOrder) neighbours(f func(sw, next, place int) error) error {
	for sw := range d.net.Switches {
		for k, x := range d.axes {
			for up := range 2 {
				next, ok := x.neighbour(uint32(sw), up == 1)
				if !ok {
					continue
				}
				if err := f(sw, int(next), (sw*len(d.axes)+k)*2+up); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// neighbour returns the next switch up or down an axis, if there is one.
func (x axis) neighbour(sw uint32, up bool) (uint32, bool) {
	at := sw / x.stride % x.size
	switch {
	case up && at+1 < x.size:
		return sw + x.stride, true
	case !up && at > 0:
		return sw - x.stride, true
	case up && x.wrap:
		return sw - at*x.stride, true
	case x.wrap:
		return sw + (x.size-1)*x.stride, true
	}
	return 0, false
}

// covers implements rule: the proof considers both ways round where they are equally long.
func (d *dimensionOrder) covers(other *Routes) bool {
	if other.computed == nil || other.Net != d.net {
		return false
	}
	o, ok := other.computed.rule.(*dimensionOrder)
	return ok && slices.Equal(o.axes, d.axes)
}

// prove implements rule. Packets travel on each axis once, in one order, so that a cycle can only
// close among the legs of one axis; and all lines of switches along an axis are alike. So it looks
// at the legs of one line for each axis.
func (d *dimensionOrder) prove(vcs int) (string, error) {
	axes := slices.SortedFunc(slices.Values(d.axes), func(x, y axis) int {
		return cmp.Or(cmp.Compare(x.stride, y.stride), cmp.Compare(x.size, y.size))
	})
	switches := uint32(1)
	for _, x := range axes {
		if x.stride != switches {
			return "", fmt.Errorf("an axis has stride %d; expected each axis once, the next with stride %d", x.stride, switches)
		}
		switches *= x.size
		if err := x.prove(vcs); err != nil {
			return "", fmt.Errorf("axis with stride %d: %w", x.stride, err)
		}
	}
	if int(switches) != len(d.net.Switches) {
		return "", fmt.Errorf("the axes have %d switches, the network %d", switches, len(d.net.Switches))
	}
	err := d.neighbours(func(sw, next, place int) error {
		if c := int(d.channel[place]); d.net.From(c).Switch != sw || d.net.To(c).Switch != next {
			return fmt.Errorf("channel %d does not lead from switch %d to %d", c, sw, next)
		}
		return nil
	})
	return fmt.Sprintf("dimension order, at most one leg on each of %d axes, whose legs close no cycle", len(d.axes)), err
}

// prove checks the legs of an axis. On one virtual channel and in one direction, a cycle of
// dependencies goes all the way round: every channel of the line depends on the one before it.
func (x axis) prove(vcs int) error {
	chains := make([]uint32, 2*vcs*int(x.size)) // direction, virtual channel, start: channels of the longest leg
	for from := range x.size {
		for to := range x.size {
			if from == to {
				continue
			}
			for _, up := range []bool{false, true} {
				l := x.course.leg(from, to, up)
				if err := x.check(l, from, to, vcs); err != nil {
					return err
				}
				first := (2*uint32(l.vc) + direct(l.up)) * x.size
				chains[first+from] = max(chains[first+from], l.hops)
			}
		}
	}
	for i := range 2 * vcs {
		if closes(chains[i*int(x.size):(i+1)*int(x.size)], i&1 == 1) {
			return fmt.Errorf("legs close a cycle round %d switches on virtual channel %d", x.size, i/2)
		}
	}
	return nil
}

func direct(up bool) uint32 {
	if up {
		return 1
	}
	return 0
}

// check fails if a leg does not lead from a coordinate to another one over different channels that
// there are.
func (x axis) check(l leg, from, to uint32, vcs int) error {
	beyond := l.up && from+l.hops >= x.size || !l.up && l.hops > from
	end := (from + l.hops) % x.size
	if !l.up {
		end = (from + x.size - l.hops%x.size) % x.size
	}
	switch {
	case l.hops >= x.size || end != to:
		return fmt.Errorf("a leg of %d hops from %d leads to %d; expected %d", l.hops, from, end, to)
	case beyond && !x.wrap:
		return fmt.Errorf("a leg of %d hops from %d leads beyond the last switch", l.hops, from)
	case int(l.vc) >= vcs:
		return fmt.Errorf("a leg from %d to %d uses virtual channel %d of %d", from, to, l.vc, vcs)
	}
	return nil
}

// closes reports whether chains of channels, given by start and number, close a cycle round a ring.
func closes(chains []uint32, up bool) bool {
	n := uint32(len(chains))
	left := uint32(0) // dependencies that begin here or further on, of the chains so far
	for i := range 2 * n {
		at := i % n
		if !up {
			at = n - 1 - at
		}
		if chains[at] > 0 {
			left = max(left, chains[at]-1)
		}
		if left == 0 && i >= n {
			return false
		}
		left -= min(left, 1)
	}
	return n > 0
}

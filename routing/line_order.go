package routing

import (
	"cmp"
	"fmt"
	"slices"

	"musubi/topology"
)

// lineOrder is dimension order where all switches in a line are linked, as in a HyperX: one hop corrects a
// coordinate.
type lineOrder struct {
	net     *topology.Network
	axes    []lineAxis // in the order in which packets correct them
	row     int
	channel []int32 // by switch * row + place on an axis; -1 where a switch would be linked to itself
	ties    ties
	shift   int // see Options
}

// lineAxis is a dimension in which all switches that differ in it alone are linked.
type lineAxis struct {
	size, stride int // switch s has coordinate s / stride % size
	width        int // links between two switches
	first        int // place of coordinate 0 among the channels of a switch
}

// place is where the i-th channel to a coordinate stands among those of a switch.
func (x *lineAxis) place(to, i int) int { return x.first + to*x.width + i }

// neighbour returns the switch that differs from another one in the coordinate alone.
func (x *lineAxis) neighbour(sw, to int) int { return sw + (to-sw/x.stride%x.size)*x.stride }

// computeLineOrder makes routes without tables. It returns nil if a link is missing, or if there is
// something to balance.
func computeLineOrder(net *topology.Network, opt Options, order []int) (*Routes, error) {
	d := newLineOrder(net, opt, order)
	if d == nil || opt.Selection == Balanced && d.wide() {
		return nil, nil
	}
	p := &plan{net: net, opt: opt}
	if err := p.spareLanes(1); err != nil {
		return nil, err
	}
	return newComputed(p, d), nil
}

// newLineOrder makes the rule for a network with coordinates; nil if it has other links.
func newLineOrder(net *topology.Network, opt Options, order []int) *lineOrder {
	d := &lineOrder{net: net, ties: tiesOf(opt), shift: opt.shift}
	strides, switches := make([]int, len(net.Shape.Dims)), 1
	for i, size := range net.Shape.Dims {
		strides[i] = switches
		switches *= size
	}
	if switches != len(net.Switches) {
		return nil
	}
	for _, i := range order {
		x := lineAxis{size: net.Shape.Dims[i], stride: strides[i], first: d.row}
		for _, c := range net.Out(0) {
			if net.To(int(c)).Switch == x.stride && x.size > 1 {
				x.width++
			}
		}
		d.row += x.size * x.width
		d.axes = append(d.axes, x)
	}
	if !d.wire() {
		return nil
	}
	return d
}

// wire enters the channels, and reports whether these are those of a HyperX.
func (d *lineOrder) wire() bool {
	d.channel = slices.Repeat([]int32{-1}, len(d.net.Switches)*d.row)
	for sw := range d.net.Switches {
		row := d.channel[sw*d.row : (sw+1)*d.row]
		for _, c := range d.net.Out(sw) {
			if !d.enter(row, sw, c) {
				return false
			}
		}
		for k := range d.axes {
			if x := &d.axes[k]; !x.complete(row, sw) {
				return false
			}
		}
	}
	return true
}

// enter puts a channel into the row of its switch. It reports false if it does not lead along an axis, or
// there are too many.
func (d *lineOrder) enter(row []int32, sw int, c int32) bool {
	next := d.net.To(int(c)).Switch
	for k := range d.axes {
		x := &d.axes[k]
		to := next / x.stride % x.size
		if next == sw || x.neighbour(sw, to) != next {
			continue
		}
		for i := range x.width {
			if at := x.place(to, i); row[at] < 0 {
				row[at] = c
				return true
			}
		}
	}
	return false
}

// complete reports whether a row has all channels of the axis.
func (x *lineAxis) complete(row []int32, sw int) bool {
	for to := range x.size {
		here := x.neighbour(sw, to) == sw
		if !here && (x.width == 0 || slices.Contains(row[x.place(to, 0):x.place(to+1, 0)], -1)) {
			return false
		}
	}
	return true
}

// wide reports whether two switches have several links.
func (d *lineOrder) wide() bool {
	return slices.ContainsFunc(d.axes, func(x lineAxis) bool { return x.width > 1 })
}

// walk implements rule.
func (d *lineOrder) walk(p Path, base, src, dst, i, j int) Path {
	at, digits := src, i+d.shift
	for k := range d.axes {
		x := &d.axes[k]
		to := dst / x.stride % x.size
		if at/x.stride%x.size == to {
			continue
		}
		link := 0
		switch d.ties {
		case tiesBySource:
			link = digits % x.width
			digits /= x.width
		case tiesByDestination:
			link = j % x.width
		case tiesByPosition:
			link = (j + d.ahead(k, dst)) % x.width
		}
		p = append(p, MakeHop(int(d.channel[at*d.row+x.place(to, link)]), base))
		at = x.neighbour(at, to)
	}
	return p
}

// ahead is the sum of the coordinates that packets to a switch correct after axis k, so that those that go
// different ways later share the links before.
func (d *lineOrder) ahead(k, dst int) int {
	sum := 0
	for _, x := range d.axes[k+1:] {
		sum += dst / x.stride % x.size
	}
	return sum
}

// forks implements rule.
func (d *lineOrder) forks() (bySource, byDestination bool) {
	wide := d.wide()
	return wide && d.ties == tiesBySource, wide && (d.ties == tiesByDestination || d.ties == tiesByPosition)
}

// longest implements rule.
func (d *lineOrder) longest() int {
	hops := 0
	for _, x := range d.axes {
		hops += min(x.size-1, 1)
	}
	return hops
}

// statistics implements rule: a channel along an axis carries the packets from all switches that differ in
// axes corrected before, to all that differ in those corrected later.
func (d *lineOrder) statistics(hosts int64) (Statistics, bool) {
	if bySource, byDestination := d.forks(); bySource || byDestination {
		return Statistics{}, false
	}
	switches := int64(len(d.net.Switches))
	s := Statistics{Pairs: hosts * hosts * switches * (switches - 1), MinimalFraction: 1}
	s.Hops.Max = d.longest()
	var hops int64
	for _, x := range d.axes {
		if size := int64(x.size); size > 1 {
			hops += hosts * hosts * switches * (switches - switches/size)
			s.ChannelLoad.Max = max(s.ChannelLoad.Max, hosts*hosts*(switches/size))
		}
	}
	if s.Pairs > 0 {
		s.Hops.Mean = float64(hops) / float64(s.Pairs)
		s.ChannelLoad.Mean = float64(hops) / float64(d.net.Channels())
	}
	return s, true
}

// covers implements rule: the proof considers all links between two switches.
func (d *lineOrder) covers(other *Routes) bool {
	if other.computed == nil || other.Net != d.net {
		return false
	}
	o, ok := other.computed.rule.(*lineOrder)
	return ok && slices.Equal(o.axes, d.axes)
}

// prove implements rule. Packets hop along each axis at most once, in one order, so that a channel depends
// on channels of later axes only.
func (d *lineOrder) prove(int) (string, error) {
	switches := 1
	for _, x := range slices.SortedFunc(slices.Values(d.axes), func(x, y lineAxis) int {
		return cmp.Or(cmp.Compare(x.stride, y.stride), cmp.Compare(x.size, y.size))
	}) {
		if x.stride != switches {
			return "", fmt.Errorf("an axis has stride %d; expected each axis once, the next with stride %d", x.stride, switches)
		}
		switches *= x.size
	}
	if switches != len(d.net.Switches) {
		return "", fmt.Errorf("the axes have %d switches, the network %d", switches, len(d.net.Switches))
	}
	for sw := range d.net.Switches {
		for k := range d.axes {
			if err := d.check(sw, &d.axes[k]); err != nil {
				return "", err
			}
		}
	}
	return fmt.Sprintf("dimension order, at most one hop on each of %d axes", len(d.axes)), nil
}

// check fails if a channel of a switch does not lead to where it should.
func (d *lineOrder) check(sw int, x *lineAxis) error {
	for to := range x.size {
		next := x.neighbour(sw, to)
		if next == sw {
			continue
		}
		if x.width < 1 {
			return fmt.Errorf("an axis of %d switches has no links", x.size)
		}
		for i := range x.width {
			c := int(d.channel[sw*d.row+x.place(to, i)])
			if c < 0 || c >= d.net.Channels() || d.net.From(c).Switch != sw || d.net.To(c).Switch != next {
				return fmt.Errorf("channel %d does not lead from switch %d to %d", c, sw, next)
			}
		}
	}
	return nil
}

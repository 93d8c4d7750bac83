package routing

import "slices"

// statistics measures the paths between switches with so many hosts each by counting, for each
// axis, the packets that take each of its legs. It returns false where that depends on the hosts.
func (d *dimensionOrder) statistics(hosts int64) (Statistics, bool) {
	bySource, byDestination := d.forks()
	if bySource || byDestination {
		return Statistics{}, false
	}
	switches := int64(len(d.net.Switches))
	s := Statistics{Pairs: hosts * hosts * switches * (switches - 1), MinimalFraction: 1}
	s.Hops.Max = d.longest()
	var hops, channels int64
	for k := range d.axes {
		hops += hosts * hosts * d.hopsAlong(k)
		for _, odd := range []bool{false, true} {
			s.ChannelLoad.Max = max(s.ChannelLoad.Max, hosts*hosts*slices.Max(d.loads(k, odd)))
		}
	}
	for sw := range d.net.Switches {
		channels += int64(len(d.net.Out(sw)))
	}
	if s.Pairs > 0 {
		s.Hops.Mean = float64(hops) / float64(s.Pairs)
		s.ChannelLoad.Mean = float64(hops) / float64(channels)
	}
	return s, true
}

// hopsAlong returns the hops along axis k between all pairs of switches.
func (d *dimensionOrder) hopsAlong(k int) int64 {
	x, hops := &d.axes[k], int64(0)
	for from := range x.size {
		for to := range x.size {
			if from != to {
				hops += int64(x.course.leg(from, to, false).hops)
			}
		}
	}
	lines := int64(len(d.net.Switches)) / int64(x.size)
	return hops * lines * lines
}

// loads returns the number of pairs of switches whose paths use each channel of a line along axis
// k, down and up in turn: a line on which the coordinates that are corrected later have an odd or an
// even sum.
func (d *dimensionOrder) loads(k int, odd bool) []int64 {
	x := &d.axes[k]
	earlier, later, excess := int64(1), int64(1), int64(1) // excess: goals with an even sum over those with an odd one
	for i, y := range d.axes {
		switch {
		case i < k:
			earlier *= int64(y.size)
		case i > k:
			later *= int64(y.size)
			excess *= int64(y.size % 2)
		}
	}
	rise := make([]int64, 2*x.size) // of the load from channel to channel
	for from := range x.size {
		for to := range x.size {
			if from == to {
				continue
			}
			l := x.course.leg(from, to, false)
			ascending := int64(0)
			if l.tied && d.ties == tiesByPosition {
				ascending = (later + excess) / 2
				if (from%2 == 1) == odd {
					ascending = later - ascending
				}
				x.load(rise, from, x.course.leg(from, to, true), earlier*ascending)
			}
			x.load(rise, from, l, earlier*(later-ascending))
		}
	}
	for i := 2; i < len(rise); i++ {
		rise[i] += rise[i-2]
	}
	return rise
}

// load adds pairs to the channels of a leg.
func (x *axis) load(rise []int64, from uint32, l leg, pairs int64) {
	first, end := from, from+l.hops // on the way up
	if !l.up {
		first, end = from+x.size+1-l.hops, from+x.size+1
	}
	if first >= x.size {
		first, end = first-x.size, end-x.size
	}
	way := direct(l.up)
	rise[2*first+way] += pairs
	if end > x.size {
		rise[way] += pairs
		end -= x.size
	}
	if end < x.size {
		rise[2*end+way] -= pairs
	}
}

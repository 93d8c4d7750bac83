package adaptive

import "musubi/topology"

// order is dimension order: one coordinate after the other, the shorter way round, or the other one if a link
// of the shorter is missing. On a ring of more than three switches packets that still have the wrap-around link
// before them are on virtual channel 0 and the others on 1 (Dally, Seitz, IEEE TC 36(5), 1987), which depends on the
// destination alone.
type order struct {
	*distances
	net   *topology.Network
	lanes int
	next  [][2]int32 // by switch * dimensions + dimension: the channels down and up, -1 if there is none
	far   [][2]int32 // likewise: how many hops packets can go before a link is missing; nil: none is
}

// datelineFrom is from which size of a ring two virtual channels are needed.
const datelineFrom = 4

// newOrder returns nil if links are missing that leave two switches of a line without a way between them on it.
func newOrder(c *common) *order {
	net, s := c.net, c.net.Shape
	o := &order{distances: c.dist, net: net, lanes: 1, next: make([][2]int32, len(net.Switches)*len(s.Dims))}
	for d, size := range s.Dims {
		if s.Wrap[d] && size >= datelineFrom {
			o.lanes = 2
		}
	}
	for i := range o.next {
		o.next[i] = [2]int32{-1, -1}
	}
	for sw := range net.Switches {
		for _, c := range net.Out(sw) {
			o.place(sw, net.To(int(c)).Switch, c)
		}
	}
	if o.whole() {
		return o
	}
	o.measure()
	if !o.joins() || !c.free(o) {
		return nil
	}
	return o
}

// place enters a channel between two switches.
func (o *order) place(sw, to int, c int32) {
	s, stride := o.net.Shape, 1
	for d, size := range s.Dims {
		from, at := sw/stride%size, to/stride%size
		if from != at {
			up := 0
			if at == from+1 || from == size-1 && at == 0 && size > 2 {
				up = 1
			}
			o.next[sw*len(s.Dims)+d][up] = c
			return
		}
		stride *= size
	}
}

// line calls f for each switch and dimension, with the distance between neighbours in it.
func (o *order) line(f func(sw, d, stride int)) {
	for sw := range o.net.Switches {
		stride := 1
		for d, size := range o.net.Shape.Dims {
			f(sw, d, stride)
			stride *= size
		}
	}
}

// whole tells whether no link is missing.
func (o *order) whole() bool {
	whole := true
	o.line(func(sw, d, stride int) {
		size := o.net.Shape.Dims[d]
		at, round := sw/stride%size, o.net.Shape.Wrap[d] && size > 2
		for way, end := range [2]int{0, size - 1} {
			whole = whole && (o.next[sw*len(o.net.Shape.Dims)+d][way] >= 0 || at == end && !round)
		}
	})
	return whole
}

// measure finds how far packets can go.
func (o *order) measure() {
	dims := len(o.net.Shape.Dims)
	o.far = make([][2]int32, len(o.next))
	o.line(func(sw, d, _ int) {
		for way := range 2 {
			at, hops := sw, int32(0)
			for int(hops) < o.net.Shape.Dims[d]-1 && o.next[at*dims+d][way] >= 0 {
				at = o.net.To(int(o.next[at*dims+d][way])).Switch
				hops++
			}
			o.far[sw*dims+d][way] = hops
		}
	})
}

// joins tells whether all switches of each line have a way to each other on it.
func (o *order) joins() bool {
	joined := true
	o.line(func(sw, d, stride int) {
		size := o.net.Shape.Dims[d]
		for goal := range size {
			if from := sw / stride % size; from != goal {
				l := o.leg(sw, d, from, goal)
				joined = joined && l.hops <= int(o.far[sw*len(o.net.Shape.Dims)+d][l.way])
			}
		}
	})
	return joined
}

// leg is the way from a coordinate to another one: down (0) or up.
type leg struct{ way, hops int }

func (o *order) leg(sw, d, from, goal int) leg {
	size := o.net.Shape.Dims[d]
	if !o.net.Shape.Wrap[d] || size <= 2 {
		if goal > from {
			return leg{1, goal - from}
		}
		return leg{0, from - goal}
	}
	rise := (goal - from + size) % size
	short, long := leg{1, rise}, leg{0, size - rise}
	if 2*rise > size {
		short, long = long, short
	}
	if o.far != nil && short.hops > int(o.far[sw*len(o.net.Shape.Dims)+d][short.way]) {
		return long
	}
	return short
}

func (o *order) vcs() int { return o.lanes }

// length is that of the shortest ways, unless links are missing.
func (o *order) length(sw, to int) int {
	if o.far == nil {
		return o.between(sw, to)
	}
	hops, stride, at := 0, 1, sw
	for d, size := range o.net.Shape.Dims {
		if from, goal := at/stride%size, to/stride%size; from != goal {
			hops += o.leg(at, d, from, goal).hops
			at += (goal - from) * stride
		}
		stride *= size
	}
	return hops
}

func (o *order) hops(list []Hop, sw, to int) []Hop {
	s, stride := o.net.Shape, 1
	for d, size := range s.Dims {
		from, goal := sw/stride%size, to/stride%size
		stride *= size
		if from == goal {
			continue
		}
		way, vc := o.leg(sw, d, from, goal).way, uint8(0)
		if s.Wrap[d] && size >= datelineFrom && (way == 1) == (goal > from) {
			vc = 1
		}
		return append(list, Hop{o.next[sw*len(s.Dims)+d][way], vc})
	}
	return list
}

package adaptive

import "musubi/topology"

// order is dimension order: one coordinate after the other, the shorter way round. On a ring of more
// than three switches packets that still have the wrap-around link before them are on virtual channel
// 0 and the others on 1 (Dally, Seitz, IEEE TC 36(5), 1987), which depends on the destination alone.
type order struct {
	*distances
	net   *topology.Network
	lanes int
	next  [][2]int32 // by switch * dimensions + dimension: the channels down and up, -1 if there is none
}

// datelineFrom is from which size of a ring two virtual channels are needed.
const datelineFrom = 4

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

func (o *order) vcs() int              { return o.lanes }
func (o *order) length(sw, to int) int { return o.between(sw, to) }

func (o *order) hops(list []Hop, sw, to int) []Hop {
	s, stride := o.net.Shape, 1
	for d, size := range s.Dims {
		from, goal := sw/stride%size, to/stride%size
		stride *= size
		if from == goal {
			continue
		}
		up := goal > from
		if rise := (goal - from + size) % size; s.Wrap[d] && size > 2 {
			up = 2*rise <= size
		}
		way, vc := 0, uint8(0)
		if up {
			way = 1
		}
		if s.Wrap[d] && size >= datelineFrom && up == (goal > from) {
			vc = 1
		}
		return append(list, Hop{o.next[sw*len(s.Dims)+d][way], vc})
	}
	return list
}

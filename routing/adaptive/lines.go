package adaptive

// lines is dimension order where all switches in a line are linked, as in a HyperX: one hop, over any of the
// links between the two switches, corrects a coordinate. A packet hops along each dimension at most once, in
// one order, so no cycle closes on one virtual channel. Where all links between two switches are missing, packets
// go by way of a third one on the line.
type lines struct {
	*common
	around map[[2]int]int // by two switches of a line that no link joins: the third one
}

// newLines returns nil if links are missing in such a way that this does not do.
func newLines(c *common) *lines {
	l := &lines{common: c, around: map[[2]int]int{}}
	for sw := range c.net.Switches {
		stride := 1
		for _, size := range c.net.Shape.Dims {
			for goal := range size {
				next := sw + (goal-sw/stride%size)*stride
				if next == sw || l.linked(sw, next) {
					continue
				}
				third := l.third(sw, next, stride, size)
				if third < 0 {
					return nil
				}
				l.around[[2]int{sw, next}] = third
			}
			stride *= size
		}
	}
	if len(l.around) > 0 && !c.free(l) {
		return nil
	}
	return l
}

// linked tells whether a link joins two switches.
func (l *lines) linked(a, b int) bool {
	for _, c := range l.net.Out(a) {
		if l.net.To(int(c)).Switch == b {
			return true
		}
	}
	return false
}

// third returns a switch of a line that is linked with two others of it, -1 if there is none.
func (l *lines) third(a, b, stride, size int) int {
	first := a - a/stride%size*stride
	for i := range size {
		if sw := first + i*stride; sw != a && sw != b && l.linked(a, sw) && l.linked(sw, b) {
			return sw
		}
	}
	return -1
}

func (l *lines) vcs() int { return 1 }

// length is that of the shortest ways, unless links are missing.
func (l *lines) length(sw, to int) int {
	if len(l.around) == 0 {
		return l.dist.between(sw, to)
	}
	hops := 0
	for sw != to {
		sw = l.next(sw, to)
		hops++
	}
	return hops
}

// next returns the switch that packets to another one go to.
func (l *lines) next(sw, to int) int {
	stride := 1
	for _, size := range l.net.Shape.Dims {
		if from, goal := sw/stride%size, to/stride%size; from != goal {
			next := sw + (goal-from)*stride
			if third, missing := l.around[[2]int{sw, next}]; missing {
				return third
			}
			return next
		}
		stride *= size
	}
	return sw
}

func (l *lines) hops(list []Hop, sw, to int) []Hop {
	if sw == to {
		return list
	}
	next := l.next(sw, to)
	for _, c := range l.net.Out(sw) {
		if l.net.To(int(c)).Switch == next {
			list = append(list, Hop{c, 0})
		}
	}
	return list
}

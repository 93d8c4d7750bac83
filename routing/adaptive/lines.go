package adaptive

// lines is dimension order where all switches in a line are linked, as in a HyperX: one hop, over any of the
// links between the two switches, corrects a coordinate. A packet hops along each dimension at most once, in
// one order, so no cycle closes on one virtual channel.
type lines struct{ *common }

func (l lines) vcs() int              { return 1 }
func (l lines) length(sw, to int) int { return l.dist.between(sw, to) }

func (l lines) hops(list []Hop, sw, to int) []Hop {
	stride := 1
	for _, size := range l.net.Shape.Dims {
		from, goal := sw/stride%size, to/stride%size
		if from == goal {
			stride *= size
			continue
		}
		next := sw + (goal-from)*stride
		for _, c := range l.net.Out(sw) {
			if l.net.To(int(c)).Switch == next {
				list = append(list, Hop{c, 0})
			}
		}
		break
	}
	return list
}

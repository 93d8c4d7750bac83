package adaptive

// shortest is all shortest ways, on one virtual channel, or, by distance, on one for each number of
// hops that are left: these change in one direction only, and so close no cycle on any network.
type shortest struct {
	*common
	lanes      int
	byDistance bool
}

func (s *shortest) vcs() int { return s.lanes }

func (s *shortest) hops(list []Hop, sw, to int) []Hop {
	left, vc := s.dist.between(sw, to), uint8(0)
	if s.byDistance {
		vc = uint8(max(0, s.lanes-left))
	}
	for _, c := range s.net.Out(sw) {
		if s.dist.between(s.net.To(int(c)).Switch, to) == left-1 {
			list = append(list, Hop{c, vc})
		}
	}
	return list
}

func (s *shortest) length(sw, to int) int { return s.dist.between(sw, to) }

package layout

import "musubi/topology"

// bow is how far a link bends that closes a ring, around the switches between.
const bow = 0.62

// Bend returns how far a channel bends to the left of its way, as a multiple of the distance of neighbours:
// 0 unless the network has a shape in which other switches lie between those that it joins. Both channels of
// a link bend to the same side.
func Bend(net *topology.Network, channel int) float64 {
	s := net.Shape
	if s == nil || circular(s) {
		return 0
	}
	a, b := s.Coordinates(nil, net.From(channel).Switch), s.Coordinates(nil, net.To(channel).Switch)
	for d, size := range s.Dims {
		gap := b[d] - a[d]
		bend := bow * around(s, max(gap, -gap), size)
		if len(s.Dims) > 2 {
			bend *= 0.6
		}
		if d%2 == 1 {
			bend = -bend
		}
		switch {
		case bend != 0 && gap > 0: // upwards
			return bend
		case bend != 0:
			return -bend
		}
	}
	return 0
}

// around returns by how much of a bow a link bends between two coordinates of a dimension. Where all
// switches in a line are linked, the more the farther they are from each other.
func around(s *topology.Shape, gap, size int) float64 {
	switch {
	case gap < 2:
		return 0
	case s.Full:
		return 0.6 + 0.4*float64(gap-2)/float64(max(1, size-3))
	case gap == size-1:
		return 1
	}
	return 0
}

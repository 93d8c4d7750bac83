package main

import "musubi/topology"

// maxExtent is the largest product of switches and channels for which extent
// searches for the diameter; it takes some seconds.
const maxExtent = 1 << 31

// extent returns the number of connected parts of a network, and its diameter in
// links between switches: nil if there are several parts, or the network is too
// large.
func extent(net *topology.Network) (parts int, diameter *int) {
	search := newSearch(net)
	for s := range net.Switches {
		if search.distance[s] < 0 {
			search.from(s)
			parts++
		}
	}
	if parts != 1 || len(net.Switches)*net.Channels() > maxExtent {
		return parts, nil
	}
	longest := 0
	for s := range net.Switches {
		search.reset()
		longest = max(longest, search.from(s))
	}
	return parts, &longest
}

// search is a breadth-first search over switches.
type search struct {
	net      *topology.Network
	distance []int // -1: not met
	queue    []int
}

func newSearch(net *topology.Network) *search {
	s := &search{net: net, distance: make([]int, len(net.Switches))}
	s.reset()
	return s
}

func (s *search) reset() {
	for i := range s.distance {
		s.distance[i] = -1
	}
}

// from meets all switches that can be reached from one, and returns the distance
// of the farthest.
func (s *search) from(start int) int {
	s.distance[start] = 0
	s.queue = append(s.queue[:0], start)
	last := start
	for head := 0; head < len(s.queue); head++ {
		last = s.queue[head]
		for _, c := range s.net.Out(last) {
			next := s.net.To(int(c)).Switch
			if s.distance[next] < 0 {
				s.distance[next] = s.distance[last] + 1
				s.queue = append(s.queue, next)
			}
		}
	}
	return s.distance[last]
}

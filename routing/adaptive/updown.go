package adaptive

import (
	"slices"

	"musubi/topology"
)

// upDown is Up*/Down* by destination alone: from a switch that reaches the destination going down,
// down, else up; the shortest ways of these, as there may be several. Up is towards switch 0, by
// levels of a breadth-first search, and between switches of one level to the lower number. Nobody goes
// up after going down, so no cycle closes on one virtual channel.
type upDown struct {
	net   *topology.Network
	level []int16
	left  []int16 // by destination, then by switch: hops that are left
	down  []bool  // likewise: the way goes down from here on
}

func newUpDown(net *topology.Network) *upDown {
	n := len(net.Switches)
	u := &upDown{net: net, level: slices.Repeat([]int16{-1}, n), left: slices.Repeat([]int16{-1}, n*n), down: make([]bool, n*n)}
	u.level[0] = 0
	sorted := []int32{0} // by level
	for head := 0; head < len(sorted); head++ {
		for _, c := range net.Out(int(sorted[head])) {
			if to := net.To(int(c)).Switch; u.level[to] < 0 {
				u.level[to] = u.level[sorted[head]] + 1
				sorted = append(sorted, int32(to))
			}
		}
	}
	slices.SortStableFunc(sorted, func(a, b int32) int {
		if u.above(int(a), int(b)) {
			return -1
		}
		return 1
	})
	for to := range n {
		u.search(to, sorted)
	}
	return u
}

// above tells whether a is up from b.
func (u *upDown) above(a, b int) bool {
	if u.level[a] != u.level[b] {
		return u.level[a] < u.level[b]
	}
	return a < b
}

// search finds the ways to a destination: first those that only go down, backwards from there, then
// from the top those that go up first.
func (u *upDown) search(to int, sorted []int32) {
	n := len(u.level)
	left, down := u.left[to*n:(to+1)*n], u.down[to*n:(to+1)*n]
	left[to], down[to] = 0, true
	queue := []int32{int32(to)}
	for head := 0; head < len(queue); head++ {
		at := int(queue[head])
		for _, c := range u.net.Out(at) {
			if next := u.net.To(int(c)).Switch; u.above(next, at) && left[next] < 0 {
				left[next], down[next] = left[at]+1, true
				queue = append(queue, int32(next))
			}
		}
	}
	for _, at := range sorted {
		if down[at] {
			continue
		}
		for _, c := range u.net.Out(int(at)) {
			next := u.net.To(int(c)).Switch
			if u.above(next, int(at)) && left[next] >= 0 && (left[at] < 0 || left[next]+1 < left[at]) {
				left[at] = left[next] + 1
			}
		}
	}
}

func (u *upDown) vcs() int              { return 1 }
func (u *upDown) length(sw, to int) int { return int(u.left[to*len(u.level)+sw]) }

func (u *upDown) hops(list []Hop, sw, to int) []Hop {
	n := len(u.level)
	left, down := u.left[to*n:(to+1)*n], u.down[to*n:(to+1)*n]
	for _, c := range u.net.Out(sw) {
		next := u.net.To(int(c)).Switch
		if left[next] != left[sw]-1 || down[sw] != u.above(sw, next) || down[sw] && !down[next] {
			continue
		}
		list = append(list, Hop{c, 0})
	}
	return list
}

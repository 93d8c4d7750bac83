package nexthop

import (
	"math/bits"

	"musubi/topology"
)

// turns is a graph of dependencies among lanes of channels: vertex c*lanes+v is lane v of channel
// c. All dependencies of a channel lead to channels that leave the switch where it ends, so there is
// a matrix of bits for each switch. For a switch of 1,024 ports that takes 128 KB, and lists of
// dependencies thirty times as much.
type turns struct {
	lanes int
	row   []int   // per channel: where the row of its lane 0 begins
	words []int   // per channel: length of a row
	local []int32 // per channel: its number among those that leave its first switch
	out   [][]int32
	to    []int32 // per channel: switch where it ends
	bits  []uint64
}

func newTurns(net *topology.Network, lanes int) *turns {
	n := net.Channels()
	t := &turns{lanes: lanes, row: make([]int, n), words: make([]int, n), local: make([]int32, n), to: make([]int32, n),
		out: make([][]int32, len(net.Switches))}
	for s := range net.Switches {
		t.out[s] = net.Out(s)
		for i, c := range t.out[s] {
			t.local[c] = int32(i)
		}
	}
	size := 0
	for c := range n {
		t.to[c] = int32(net.To(c).Switch)
		t.row[c], t.words[c] = size, (len(t.out[t.to[c]])*lanes+63)/64
		size += lanes * t.words[c]
	}
	t.bits = make([]uint64, size)
	return t
}

// like returns an empty graph of the same network.
func (t *turns) like() *turns {
	other := *t
	other.bits = make([]uint64, len(t.bits))
	return &other
}

func (t *turns) vertices() int { return len(t.row) * t.lanes }

func (t *turns) add(from, fromLane, to, toLane int) {
	bit := int(t.local[to])*t.lanes + toLane
	t.bits[t.row[from]+fromLane*t.words[from]+bit>>6] |= 1 << (bit & 63)
}

// mask is some bits of a row.
type mask struct {
	word int32
	bits uint64
}

// maskOf appends the bits of a step in the rows of the channels that come to where it begins.
func (t *turns) maskOf(list []mask, first int, s Step) []mask {
	bit := int(t.local[s.Channel])*t.lanes + int(s.Lane)
	word := int32(bit >> 6)
	for i := first; i < len(list); i++ {
		if list[i].word == word {
			list[i].bits |= 1 << (bit & 63)
			return list
		}
	}
	return append(list, mask{word, 1 << (bit & 63)})
}

// addMask adds dependencies of v.
func (t *turns) addMask(v int32, list []mask) {
	row := t.rowOf(v)
	for _, m := range list {
		row[m.word] |= m.bits
	}
}

func (t *turns) merge(other *turns) {
	for i, w := range other.bits {
		t.bits[i] |= w
	}
}

func (t *turns) size() int {
	n := 0
	for _, w := range t.bits {
		n += bits.OnesCount64(w)
	}
	return n
}

// rowOf returns the bits of a vertex.
func (t *turns) rowOf(v int32) []uint64 {
	c, lane := int(v)/t.lanes, int(v)%t.lanes
	at := t.row[c] + lane*t.words[c]
	return t.bits[at : at+t.words[c]]
}

// after returns the first successor of v at bit position from or behind, and its position; -1 if
// there is none.
func (t *turns) after(v int32, from int) (next int32, position int) {
	row := t.rowOf(v)
	for i := from >> 6; i < len(row); i++ {
		w := row[i]
		if i == from>>6 {
			w &= ^uint64(0) << (from & 63)
		}
		if w != 0 {
			at := i<<6 + bits.TrailingZeros64(w)
			c := t.out[t.to[int(v)/t.lanes]][at/t.lanes]
			return c*int32(t.lanes) + int32(at%t.lanes), at
		}
	}
	return -1, 0
}

package routing

import (
	"slices"

	"musubi/topology"
)

// turnNumbers numbers the pairs of consecutive channels of a network.
type turnNumbers struct {
	first []int32 // per channel: the number of its first turn
	place []int32 // per channel: its place among those that leave its switch
	total int
}

func newTurnNumbers(net *topology.Network) *turnNumbers {
	n := net.Channels()
	t := &turnNumbers{first: make([]int32, n), place: make([]int32, n)}
	for sw := range net.Switches {
		for i, c := range net.Out(sw) {
			t.place[c] = int32(i)
			t.first[c^1] = int32(t.total)
			t.total += len(net.Out(sw))
		}
	}
	return t
}

func (t *turnNumbers) number(in, out int32) int32 { return t.first[in] + t.place[out] }

// bitSet is a set of small numbers.
type bitSet []uint64

func newBitSet(n int) bitSet { return make(bitSet, (n+63)/64) }

func (s bitSet) has(i int32) bool { return s[i>>6]>>(i&63)&1 == 1 }
func (s bitSet) set(i int32)      { s[i>>6] |= 1 << (i & 63) }
func (s bitSet) unset(i int32)    { s[i>>6] &^= 1 << (i & 63) }

// turn is a pair of consecutive channels.
type turn struct{ in, out int32 }

// side is the end from which a search has reached a channel.
type side uint8

const (
	notMet side = iota
	metAhead
	metBehind
)

// channelOrder is a growing graph of dependencies between channels that is kept
// free of cycles. It maintains a topological order and repairs it when an edge
// goes against it, searching only between the ranks of the two ends (after
// Marchetti-Spaccamela, Nanni, Rohnert: "Maintaining a Topological Order under
// Edge Insertions", Information Processing Letters 1996, but from both ends).
type channelOrder struct {
	*turnNumbers
	edge  bitSet    // by turn number
	after [][]int32 // per channel: those that depend on it
	prior [][]int32 // per channel: those that it depends on
	added []turn    // edges since begin
	rank  []int32   // per channel: its place in the topological order
	at    []int32   // per place: the channel

	// Of the present search:
	met           []side // per channel
	ahead, behind []int32
	last          []int32
}

func newChannelOrder(turns *turnNumbers) *channelOrder {
	n := len(turns.first)
	g := &channelOrder{
		turnNumbers: turns, edge: newBitSet(turns.total),
		after: make([][]int32, n), prior: make([][]int32, n),
		rank: make([]int32, n), at: make([]int32, n), met: make([]side, n),
	}
	for c := range g.rank {
		g.rank[c], g.at[c] = int32(c), int32(c)
	}
	return g
}

// begin marks the state to which rollBack returns.
func (g *channelOrder) begin() { g.added = g.added[:0] }

// rollBack removes the edges added since begin. The order stays valid.
func (g *channelOrder) rollBack() {
	for _, t := range slices.Backward(g.added) {
		g.edge.unset(g.number(t.in, t.out))
		g.after[t.in] = g.after[t.in][:len(g.after[t.in])-1]
		g.prior[t.out] = g.prior[t.out][:len(g.prior[t.out])-1]
	}
	g.begin()
}

// add makes out depend on in. If that closes a cycle it changes nothing and
// returns false.
func (g *channelOrder) add(in, out int32) bool {
	e := g.number(in, out)
	if g.edge.has(e) {
		return true
	}
	if g.rank[in] > g.rank[out] && !g.reorder(in, out) {
		return false
	}
	g.edge.set(e)
	g.after[in] = append(g.after[in], out)
	g.prior[out] = append(g.prior[out], in)
	g.added = append(g.added, turn{in, out})
	return true
}

// reorder makes in precede out, unless in follows from out.
func (g *channelOrder) reorder(in, out int32) bool {
	low, high := g.rank[out], g.rank[in]
	exhausted := g.search(in, out)
	if exhausted != notMet {
		g.part(g.at[low:high+1], low, exhausted)
	}
	for _, c := range g.ahead {
		g.met[c] = notMet
	}
	for _, c := range g.behind {
		g.met[c] = notMet
	}
	return exhausted != notMet
}

// search looks, among the channels ranked between out and in, for those that follow out and those
// that lead to in. It alternates between the two sides, so that it soon finds where they meet: then
// it returns notMet. Otherwise it returns the side that is complete first.
func (g *channelOrder) search(in, out int32) side {
	g.ahead = append(g.ahead[:0], out)
	g.behind = append(g.behind[:0], in)
	g.met[out], g.met[in] = metAhead, metBehind
	low, high := g.rank[out], g.rank[in]
	for i := 0; ; i++ {
		if i == len(g.ahead) {
			return metAhead
		}
		for _, c := range g.after[g.ahead[i]] {
			if g.met[c] == metBehind {
				return notMet
			}
			if g.met[c] == notMet && g.rank[c] < high {
				g.met[c] = metAhead
				g.ahead = append(g.ahead, c)
			}
		}
		if i == len(g.behind) {
			return metBehind
		}
		for _, c := range g.prior[g.behind[i]] {
			if g.met[c] == metAhead {
				return notMet
			}
			if g.met[c] == notMet && g.rank[c] > low {
				g.met[c] = metBehind
				g.behind = append(g.behind, c)
			}
		}
	}
}

// part reorders a stretch of the order, which begins at rank low: channels that follow out move to
// its end, or channels that lead to in move to its beginning, whichever side is complete. Nothing
// else changes its relative order.
func (g *channelOrder) part(stretch []int32, low int32, complete side) {
	g.last = g.last[:0]
	n := 0
	for _, c := range stretch {
		if (g.met[c] == complete) == (complete == metAhead) {
			g.last = append(g.last, c)
		} else {
			stretch[n] = c
			n++
		}
	}
	copy(stretch[n:], g.last)
	for i, c := range stretch {
		g.rank[c] = low + int32(i)
	}
}

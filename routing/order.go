package routing

import (
	"musubi/routing/acyclic"
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

// channelOrder is a growing graph of dependencies between channels that is kept free of cycles.
type channelOrder struct {
	*turnNumbers
	*acyclic.Graph
	edge bitSet // by turn number
}

func newChannelOrder(turns *turnNumbers) *channelOrder {
	return &channelOrder{turns, acyclic.New(len(turns.first)), newBitSet(turns.total)}
}

// begin marks the state to which rollBack returns.
func (g *channelOrder) begin() { g.Begin() }

// rollBack removes the edges added since begin. The order stays valid.
func (g *channelOrder) rollBack() { g.rollBackTo(0) }

// rollBackTo removes all edges added since begin but the first n.
func (g *channelOrder) rollBackTo(n int) {
	for _, e := range g.Added()[n:] {
		g.edge.unset(g.number(e.From, e.To))
	}
	g.RollBackTo(n)
}

// add makes out depend on in. If that closes a cycle it changes nothing and
// returns false.
func (g *channelOrder) add(in, out int32) bool {
	e := g.number(in, out)
	if g.edge.has(e) {
		return true
	}
	if !g.Add(in, out) {
		return false
	}
	g.edge.set(e)
	return true
}

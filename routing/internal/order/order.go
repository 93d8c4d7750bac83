package order

import (
	"musubi/routing/acyclic"
	"musubi/topology"
)

// TurnNumbers numbers the pairs of consecutive channels of a network.
type TurnNumbers struct {
	First []int32 // per channel: the number of its first turn
	place []int32 // per channel: its place among those that leave its switch
	Total int
}

// NewTurnNumbers numbers the turns of a network.
func NewTurnNumbers(net *topology.Network) *TurnNumbers {
	n := net.Channels()
	t := &TurnNumbers{First: make([]int32, n), place: make([]int32, n)}
	for sw := range net.Switches {
		for i, c := range net.Out(sw) {
			t.place[c] = int32(i)
			t.First[c^1] = int32(t.Total)
			t.Total += len(net.Out(sw))
		}
	}
	return t
}

// Number returns the number of the turn from one channel into another.
func (t *TurnNumbers) Number(in, out int32) int32 { return t.First[in] + t.place[out] }

// BitSet is a set of small numbers.
type BitSet []uint64

// NewBitSet returns an empty set for numbers below n.
func NewBitSet(n int) BitSet { return make(BitSet, (n+63)/64) }

func (s BitSet) Has(i int32) bool { return s[i>>6]>>(i&63)&1 == 1 }
func (s BitSet) Set(i int32)      { s[i>>6] |= 1 << (i & 63) }
func (s BitSet) unset(i int32)    { s[i>>6] &^= 1 << (i & 63) }

// ChannelOrder is a growing graph of dependencies between channels that is kept free of cycles.
type ChannelOrder struct {
	*TurnNumbers
	Edge  BitSet // by turn number
	Graph *acyclic.Graph
}

// NewChannelOrder returns an order without dependencies.
func NewChannelOrder(turns *TurnNumbers) *ChannelOrder {
	return &ChannelOrder{turns, NewBitSet(turns.Total), acyclic.New(len(turns.First))}
}

// Begin marks the state to which RollBack returns.
func (g *ChannelOrder) Begin() { g.Graph.Begin() }

// RollBack removes the edges added since Begin. The order stays valid.
func (g *ChannelOrder) RollBack() { g.RollBackTo(0) }

// RollBackTo removes all edges added since Begin but the first n.
func (g *ChannelOrder) RollBackTo(n int) {
	for _, e := range g.Graph.Added()[n:] {
		g.Edge.unset(g.Number(e.From, e.To))
	}
	g.Graph.RollBackTo(n)
}

// Add makes out depend on in. If that closes a cycle it changes nothing and
// returns false.
func (g *ChannelOrder) Add(in, out int32) bool {
	e := g.Number(in, out)
	if g.Edge.Has(e) {
		return true
	}
	if !g.Graph.Add(in, out) {
		return false
	}
	g.Edge.Set(e)
	return true
}

package algorithm

import (
	"testing"

	"musubi/mpi/internal/reduction"
	"musubi/rma"
)

// The usual choice never falls on an algorithm that refuses the arguments, and goes
// over to another one at the limits.
func TestChoices(t *testing.T) {
	commutative, ordered := reduction.Op{Commutative: true}, reduction.Op{}
	for _, test := range []struct {
		kind  Operation
		op    reduction.Op
		size  int
		bytes int // of in and out, for each rank where there are parts
		want  string
	}{
		{Barrier, ordered, 64, 0, "dissemination"},
		{Broadcast, ordered, 8, longBroadcast - 1, "binomial"},
		{Broadcast, ordered, 8, longBroadcast, "scatter-allgather"},
		{Broadcast, ordered, 64, longBroadcast, "binomial"},
		{Broadcast, ordered, 2, 1 << 20, "binomial"},
		{Reduce, ordered, 7, longReduce - 1, "binomial"},
		{Reduce, ordered, 7, longReduce, "rabenseifner"},
		{AllReduce, ordered, 7, longAllReduce - 1, "recursive-doubling"},
		{AllReduce, ordered, 7, longAllReduce, "rabenseifner"},
		{Gather, ordered, 7, shortGather, "binomial"},
		{Gather, ordered, 7, shortGather + 1, "linear"},
		{Scatter, ordered, 7, shortGather, "binomial"},
		{Scatter, ordered, 7, shortGather + 1, "linear"},
		{AllGather, ordered, 8, 1, "recursive-doubling"},
		{AllGather, ordered, 7, 1, "bruck"},
		{AllGather, ordered, 8, longAllGather / 8, "ring"},
		{AllGatherV, ordered, 8, longAllGather/8 - 1, "linear"},
		{AllGatherV, ordered, 8, longAllGather / 8, "ring"},
		{AllToAll, ordered, 7, shortAllToAll, "bruck"},
		{AllToAll, ordered, 7, shortAllToAll + 1, "linear"},
		{AllToAllV, ordered, 7, 1, "linear"},
		{ReduceScatter, commutative, 7, longPairwise - 1, "recursive-halving"},
		{ReduceScatter, commutative, 7, longPairwise, "pairwise"},
		{ReduceScatter, commutative, 8, longPairwise, "recursive-halving"},
		{ReduceScatter, ordered, 8, longOrdered - 1, "tree"},
		{ReduceScatter, ordered, 8, longOrdered, "pairwise"},
		{Scan, ordered, 7, 1, "recursive-doubling"},
		{ExScan, ordered, 7, 1, "recursive-doubling"},
	} {
		a := sized(test.kind, test.size, test.bytes)
		a.Op = test.op
		got := Operations[test.kind].choose(&a, test.size)
		if got.Name != test.want {
			t.Errorf("%s of %d bytes at %d ranks: %s; expected %s", Operations[test.kind].Name, test.bytes, test.size, got.Name, test.want)
		}
		if got.Refuse != nil && got.Refuse(&a, test.size) != "" {
			t.Errorf("%s by %s: %s", Operations[test.kind].Name, got.Name, got.Refuse(&a, test.size))
		}
	}
}

// Where processes share processors, algorithms are chosen that give the same bits.
func TestChoicesOfOversubscribedRanks(t *testing.T) {
	for _, test := range []struct {
		kind  Operation
		bytes int
		want  string
	}{
		{Barrier, 0, "linear"},
		{AllReduce, shortOversubscribed, "linear"},
		{AllReduce, shortOversubscribed + 1, "recursive-doubling"},
		{AllReduce, longAllReduce, "rabenseifner"},
		{Broadcast, 8, "binomial"},
	} {
		a := sized(test.kind, 7, test.bytes)
		if got := Operations[test.kind].Usual(&a, 7, true); got.Name != test.want {
			t.Errorf("%s of %d bytes: %s; expected %s", Operations[test.kind].Name, test.bytes, got.Name, test.want)
		}
	}
}

// sized returns the arguments of an operation on some bytes, for each rank where
// there are parts.
func sized(kind Operation, size, bytes int) Arguments {
	one := make([]byte, bytes)
	a := Arguments{In: one, Out: one, Element: 1}
	all := func() []byte { return make([]byte, bytes*size) }
	switch kind {
	case AllGather:
		a.Out = all()
	case AllGatherV:
		a.Outs = equal(all(), size)
	case ReduceScatter:
		a.In = all()
	case AllToAll:
		a.In = all()
		a.Out = a.In
	}
	return a
}

// manners is a network that knows some manners of multicast.
type manners struct {
	rma.Multicaster
	chain, hierarchical bool
}

func (m manners) Multicasts(by rma.MulticastMethod) bool {
	return by == rma.Chain && m.chain || by == rma.Hierarchical && m.hierarchical
}

// Multicasts are chosen by what the network knows, and at the limits.
func TestChoicesOfMulticasts(t *testing.T) {
	chain, both := manners{chain: true}, manners{chain: true, hierarchical: true}
	for _, test := range []struct {
		kind  Operation
		net   manners
		size  int
		bytes int
		want  string // empty: no multicast
	}{
		{Broadcast, both, 2, 8, ""},
		{Broadcast, both, 3, 0, Hierarchical},
		{Broadcast, both, 1000, 1 << 20, Hierarchical},
		{Broadcast, chain, 8, longChain - 1, ""},
		{Broadcast, chain, mostChained, longChain, Chain},
		{Broadcast, chain, mostChained + 1, longChain, ""},
		{Barrier, both, leastMulticast - 1, 0, ""},
		{Barrier, both, leastMulticast, 0, Hierarchical},
		{Barrier, chain, 1000, 0, ""},
		{Broadcast, manners{}, 8, longChain, ""},
	} {
		a, got := sized(test.kind, test.size, test.bytes), ""
		if chosen := Operations[test.kind].ChooseMulticast(test.net, &a, test.size); chosen != nil {
			got = chosen.Name
		}
		if got != test.want {
			t.Errorf("%s of %d bytes at %d ranks with chain %v, hierarchical %v: %q; expected %q", Operations[test.kind].Name, test.bytes, test.size, test.net.chain, test.net.hierarchical, got, test.want)
		}
	}
}

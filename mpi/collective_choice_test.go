package mpi

import (
	"testing"

	"musubi/rma"
)

// The usual choice never falls on an algorithm that refuses the arguments, and goes
// over to another one at the limits.
func TestChoices(t *testing.T) {
	commutative, ordered := operator{commutative: true}, operator{}
	for _, test := range []struct {
		Kind  operation
		op    operator
		size  int
		bytes int // of in and out, for each rank where there are parts
		want  string
	}{
		{barrier, ordered, 64, 0, "dissemination"},
		{broadcast, ordered, 8, longBroadcast - 1, "binomial"},
		{broadcast, ordered, 8, longBroadcast, "scatter-allgather"},
		{broadcast, ordered, 64, longBroadcast, "binomial"},
		{broadcast, ordered, 2, 1 << 20, "binomial"},
		{reduce, ordered, 7, longReduce - 1, "binomial"},
		{reduce, ordered, 7, longReduce, "rabenseifner"},
		{allReduce, ordered, 7, longAllReduce - 1, "recursive-doubling"},
		{allReduce, ordered, 7, longAllReduce, "rabenseifner"},
		{gather, ordered, 7, shortGather, "binomial"},
		{gather, ordered, 7, shortGather + 1, "linear"},
		{scatter, ordered, 7, shortGather, "binomial"},
		{scatter, ordered, 7, shortGather + 1, "linear"},
		{allGather, ordered, 8, 1, "recursive-doubling"},
		{allGather, ordered, 7, 1, "bruck"},
		{allGather, ordered, 8, longAllGather / 8, "ring"},
		{allGatherV, ordered, 8, longAllGather/8 - 1, "linear"},
		{allGatherV, ordered, 8, longAllGather / 8, "ring"},
		{allToAll, ordered, 7, shortAllToAll, "bruck"},
		{allToAll, ordered, 7, shortAllToAll + 1, "linear"},
		{allToAllV, ordered, 7, 1, "linear"},
		{reduceScatter, commutative, 7, longPairwise - 1, "recursive-halving"},
		{reduceScatter, commutative, 7, longPairwise, "pairwise"},
		{reduceScatter, commutative, 8, longPairwise, "recursive-halving"},
		{reduceScatter, ordered, 8, longOrdered - 1, "tree"},
		{reduceScatter, ordered, 8, longOrdered, "pairwise"},
		{scan, ordered, 7, 1, "recursive-doubling"},
		{exScan, ordered, 7, 1, "recursive-doubling"},
	} {
		a := sized(test.Kind, test.size, test.bytes)
		a.op = test.op
		got := operations[test.Kind].choose(&a, test.size)
		if got.name != test.want {
			t.Errorf("%s of %d bytes at %d ranks: %s; expected %s", operations[test.Kind].name, test.bytes, test.size, got.name, test.want)
		}
		if got.refuse != nil && got.refuse(&a, test.size) != "" {
			t.Errorf("%s by %s: %s", operations[test.Kind].name, got.name, got.refuse(&a, test.size))
		}
	}
}

// Where processes share processors, algorithms are chosen that give the same bits.
func TestCrowdedChoices(t *testing.T) {
	for _, test := range []struct {
		Kind  operation
		bytes int
		want  string
	}{
		{barrier, 0, "linear"},
		{allReduce, shortCrowded, "linear"},
		{allReduce, shortCrowded + 1, "recursive-doubling"},
		{allReduce, longAllReduce, "rabenseifner"},
		{broadcast, 8, "binomial"},
	} {
		a := sized(test.Kind, 7, test.bytes)
		c := &Comm{e: &engine{crowded: true}, size: 7}
		got, err := c.algorithm("", test.Kind, &a)
		if err != nil || got.name != test.want {
			t.Errorf("%s of %d bytes: %v, %v; expected %s", operations[test.Kind].name, test.bytes, got, err, test.want)
		}
	}
}

// sized returns the arguments of an operation on some bytes, for each rank where
// there are parts.
func sized(kind operation, size, bytes int) arguments {
	one, all := make([]byte, bytes), make([]byte, bytes*size)
	a := arguments{in: one, out: one, element: 1}
	switch kind {
	case allGather:
		a.out = all
	case allGatherV:
		a.outs = equal(all, size)
	case reduceScatter:
		a.in = all
	case allToAll:
		a.in, a.out = all, all
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
		Kind  operation
		net   manners
		size  int
		bytes int
		want  string // empty: no multicast
	}{
		{broadcast, both, 2, 8, ""},
		{broadcast, both, 3, 0, Hierarchical},
		{broadcast, both, 1000, 1 << 20, Hierarchical},
		{broadcast, chain, 8, longChain - 1, ""},
		{broadcast, chain, mostChained, longChain, Chain},
		{broadcast, chain, mostChained + 1, longChain, ""},
		{barrier, both, leastCast - 1, 0, ""},
		{barrier, both, leastCast, 0, Hierarchical},
		{barrier, chain, 1000, 0, ""},
		{broadcast, manners{}, 8, longChain, ""},
	} {
		a, got := sized(test.Kind, test.size, test.bytes), ""
		if chosen := operations[test.Kind].multicast(test.net, &a, test.size); chosen != nil {
			got = chosen.name
		}
		if got != test.want {
			t.Errorf("%s of %d bytes at %d ranks with chain %v, hierarchical %v: %q; expected %q", operations[test.Kind].name, test.bytes, test.size, test.net.chain, test.net.hierarchical, got, test.want)
		}
	}
}

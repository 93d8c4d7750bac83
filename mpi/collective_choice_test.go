package mpi

import "testing"

// The usual choice never falls on an algorithm that refuses the arguments, and goes
// over to another one at the limits.
func TestChoices(t *testing.T) {
	commutative, ordered := operator{commutative: true}, operator{}
	for _, test := range []struct {
		kind  operation
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
		a := sized(test.kind, test.size, test.bytes)
		a.op = test.op
		got := operations[test.kind].choose(&a, test.size)
		if got.name != test.want {
			t.Errorf("%s of %d bytes at %d ranks: %s; expected %s", operations[test.kind].name, test.bytes, test.size, got.name, test.want)
		}
		if got.refuse != nil && got.refuse(&a, test.size) != "" {
			t.Errorf("%s by %s: %s", operations[test.kind].name, got.name, got.refuse(&a, test.size))
		}
	}
}

// Where processes share processors, algorithms are chosen that give the same bits.
func TestCrowdedChoices(t *testing.T) {
	for _, test := range []struct {
		kind  operation
		bytes int
		want  string
	}{
		{barrier, 0, "linear"},
		{allReduce, shortCrowded, "linear"},
		{allReduce, shortCrowded + 1, "recursive-doubling"},
		{allReduce, longAllReduce, "rabenseifner"},
		{broadcast, 8, "binomial"},
	} {
		a := sized(test.kind, 7, test.bytes)
		c := &Comm{e: &engine{crowded: true}, size: 7}
		got, err := c.algorithm("", test.kind, &a)
		if err != nil || got.name != test.want {
			t.Errorf("%s of %d bytes: %v, %v; expected %s", operations[test.kind].name, test.bytes, got, err, test.want)
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

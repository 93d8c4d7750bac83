package algorithm

import (
	"musubi/mpi/internal/reduction"
	"musubi/rma"
)

// Operation is a collective operation.
type Operation uint8

const (
	Barrier Operation = iota
	Broadcast
	Reduce
	AllReduce
	Gather
	GatherV
	Scatter
	ScatterV
	AllGather
	AllGatherV
	AllToAll
	AllToAllV
	AllToAllW
	ReduceScatter
	ReduceScatterV
	Scan
	ExScan
)

// Info describes an operation.
type Info struct {
	Name       string // for SetAlgorithm
	Rooted     bool
	Lengths    func(a *Arguments, rank, size int) error // nil: there is nothing to check
	Algorithms []*Algorithm
	// EachChooses: by each of Algorithms every rank sends the same messages to the same ranks, only in another
	// order, and what it sends does not depend on what it receives. So ranks may use different ones in one
	// operation, and each may choose by lengths that only it knows.
	EachChooses bool
	Offload     *Algorithm   // where interfaces can do it; nil: nowhere
	ByMulticast []*Algorithm // where networks have multicast
	// ChooseMulticast chooses one of ByMulticast, nil for none; nil: there is none.
	ChooseMulticast func(m rma.Multicaster, a *Arguments, size int) *Algorithm
	choose          func(a *Arguments, size int) *Algorithm
	oversubscribed  func(a *Arguments, size int) *Algorithm // where ranks share processors; nil: as elsewhere
}

// Operations lists all of them, in the order of their constants.
var Operations = [...]Info{
	Barrier: {Name: "barrier",
		Algorithms: []*Algorithm{dissemination, tree, linearBarrier}, Offload: offloadBarrier,
		ByMulticast: []*Algorithm{chainBarrier, hierarchicalBarrier}, ChooseMulticast: multicastBarrier, choose: always(dissemination), oversubscribed: always(linearBarrier)},
	Broadcast: {Name: "broadcast", Rooted: true,
		Algorithms:  []*Algorithm{binomialBroadcast, vanDeGeijn, linearBroadcast},
		ByMulticast: []*Algorithm{chainBroadcast, hierarchicalBroadcast}, ChooseMulticast: multicastBroadcast, choose: chooseBroadcast},
	Reduce: {Name: "reduce", Rooted: true, Lengths: alikeAtRoot,
		Algorithms: []*Algorithm{binomialReduce, rabenseifnerToOne}, choose: chooseReduce},
	AllReduce: {Name: "allreduce", Lengths: alike,
		Algorithms: []*Algorithm{doublingReduce, rabenseifnerToAll, ringReduce, linearReduce}, Offload: offloadAllReduce, choose: chooseAllReduce, oversubscribed: oversubscribedAllReduce},
	Gather: {Name: "gather", Rooted: true, Lengths: outForAllAtRoot,
		Algorithms: []*Algorithm{binomialGather, linearGather}, choose: chooseGather},
	GatherV: {Name: "gatherv", Rooted: true, Lengths: outsAtRoot,
		Algorithms: []*Algorithm{linearGatherV}, choose: always(linearGatherV)},
	Scatter: {Name: "scatter", Rooted: true, Lengths: inForAllAtRoot,
		Algorithms: []*Algorithm{binomialScatter, linearScatter}, choose: chooseScatter},
	ScatterV: {Name: "scatterv", Rooted: true, Lengths: insAtRoot,
		Algorithms: []*Algorithm{linearScatterV}, choose: always(linearScatterV)},
	AllGather: {Name: "allgather", Lengths: outForAll,
		Algorithms: []*Algorithm{doublingAllGather, BruckAllGather, ringAllGather, linearAllGather}, choose: chooseAllGather},
	AllGatherV: {Name: "allgatherv", Lengths: outsForAll,
		Algorithms: []*Algorithm{ringAllGatherV, linearAllGatherV}, choose: chooseAllGatherV},
	AllToAll: {Name: "alltoall", Lengths: inAndOutForAll,
		Algorithms: []*Algorithm{bruckAllToAll, linearAllToAll, pairwiseAllToAll}, choose: chooseAllToAll},
	AllToAllV: {Name: "alltoallv", Lengths: insAndOutsForAll,
		Algorithms: []*Algorithm{linearAllToAllV, pairwiseAllToAllV}, EachChooses: true, choose: always(linearAllToAllV)},
	AllToAllW: {Name: "alltoallw", Lengths: layoutsForAll,
		Algorithms: []*Algorithm{linearAllToAllW, pairwiseAllToAllW}, EachChooses: true, choose: always(linearAllToAllW)},
	ReduceScatter: {Name: "reducescatter", Lengths: inForAll,
		Algorithms: []*Algorithm{treeReduceScatter, halvingReduceScatter, pairwiseReduceScatter}, choose: chooseReduceScatter},
	ReduceScatterV: {Name: "reducescatterv", Lengths: insForAll,
		Algorithms: []*Algorithm{treeReduceScatterV, halvingReduceScatterV, pairwiseReduceScatterV}, choose: chooseReduceScatterV},
	Scan: {Name: "scan", Lengths: alike,
		Algorithms: []*Algorithm{linearScan, doublingScan}, choose: always(doublingScan)},
	ExScan: {Name: "exscan", Lengths: alike,
		Algorithms: []*Algorithm{linearExScan, doublingExScan}, choose: always(doublingExScan)},
}

// Names lists the algorithms that all machines have.
func (o *Info) Names() (names []string) {
	for _, a := range o.Algorithms {
		names = append(names, a.Name)
	}
	return names
}

// NamesFor lists the algorithms that a number of ranks can use, with a commutative operation.
func (o *Info) NamesFor(size int) (names []string) {
	commutative := Arguments{Op: reduction.Op{Commutative: true}}
	for _, a := range o.Algorithms {
		if a.Refuse == nil || a.Refuse(&commutative, size) == "" {
			names = append(names, a.Name)
		}
	}
	return names
}

// Find returns the operation with a name.
func Find(name string) (Operation, bool) {
	for i := range Operations {
		if Operations[i].Name == name {
			return Operation(i), true
		}
	}
	return 0, false
}

// Usual returns the default algorithm by messages, for ranks that share processors or do not.
func (o *Info) Usual(a *Arguments, size int, oversubscribed bool) *Algorithm {
	if oversubscribed && o.oversubscribed != nil {
		return o.oversubscribed(a, size)
	}
	return o.choose(a, size)
}

// Names lists the names of all operations.
func Names() []string {
	var names []string
	for i := range Operations {
		names = append(names, Operations[i].Name)
	}
	return names
}

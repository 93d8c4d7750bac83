package mpi

import (
	"fmt"
	"slices"
	"strings"

	"musubi/rma"
)

// operation is a collective operation.
type operation uint8

const (
	barrier operation = iota
	broadcast
	reduce
	allReduce
	gather
	gatherV
	scatter
	scatterV
	allGather
	allGatherV
	allToAll
	allToAllV
	allToAllW
	reduceScatter
	reduceScatterV
	scan
	exScan
)

// operationInfo is what is to be known of an operation.
type operationInfo struct {
	name       string // for SetAlgorithm
	rooted     bool
	lengths    func(a *arguments, rank, size int) error // nil: there is nothing to check
	algorithms []*algorithm
	offload    *algorithm   // where interfaces can do it; nil: nowhere
	casts      []*algorithm // where networks have multicast
	// multicast chooses one of casts, nil for none; nil: there is none.
	multicast func(m rma.Multicaster, a *arguments, size int) *algorithm
	choose    func(a *arguments, size int) *algorithm
	crowded   func(a *arguments, size int) *algorithm // where processes share processors; nil: as elsewhere
}

// algorithm makes a schedule for each rank that together do an operation. If they
// do it for some arguments only, refuse says why not, or nothing if they do.
type algorithm struct {
	name   string
	build  func(*schedule, arguments)
	refuse func(a *arguments, size int) string
	// otherwise chooses another one where interfaces cannot do what this one lets them do.
	otherwise func(a *arguments, size int) *algorithm
	land      func(r *running)    // adds the steps of one that uses the landing, in its turn
	manner    rma.MulticastMethod // of its multicasts
}

var (
	dissemination = &algorithm{name: "dissemination", build: barrierDissemination}
	tree          = &algorithm{name: "tree", build: barrierTree}
	linearBarrier = &algorithm{name: "linear", build: barrierLinear}

	binomialBroadcast = &algorithm{name: "binomial", build: broadcastBinomial}
	vanDeGeijn        = &algorithm{name: "scatter-allgather", build: broadcastScatterAllGather}

	binomialReduce    = &algorithm{name: "binomial", build: reduceBinomial}
	rabenseifnerToOne = &algorithm{name: "rabenseifner", build: reduceRabenseifner}

	doublingReduce    = &algorithm{name: "recursive-doubling", build: allReduceDoubling}
	rabenseifnerToAll = &algorithm{name: "rabenseifner", build: allReduceRabenseifner}
	linearReduce      = &algorithm{name: "linear", build: allReduceLinear}
	ringReduce        = &algorithm{name: "ring", build: allReduceRing, refuse: unlessCommutative}

	binomialGather  = &algorithm{name: "binomial", build: gatherBinomial}
	linearGather    = &algorithm{name: "linear", build: gatherLinear}
	linearGatherV   = &algorithm{name: "linear", build: gatherVLinear}
	binomialScatter = &algorithm{name: "binomial", build: scatterBinomial}
	linearScatter   = &algorithm{name: "linear", build: scatterLinear}
	linearScatterV  = &algorithm{name: "linear", build: scatterVLinear}

	doublingAllGather = &algorithm{name: "recursive-doubling", build: allGatherDoubling, refuse: unlessPowerOfTwo}
	bruckAllGather    = &algorithm{name: "bruck", build: allGatherBruck}
	ringAllGather     = &algorithm{name: "ring", build: allGatherRing}
	ringAllGatherV    = &algorithm{name: "ring", build: allGatherVRing}
	linearAllGatherV  = &algorithm{name: "linear", build: allGatherVLinear}

	bruckAllToAll     = &algorithm{name: "bruck", build: allToAllBruck}
	linearAllToAll    = &algorithm{name: "linear", build: allToAllLinear}
	pairwiseAllToAll  = &algorithm{name: "pairwise", build: allToAllPairwise}
	linearAllToAllV   = &algorithm{name: "linear", build: allToAllVLinear}
	pairwiseAllToAllV = &algorithm{name: "pairwise", build: allToAllVPairwise}

	linearAllToAllW   = &algorithm{name: "linear", build: allToAllWLinear}
	pairwiseAllToAllW = &algorithm{name: "pairwise", build: allToAllWPairwise}

	treeReduceScatter     = &algorithm{name: "tree", build: reduceScatterTree}
	halvingReduceScatter  = &algorithm{name: "recursive-halving", build: reduceScatterHalving, refuse: unlessCommutative}
	pairwiseReduceScatter = &algorithm{name: "pairwise", build: reduceScatterPairwise}

	treeReduceScatterV     = &algorithm{name: "tree", build: reduceScatterVTree}
	halvingReduceScatterV  = &algorithm{name: "recursive-halving", build: reduceScatterVHalving, refuse: unlessCommutative}
	pairwiseReduceScatterV = &algorithm{name: "pairwise", build: reduceScatterVPairwise}

	linearScan     = &algorithm{name: "linear", build: scanLinear}
	doublingScan   = &algorithm{name: "recursive-doubling", build: scanDoubling}
	linearExScan   = &algorithm{name: "linear", build: exScanLinear}
	doublingExScan = &algorithm{name: "recursive-doubling", build: exScanDoubling}
)

func unlessCommutative(a *arguments, _ int) string {
	if a.op.commutative {
		return ""
	}
	return "an operation that is not commutative; expected one that is"
}

func unlessPowerOfTwo(_ *arguments, size int) string {
	if isPowerOfTwo(size) {
		return ""
	}
	return fmt.Sprintf("%d ranks; expected a power of two", size)
}

// operations lists all of them, in the order of their constants.
var operations = [...]operationInfo{
	barrier: {name: "barrier",
		algorithms: []*algorithm{dissemination, tree, linearBarrier}, offload: offloadBarrier,
		casts: []*algorithm{chainBarrier, hierarchicalBarrier}, multicast: castBarrier, choose: always(dissemination), crowded: always(linearBarrier)},
	broadcast: {name: "broadcast", rooted: true,
		algorithms: []*algorithm{binomialBroadcast, vanDeGeijn},
		casts:      []*algorithm{chainBroadcast, hierarchicalBroadcast}, multicast: castBroadcast, choose: chooseBroadcast},
	reduce: {name: "reduce", rooted: true, lengths: alikeAtRoot,
		algorithms: []*algorithm{binomialReduce, rabenseifnerToOne}, choose: chooseReduce},
	allReduce: {name: "allreduce", lengths: alike,
		algorithms: []*algorithm{doublingReduce, rabenseifnerToAll, ringReduce, linearReduce}, offload: offloadAllReduce, choose: chooseAllReduce, crowded: crowdedAllReduce},
	gather: {name: "gather", rooted: true, lengths: outForAllAtRoot,
		algorithms: []*algorithm{binomialGather, linearGather}, choose: chooseGather},
	gatherV: {name: "gatherv", rooted: true, lengths: outsAtRoot,
		algorithms: []*algorithm{linearGatherV}, choose: always(linearGatherV)},
	scatter: {name: "scatter", rooted: true, lengths: inForAllAtRoot,
		algorithms: []*algorithm{binomialScatter, linearScatter}, choose: chooseScatter},
	scatterV: {name: "scatterv", rooted: true, lengths: insAtRoot,
		algorithms: []*algorithm{linearScatterV}, choose: always(linearScatterV)},
	allGather: {name: "allgather", lengths: outForAll,
		algorithms: []*algorithm{doublingAllGather, bruckAllGather, ringAllGather}, choose: chooseAllGather},
	allGatherV: {name: "allgatherv", lengths: outsForAll,
		algorithms: []*algorithm{ringAllGatherV, linearAllGatherV}, choose: chooseAllGatherV},
	allToAll: {name: "alltoall", lengths: inAndOutForAll,
		algorithms: []*algorithm{bruckAllToAll, linearAllToAll, pairwiseAllToAll}, choose: chooseAllToAll},
	allToAllV: {name: "alltoallv", lengths: insAndOutsForAll,
		algorithms: []*algorithm{linearAllToAllV, pairwiseAllToAllV}, choose: always(linearAllToAllV)},
	allToAllW: {name: "alltoallw", lengths: layoutsForAll,
		algorithms: []*algorithm{linearAllToAllW, pairwiseAllToAllW}, choose: always(linearAllToAllW)},
	reduceScatter: {name: "reducescatter", lengths: inForAll,
		algorithms: []*algorithm{treeReduceScatter, halvingReduceScatter, pairwiseReduceScatter}, choose: chooseReduceScatter},
	reduceScatterV: {name: "reducescatterv", lengths: insForAll,
		algorithms: []*algorithm{treeReduceScatterV, halvingReduceScatterV, pairwiseReduceScatterV}, choose: chooseReduceScatterV},
	scan: {name: "scan", lengths: alike,
		algorithms: []*algorithm{linearScan, doublingScan}, choose: always(doublingScan)},
	exScan: {name: "exscan", lengths: alike,
		algorithms: []*algorithm{linearExScan, doublingExScan}, choose: always(doublingExScan)},
}

func always(a *algorithm) func(*arguments, int) *algorithm {
	return func(*arguments, int) *algorithm { return a }
}

// Operations lists the collective operations by the names that SetAlgorithm knows
// them by.
func Operations() []string {
	var names []string
	for i := range operations {
		names = append(names, operations[i].name)
	}
	return names
}

// Algorithms lists the algorithms for a collective operation that all machines have. It
// fails with ErrOp if there is no such operation. See also Offload, Chain and Hierarchical.
func Algorithms(operation string) ([]string, error) {
	o, err := (*Comm)(nil).operation("Algorithms", operation)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, a := range operations[o].algorithms {
		names = append(names, a.name)
	}
	return names, nil
}

// casts returns an algorithm that needs a network with multicast in its manner, nil if there
// is none of that name, or no such network.
func (c *Comm) casts(o operation, name string) *algorithm {
	for _, a := range operations[o].casts {
		if a.name == name && c.e.multicaster != nil && c.e.multicaster.Multicasts(a.manner) {
			return a
		}
	}
	return nil
}

// operation finds an operation by its name.
func (c *Comm) operation(call, name string) (operation, error) {
	for i := range operations {
		if operations[i].name == name {
			return operation(i), nil
		}
	}
	return 0, c.failf(ErrOp, call, "unknown operation %q; known: %s", name, strings.Join(Operations(), ", "))
}

// SetAlgorithm lets an operation be done by a certain algorithm from now on, or by
// the usual choice again if that is "auto". Communicators that are made of this one
// inherit it. All ranks have to choose alike.
//
// Some algorithms need a power of two ranks or a commutative operation: without, the
// operation itself fails with ErrOp. SetAlgorithm does if it does not know the names.
func (c *Comm) SetAlgorithm(operation, algorithm string) error {
	const call = "SetAlgorithm"
	if err := c.check(call); err != nil {
		return err
	}
	o, err := c.operation(call, operation)
	if err != nil {
		return err
	}
	known, _ := Algorithms(operation)
	i := slices.Index(known, algorithm)
	switch {
	case algorithm == "auto":
		c.collectives.forced[o] = nil
	case algorithm == Offload && operations[o].offload != nil:
		if c.e.collector == nil {
			return c.failf(ErrOp, call, "algorithm %s for %s, on a machine whose interfaces do none", algorithm, operation)
		}
		c.collectives.forced[o] = operations[o].offload
	case i < 0 && c.casts(o, algorithm) != nil:
		c.collectives.forced[o] = c.casts(o, algorithm)
	case i < 0:
		return c.failf(ErrOp, call, "unknown algorithm %q for %s; known: auto, %s", algorithm, operation, strings.Join(known, ", "))
	default:
		c.collectives.forced[o] = operations[o].algorithms[i]
	}
	return nil
}

// algorithm returns the one that an operation is to be done by. It depends on what
// is the same at all ranks only.
func (c *Comm) algorithm(call string, kind operation, a *arguments) (*algorithm, error) {
	o, forced := &operations[kind], c.collectives.forced[kind]
	switch {
	case forced != nil:
	case c.offloads(kind, a):
		return o.offload, nil
	default:
		return c.usual(kind, a), nil
	}
	if forced.refuse != nil {
		if problem := forced.refuse(a, c.Size()); problem != "" {
			return nil, c.failf(ErrOp, call, "algorithm %s with %s", forced.name, problem)
		}
	}
	return forced, nil
}

// usual returns the usual choice, where interfaces do not do the whole operation.
func (c *Comm) usual(kind operation, a *arguments) *algorithm {
	o := &operations[kind]
	if cast := c.multicastsNow(kind, a); cast != nil {
		return cast
	}
	if c.e.crowded && o.crowded != nil {
		return o.crowded(a, c.Size())
	}
	return o.choose(a, c.Size())
}

// Package algorithm has the algorithms of collective operations, which make schedules, and the
// choice between them.
//
// To add one: write the function that builds its schedule, beside those of its operation; give
// it a name and list it in Operations; choice.go says when it is the usual one.
package algorithm

import (
	"fmt"

	"musubi/mpi/internal/schedule"
	"musubi/rma"
)

// Algorithm makes a schedule for each rank; together they do an operation.
type Algorithm struct {
	Name  string
	Build func(*schedule.Schedule, Arguments)
	// Refuse returns why the algorithm cannot do an operation with some arguments, "" if it can;
	// nil: it always can.
	Refuse func(a *Arguments, size int) string
	// Otherwise chooses an algorithm by messages where this one, by interfaces or multicast, cannot
	// be used.
	Otherwise func(a *Arguments, size int) *Algorithm
	Way       way
	Method    rma.MulticastMethod // of its multicasts
}

// way is how an algorithm moves data: by messages, or by calls (schedule.Call).
type way uint8

const (
	ByMessages   way = iota
	ByInterfaces     // interfaces combine the words of the ranks
	ByMulticast      // switches, or interfaces, copy data for all ranks
	ByNotes          // ranks read in shared memory what others have posted there
)

var (
	dissemination = &Algorithm{Name: "dissemination", Build: BarrierDissemination}
	tree          = &Algorithm{Name: "tree", Build: barrierTree}
	linearBarrier = &Algorithm{Name: "linear", Build: barrierLinear}

	binomialBroadcast = &Algorithm{Name: "binomial", Build: broadcastBinomial}
	linearBroadcast   = &Algorithm{Name: "linear", Build: broadcastLinear}
	vanDeGeijn        = &Algorithm{Name: "scatter-allgather", Build: broadcastScatterAllGather}

	binomialReduce    = &Algorithm{Name: "binomial", Build: reduceBinomial}
	rabenseifnerToOne = &Algorithm{Name: "rabenseifner", Build: reduceRabenseifner}

	doublingReduce    = &Algorithm{Name: "recursive-doubling", Build: allReduceDoubling}
	rabenseifnerToAll = &Algorithm{Name: "rabenseifner", Build: allReduceRabenseifner}
	linearReduce      = &Algorithm{Name: "linear", Build: allReduceLinear}
	ringReduce        = &Algorithm{Name: "ring", Build: allReduceRing, Refuse: unlessCommutative}

	binomialGather  = &Algorithm{Name: "binomial", Build: gatherBinomial}
	linearGather    = &Algorithm{Name: "linear", Build: gatherLinear}
	linearGatherV   = &Algorithm{Name: "linear", Build: gatherVLinear}
	binomialScatter = &Algorithm{Name: "binomial", Build: scatterBinomial}
	linearScatter   = &Algorithm{Name: "linear", Build: scatterLinear}
	linearScatterV  = &Algorithm{Name: "linear", Build: scatterVLinear}

	doublingAllGather = &Algorithm{Name: "recursive-doubling", Build: allGatherDoubling, Refuse: unlessPowerOfTwo}
	BruckAllGather    = &Algorithm{Name: "bruck", Build: allGatherBruck}
	linearAllGather   = &Algorithm{Name: "linear", Build: allGatherLinear}
	ringAllGather     = &Algorithm{Name: "ring", Build: allGatherRing}
	ringAllGatherV    = &Algorithm{Name: "ring", Build: allGatherVRing}
	linearAllGatherV  = &Algorithm{Name: "linear", Build: allGatherVLinear}

	bruckAllToAll     = &Algorithm{Name: "bruck", Build: allToAllBruck}
	linearAllToAll    = &Algorithm{Name: "linear", Build: allToAllLinear}
	pairwiseAllToAll  = &Algorithm{Name: "pairwise", Build: allToAllPairwise}
	linearAllToAllV   = &Algorithm{Name: "linear", Build: allToAllVLinear}
	pairwiseAllToAllV = &Algorithm{Name: "pairwise", Build: allToAllVPairwise}

	linearAllToAllW   = &Algorithm{Name: "linear", Build: allToAllWLinear}
	pairwiseAllToAllW = &Algorithm{Name: "pairwise", Build: allToAllWPairwise}

	treeReduceScatter     = &Algorithm{Name: "tree", Build: reduceScatterTree}
	halvingReduceScatter  = &Algorithm{Name: "recursive-halving", Build: reduceScatterHalving, Refuse: unlessCommutative}
	pairwiseReduceScatter = &Algorithm{Name: "pairwise", Build: reduceScatterPairwise}

	treeReduceScatterV     = &Algorithm{Name: "tree", Build: reduceScatterVTree}
	halvingReduceScatterV  = &Algorithm{Name: "recursive-halving", Build: reduceScatterVHalving, Refuse: unlessCommutative}
	pairwiseReduceScatterV = &Algorithm{Name: "pairwise", Build: reduceScatterVPairwise}

	linearScan     = &Algorithm{Name: "linear", Build: scanLinear}
	doublingScan   = &Algorithm{Name: "recursive-doubling", Build: scanDoubling}
	linearExScan   = &Algorithm{Name: "linear", Build: exScanLinear}
	doublingExScan = &Algorithm{Name: "recursive-doubling", Build: exScanDoubling}
)

func unlessCommutative(a *Arguments, _ int) string {
	if a.Op.Commutative {
		return ""
	}
	return "an operation that is not commutative; expected one that is"
}

func unlessPowerOfTwo(_ *Arguments, size int) string {
	if isPowerOfTwo(size) {
		return ""
	}
	return fmt.Sprintf("%d ranks; expected a power of two", size)
}

func always(a *Algorithm) func(*Arguments, int) *Algorithm {
	return func(*Arguments, int) *Algorithm { return a }
}

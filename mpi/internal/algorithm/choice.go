package algorithm

import "musubi/rma"

// Which algorithm is the fastest depends on the machine. The limits here are what
// BenchmarkAlgorithms says for 8, 12 and 32 ranks of ndr, where starting a message is
// cheap and most of its time is latency, and of rhinet2, where it is not. Where the
// two machines disagree, the limit is where what one of them loses and the other one
// gains are about equal, as ratios. Limits of multicasts are what the workload collective
// says for 4 to 128 ranks of ssscore, the one machine that has them.
//
// All are in bytes.
const (
	// longBroadcast is where scattering pieces and passing them on begins to pay on
	// rhinet2. On ndr it pays beyond 256 KiB only. Each step has its latency, so that
	// pieces should not be short.
	longBroadcast      = 64 << 10
	longBroadcastPiece = 2 << 10
	// longReduce: rabenseifner pays from here on rhinet2, the more so the more ranks;
	// on ndr it does not.
	longReduce = 256 << 10
	// longAllReduce: rabenseifner pays from here on both. What recursive doubling sends
	// is no longer eager here; the halves are.
	longAllReduce = 16 << 10
	// shortOversubscribed: where 4 to 16 processes share two processors, the linear algorithm, in
	// which one of them combines, is faster up to here.
	shortOversubscribed = 1 << 10
	// shortGather, of each rank: up to here a tree is 2 to 7 times as fast on rhinet2,
	// as the root has fewer messages. On ndr it never is.
	shortGather = 256
	// longAllGather, of all ranks together: from here the ring is faster on rhinet2, and
	// on ndr with 32 ranks; of parts of different lengths, too.
	longAllGather = 4 << 20
	// shortAllToAll, for each rank: up to here Bruck's algorithm is up to 7 times as fast
	// on rhinet2. On ndr it never is; linear is the fastest of all longer ones.
	shortAllToAll = 64
	// longOrdered, of each rank: from here pairwise is the fastest reduce-scatter where
	// the order counts.
	longOrdered = 4 << 10
	// longPairwise, of each rank: from here pairwise is the fastest reduce-scatter where
	// ranks are no power of two.
	longPairwise = 256 << 10
	// longChain: from here a chain of up to mostChained ranks of ssscore broadcasts faster than
	// scattering pieces and passing them on.
	longChain = 64 << 10
)

// In ranks, on ssscore.
const (
	mostChained = 32
	// leastMulticast: from here telling all by multicast at the end of a barrier is faster than
	// dissemination.
	leastMulticast = 32
)

func chooseBroadcast(a *Arguments, size int) *Algorithm {
	if n := len(a.Out); size > 2 && n >= longBroadcast && n/size >= longBroadcastPiece {
		return vanDeGeijn
	}
	return binomialBroadcast
}

// multicastBroadcast chooses multicast by switches wherever the network has it. A chain has the
// latency of all ranks, and pays only where many pieces follow each other.
func multicastBroadcast(m rma.Multicaster, a *Arguments, size int) *Algorithm {
	switch {
	case size == 2: // there is nothing to copy
		return nil
	case m.Multicasts(rma.Hierarchical):
		return hierarchicalBroadcast
	case m.Multicasts(rma.Chain) && len(a.Out) >= longChain && size <= mostChained:
		return chainBroadcast
	}
	return nil
}

func multicastBarrier(m rma.Multicaster, _ *Arguments, size int) *Algorithm {
	if size >= leastMulticast && m.Multicasts(rma.Hierarchical) {
		return hierarchicalBarrier
	}
	return nil
}

func chooseReduce(a *Arguments, size int) *Algorithm {
	if size > 2 && len(a.In) >= longReduce {
		return rabenseifnerToOne
	}
	return binomialReduce
}

func chooseAllReduce(a *Arguments, size int) *Algorithm {
	if size > 2 && len(a.In) >= longAllReduce {
		return rabenseifnerToAll
	}
	return doublingReduce
}

// SameBits reports whether two algorithms of an operation combine elements in the same order.
func SameBits(a, b *Algorithm) bool {
	alike := func(x *Algorithm) bool { return x == doublingReduce || x == linearReduce }
	return a == b || alike(a) && alike(b)
}

// oversubscribedAllReduce chooses between algorithms that give the same bits, so that results do
// not depend on how many processors there are.
func oversubscribedAllReduce(a *Arguments, size int) *Algorithm {
	if len(a.In) <= shortOversubscribed {
		return linearReduce
	}
	return chooseAllReduce(a, size)
}

func chooseGather(a *Arguments, _ int) *Algorithm {
	if len(a.In) <= shortGather {
		return binomialGather
	}
	return linearGather
}

func chooseScatter(a *Arguments, _ int) *Algorithm {
	if len(a.Out) <= shortGather {
		return binomialScatter
	}
	return linearScatter
}

func chooseAllGather(a *Arguments, size int) *Algorithm {
	switch {
	case len(a.Out) >= longAllGather:
		return ringAllGather
	case isPowerOfTwo(size):
		return doublingAllGather
	}
	return BruckAllGather
}

func chooseAllGatherV(a *Arguments, _ int) *Algorithm {
	if bytesOfAll(a.Outs) >= longAllGather {
		return ringAllGatherV
	}
	return linearAllGatherV
}

func chooseAllToAll(a *Arguments, size int) *Algorithm {
	if len(a.In)/size <= shortAllToAll {
		return bruckAllToAll
	}
	return linearAllToAll
}

func chooseReduceScatter(a *Arguments, size int) *Algorithm {
	switch {
	case !a.Op.Commutative && len(a.Out) < longOrdered:
		return treeReduceScatter
	case !a.Op.Commutative, !isPowerOfTwo(size) && len(a.Out) >= longPairwise:
		return pairwiseReduceScatter
	}
	return halvingReduceScatter
}

// chooseReduceScatterV has the limits of parts of equal length for their mean.
func chooseReduceScatterV(a *Arguments, size int) *Algorithm {
	each := bytesOfAll(a.Ins) / size
	switch {
	case !a.Op.Commutative && each < longOrdered:
		return treeReduceScatterV
	case !a.Op.Commutative, !isPowerOfTwo(size) && each >= longPairwise:
		return pairwiseReduceScatterV
	}
	return halvingReduceScatterV
}

func isPowerOfTwo(n int) bool { return n&(n-1) == 0 }

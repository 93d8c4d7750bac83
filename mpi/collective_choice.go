package mpi

const (
	longBroadcast     = 16 << 10
	longReduce        = 16 << 10
	longAllReduce     = 16 << 10
	longGather        = 4 << 10
	longAllGather     = 32 << 10
	shortAllToAll     = 256
	longAllToAll      = 16 << 10
	longReduceScatter = 16 << 10
)

func chooseBarrier(*arguments, int) *algorithm { return dissemination }

func chooseBroadcast(a *arguments, size int) *algorithm {
	if size > 2 && len(a.out) > longBroadcast {
		return vanDeGeijn
	}
	return binomialBroadcast
}

func chooseReduce(a *arguments, size int) *algorithm {
	if size > 2 && len(a.in) > longReduce {
		return rabenseifnerToOne
	}
	return binomialReduce
}

func chooseAllReduce(a *arguments, size int) *algorithm {
	if size > 2 && len(a.in) > longAllReduce {
		return rabenseifnerToAll
	}
	return doublingReduce
}

func chooseGather(a *arguments, _ int) *algorithm  { return binomialGather }
func chooseScatter(a *arguments, _ int) *algorithm { return binomialScatter }
func chooseAllGather(a *arguments, size int) *algorithm {
	if len(a.out) > longAllGather {
		return ringAllGather
	}
	return bruckAllGather
}
func chooseAllToAll(a *arguments, size int) *algorithm {
	if len(a.in)/size <= shortAllToAll {
		return bruckAllToAll
	}
	return pairwiseAllToAll
}
func chooseAllToAllV(a *arguments, size int) *algorithm { return pairwiseAllToAllV }
func chooseReduceScatter(a *arguments, size int) *algorithm {
	if !a.op.commutative {
		return treeReduceScatter
	}
	return halvingReduceScatter
}

package workload

import (
	"musubi/mpi"
	"musubi/rma"
	"slices"
)

// calls are the blocking and the nonblocking call of an operation.
type calls struct {
	wait  func() error
	start func() (*mpi.Request, error)
}

// collectiveCall is a collective operation of package mpi, as workloads call it.
type collectiveCall struct {
	operation string // its name in package mpi
	title     string // what the OSU micro-benchmarks call its test
	parts     bool   // ranks send or receive a part for each rank
	on        func(m *collectiveMemory) calls
}

// collectiveMemory is what an operation works on.
type collectiveMemory struct {
	c          *mpi.Comm
	root, size int
	in, out    []byte // size bytes each
	sum        mpi.Op[byte]
}

// all returns memory for a part of each rank.
func (m *collectiveMemory) all() []byte { return make([]byte, m.size*m.c.Size()) }

func (m *collectiveMemory) parts() [][]byte { return pieces(m.all(), m.c.Size()) }

// operationOf returns the calls of an operation on bytes of this rank.
func operationOf(c *mpi.Comm, operation string, root, size int) calls {
	call := callOf(operation)
	return call.on(&collectiveMemory{c, root, size, make([]byte, size), make([]byte, size), mpi.Sum[byte]()})
}

// callOf returns how an operation is called.
func callOf(operation string) *collectiveCall {
	i := slices.IndexFunc(collectiveCalls, func(c collectiveCall) bool { return c.operation == operation })
	if i < 0 {
		panic("workload: no entry in collectiveCalls for the collective operation " + operation)
	}
	return &collectiveCalls[i]
}

// collectiveCalls has an entry for each of mpi.Operations.
var collectiveCalls = []collectiveCall{
	{"barrier", "Barrier Latency", false, func(m *collectiveMemory) calls {
		return calls{
			func() error { return mpi.Barrier(m.c) },
			func() (*mpi.Request, error) { return mpi.IBarrier(m.c) },
		}
	}},
	{"broadcast", "Broadcast Latency", false, func(m *collectiveMemory) calls {
		return calls{
			func() error { return mpi.Broadcast(m.c, m.root, m.out) },
			func() (*mpi.Request, error) { return mpi.IBroadcast(m.c, m.root, m.out) },
		}
	}},
	{"reduce", "Reduce Latency", false, func(m *collectiveMemory) calls {
		return calls{
			func() error { return mpi.Reduce(m.c, m.root, m.in, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IReduce(m.c, m.root, m.in, m.out, m.sum) },
		}
	}},
	{"allreduce", "Allreduce Latency", false, func(m *collectiveMemory) calls {
		if _, offloads := m.c.Process().(rma.Collector); offloads && m.size == wordSize {
			return allReduceWord(m.c)
		}
		return calls{
			func() error { return mpi.AllReduce(m.c, m.in, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IAllReduce(m.c, m.in, m.out, m.sum) },
		}
	}},
	{"scan", "Scan Latency", false, func(m *collectiveMemory) calls {
		return calls{
			func() error { return mpi.Scan(m.c, m.in, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IScan(m.c, m.in, m.out, m.sum) },
		}
	}},
	{"exscan", "Exscan Latency", false, func(m *collectiveMemory) calls {
		return calls{
			func() error { return mpi.ExScan(m.c, m.in, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IExScan(m.c, m.in, m.out, m.sum) },
		}
	}},
	{"gather", "Gather Latency", true, func(m *collectiveMemory) calls {
		outAll := m.all()
		return calls{
			func() error { return mpi.Gather(m.c, m.root, m.in, outAll) },
			func() (*mpi.Request, error) { return mpi.IGather(m.c, m.root, m.in, outAll) },
		}
	}},
	{"gatherv", "Gatherv Latency", true, func(m *collectiveMemory) calls {
		outs := m.parts()
		return calls{
			func() error { return mpi.GatherV(m.c, m.root, m.in, outs) },
			func() (*mpi.Request, error) { return mpi.IGatherV(m.c, m.root, m.in, outs) },
		}
	}},
	{"scatter", "Scatter Latency", true, func(m *collectiveMemory) calls {
		inAll := m.all()
		return calls{
			func() error { return mpi.Scatter(m.c, m.root, inAll, m.out) },
			func() (*mpi.Request, error) { return mpi.IScatter(m.c, m.root, inAll, m.out) },
		}
	}},
	{"scatterv", "Scatterv Latency", true, func(m *collectiveMemory) calls {
		ins := m.parts()
		return calls{
			func() error { return mpi.ScatterV(m.c, m.root, ins, m.out) },
			func() (*mpi.Request, error) { return mpi.IScatterV(m.c, m.root, ins, m.out) },
		}
	}},
	{"allgather", "Allgather Latency", true, func(m *collectiveMemory) calls {
		outAll := m.all()
		return calls{
			func() error { return mpi.AllGather(m.c, m.in, outAll) },
			func() (*mpi.Request, error) { return mpi.IAllGather(m.c, m.in, outAll) },
		}
	}},
	{"allgatherv", "Allgatherv Latency", true, func(m *collectiveMemory) calls {
		outs := m.parts()
		return calls{
			func() error { return mpi.AllGatherV(m.c, m.in, outs) },
			func() (*mpi.Request, error) { return mpi.IAllGatherV(m.c, m.in, outs) },
		}
	}},
	{"alltoall", "All-to-All Personalized Exchange Latency", true, func(m *collectiveMemory) calls {
		inAll, outAll := m.all(), m.all()
		return calls{
			func() error { return mpi.AllToAll(m.c, inAll, outAll) },
			func() (*mpi.Request, error) { return mpi.IAllToAll(m.c, inAll, outAll) },
		}
	}},
	{"alltoallv", "All-to-Allv Personalized Exchange Latency", true, func(m *collectiveMemory) calls {
		ins, outs := m.parts(), m.parts()
		return calls{
			func() error { return mpi.AllToAllV(m.c, ins, outs) },
			func() (*mpi.Request, error) { return mpi.IAllToAllV(m.c, ins, outs) },
		}
	}},
	{"alltoallw", "All-to-Allw Personalized Exchange Latency", true, func(m *collectiveMemory) calls {
		inAll, outAll, to := m.all(), m.all(), layouts(m.size, m.c.Size())
		return calls{
			func() error { return mpi.AllToAllW(m.c, inAll, to, outAll, to) },
			func() (*mpi.Request, error) { return mpi.IAllToAllW(m.c, inAll, to, outAll, to) },
		}
	}},
	{"reducescatterv", "Reduce_scatter Latency", true, func(m *collectiveMemory) calls {
		ins := m.parts()
		return calls{
			func() error { return mpi.ReduceScatterV(m.c, ins, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IReduceScatterV(m.c, ins, m.out, m.sum) },
		}
	}},
	{"reducescatter", "Reduce_scatter_block Latency", true, func(m *collectiveMemory) calls {
		inAll := m.all()
		return calls{
			func() error { return mpi.ReduceScatter(m.c, inAll, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IReduceScatter(m.c, inAll, m.out, m.sum) },
		}
	}},
}

// allReduceWord returns the calls on one integer of 8 bytes, which network interfaces can do.
func allReduceWord(c *mpi.Comm) calls {
	in, out, sum := make([]int64, 1), make([]int64, 1), mpi.Sum[int64]()
	return calls{
		func() error { return mpi.AllReduce(c, in, out, sum) },
		func() (*mpi.Request, error) { return mpi.IAllReduce(c, in, out, sum) },
	}
}

// layouts returns the layouts of n consecutive parts of the same size.
func layouts(size, n int) []mpi.Layout {
	list := make([]mpi.Layout, n)
	for i := range list {
		list[i] = mpi.Indexed(mpi.Block{At: i * size, Count: size})
	}
	return list
}

// pieces cuts memory into n parts of the same size.
func pieces(memory []byte, n int) [][]byte {
	list, size := make([][]byte, n), len(memory)/n
	for i := range list {
		list[i] = memory[i*size:][:size:size]
	}
	return list
}

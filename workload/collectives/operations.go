// Package collectives calls the collective operations of package mpi on bytes, each in the same
// way, as benchmarks do that measure all of them.
package collectives

import (
	"slices"

	"musubi/mpi"
	"musubi/rma"
)

// Operation is a collective operation of package mpi.
type Operation struct {
	Name  string // in package mpi
	Title string // what the OSU micro-benchmarks call its test
	Parts bool   // ranks send or receive a part for each rank
	on    func(m *memory) Calls
}

// Calls are the blocking and the nonblocking call of an operation.
type Calls struct {
	Wait  func() error
	Start func() (*mpi.Request, error)
}

// Named returns the operation of that name, which must be one of mpi.Operations.
func Named(name string) *Operation {
	i := slices.IndexFunc(operations, func(o Operation) bool { return o.Name == name })
	if i < 0 {
		panic("collectives: no entry for operation " + name)
	}
	return &operations[i]
}

// On returns the calls of the operation on size bytes of this rank, or for each rank if it has
// parts for all.
func (o *Operation) On(c *mpi.Comm, root, size int) Calls {
	p := c.Process()
	return o.on(&memory{c, root, size, rma.Unread(p, size), rma.Unread(p, size), mpi.Sum[byte]()})
}

// operations has an entry for each of mpi.Operations.
var operations = []Operation{
	{"barrier", "Barrier Latency", false, func(m *memory) Calls {
		return Calls{
			func() error { return mpi.Barrier(m.c) },
			func() (*mpi.Request, error) { return mpi.IBarrier(m.c) },
		}
	}},
	{"broadcast", "Broadcast Latency", false, func(m *memory) Calls {
		return Calls{
			func() error { return mpi.Broadcast(m.c, m.root, m.out) },
			func() (*mpi.Request, error) { return mpi.IBroadcast(m.c, m.root, m.out) },
		}
	}},
	{"reduce", "Reduce Latency", false, func(m *memory) Calls {
		return Calls{
			func() error { return mpi.Reduce(m.c, m.root, m.in, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IReduce(m.c, m.root, m.in, m.out, m.sum) },
		}
	}},
	{"allreduce", "Allreduce Latency", false, func(m *memory) Calls {
		if _, offloads := m.c.Process().(rma.Collector); offloads && m.size == wordBytes {
			return allReduceWord(m.c)
		}
		return Calls{
			func() error { return mpi.AllReduce(m.c, m.in, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IAllReduce(m.c, m.in, m.out, m.sum) },
		}
	}},
	{"scan", "Scan Latency", false, func(m *memory) Calls {
		return Calls{
			func() error { return mpi.Scan(m.c, m.in, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IScan(m.c, m.in, m.out, m.sum) },
		}
	}},
	{"exscan", "Exscan Latency", false, func(m *memory) Calls {
		return Calls{
			func() error { return mpi.ExScan(m.c, m.in, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IExScan(m.c, m.in, m.out, m.sum) },
		}
	}},
	{"gather", "Gather Latency", true, func(m *memory) Calls {
		outAll := m.all()
		return Calls{
			func() error { return mpi.Gather(m.c, m.root, m.in, outAll) },
			func() (*mpi.Request, error) { return mpi.IGather(m.c, m.root, m.in, outAll) },
		}
	}},
	{"gatherv", "Gatherv Latency", true, func(m *memory) Calls {
		outs := m.parts()
		return Calls{
			func() error { return mpi.GatherV(m.c, m.root, m.in, outs) },
			func() (*mpi.Request, error) { return mpi.IGatherV(m.c, m.root, m.in, outs) },
		}
	}},
	{"scatter", "Scatter Latency", true, func(m *memory) Calls {
		inAll := m.all()
		return Calls{
			func() error { return mpi.Scatter(m.c, m.root, inAll, m.out) },
			func() (*mpi.Request, error) { return mpi.IScatter(m.c, m.root, inAll, m.out) },
		}
	}},
	{"scatterv", "Scatterv Latency", true, func(m *memory) Calls {
		ins := m.parts()
		return Calls{
			func() error { return mpi.ScatterV(m.c, m.root, ins, m.out) },
			func() (*mpi.Request, error) { return mpi.IScatterV(m.c, m.root, ins, m.out) },
		}
	}},
	{"allgather", "Allgather Latency", true, func(m *memory) Calls {
		outAll := m.all()
		return Calls{
			func() error { return mpi.AllGather(m.c, m.in, outAll) },
			func() (*mpi.Request, error) { return mpi.IAllGather(m.c, m.in, outAll) },
		}
	}},
	{"allgatherv", "Allgatherv Latency", true, func(m *memory) Calls {
		outs := m.parts()
		return Calls{
			func() error { return mpi.AllGatherV(m.c, m.in, outs) },
			func() (*mpi.Request, error) { return mpi.IAllGatherV(m.c, m.in, outs) },
		}
	}},
	{"alltoall", "All-to-All Personalized Exchange Latency", true, func(m *memory) Calls {
		inAll, outAll := m.all(), m.all()
		return Calls{
			func() error { return mpi.AllToAll(m.c, inAll, outAll) },
			func() (*mpi.Request, error) { return mpi.IAllToAll(m.c, inAll, outAll) },
		}
	}},
	{"alltoallv", "All-to-Allv Personalized Exchange Latency", true, func(m *memory) Calls {
		ins, outs := m.parts(), m.parts()
		return Calls{
			func() error { return mpi.AllToAllV(m.c, ins, outs) },
			func() (*mpi.Request, error) { return mpi.IAllToAllV(m.c, ins, outs) },
		}
	}},
	{"alltoallw", "All-to-Allw Personalized Exchange Latency", true, func(m *memory) Calls {
		inAll, outAll, to := m.all(), m.all(), layouts(m.size, m.c.Size())
		return Calls{
			func() error { return mpi.AllToAllW(m.c, inAll, to, outAll, to) },
			func() (*mpi.Request, error) { return mpi.IAllToAllW(m.c, inAll, to, outAll, to) },
		}
	}},
	{"reducescatterv", "Reduce_scatter Latency", true, func(m *memory) Calls {
		ins := m.parts()
		return Calls{
			func() error { return mpi.ReduceScatterV(m.c, ins, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IReduceScatterV(m.c, ins, m.out, m.sum) },
		}
	}},
	{"reducescatter", "Reduce_scatter_block Latency", true, func(m *memory) Calls {
		inAll := m.all()
		return Calls{
			func() error { return mpi.ReduceScatter(m.c, inAll, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IReduceScatter(m.c, inAll, m.out, m.sum) },
		}
	}},
}

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
	// Check fails unless this rank has every byte that it is to have after the operation, and clears them for the next one;
	// nil if there are none.
	Check func() error
}

// Verify is Check, if there is anything to check.
func (c *Calls) Verify() error {
	if c.Check == nil {
		return nil
	}
	return c.Check()
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
	parts := 1
	if o.Parts {
		parts = c.Size()
	}
	return o.on(newMemory(c, root, size, parts))
}

// operations has an entry for each of mpi.Operations.
var operations = []Operation{
	{"barrier", "Barrier Latency", false, func(m *memory) Calls {
		return Calls{
			func() error { return mpi.Barrier(m.c) },
			func() (*mpi.Request, error) { return mpi.IBarrier(m.c) },
			nil,
		}
	}},
	{"broadcast", "Broadcast Latency", false, func(m *memory) Calls {
		data, check := m.out, m.checkOut(m.root, 0)
		if m.isRoot() {
			data, check = m.in(), nil
		}
		return Calls{
			func() error { return mpi.Broadcast(m.c, m.root, data) },
			func() (*mpi.Request, error) { return mpi.IBroadcast(m.c, m.root, data) },
			check,
		}
	}},
	{"reduce", "Reduce Latency", false, func(m *memory) Calls {
		in, check := m.in(), m.checkSum(m.c.Size()-1, 0)
		if !m.isRoot() {
			check = nil
		}
		return Calls{
			func() error { return mpi.Reduce(m.c, m.root, in, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IReduce(m.c, m.root, in, m.out, m.sum) },
			check,
		}
	}},
	{"allreduce", "Allreduce Latency", false, func(m *memory) Calls {
		if _, offloads := m.c.Process().(rma.Collector); offloads && m.size == wordBytes {
			return allReduceWord(m.c)
		}
		in := m.in()
		return Calls{
			func() error { return mpi.AllReduce(m.c, in, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IAllReduce(m.c, in, m.out, m.sum) },
			m.checkSum(m.c.Size()-1, 0),
		}
	}},
	{"scan", "Scan Latency", false, func(m *memory) Calls {
		in := m.in()
		return Calls{
			func() error { return mpi.Scan(m.c, in, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IScan(m.c, in, m.out, m.sum) },
			m.checkSum(m.c.Rank(), 0),
		}
	}},
	{"exscan", "Exscan Latency", false, func(m *memory) Calls {
		in := m.in()
		return Calls{
			func() error { return mpi.ExScan(m.c, in, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IExScan(m.c, in, m.out, m.sum) },
			m.checkSum(m.c.Rank()-1, 0),
		}
	}},
	{"gather", "Gather Latency", true, func(m *memory) Calls {
		in, outAll := m.in(), m.atRoot()
		return Calls{
			func() error { return mpi.Gather(m.c, m.root, in, outAll) },
			func() (*mpi.Request, error) { return mpi.IGather(m.c, m.root, in, outAll) },
			m.checkParts(outAll, 0),
		}
	}},
	{"gatherv", "Gatherv Latency", true, func(m *memory) Calls {
		in, outAll := m.in(), m.atRoot()
		outs := pieces(outAll, m.c.Size())
		return Calls{
			func() error { return mpi.GatherV(m.c, m.root, in, outs) },
			func() (*mpi.Request, error) { return mpi.IGatherV(m.c, m.root, in, outs) },
			m.checkParts(outAll, 0),
		}
	}},
	{"scatter", "Scatter Latency", true, func(m *memory) Calls {
		inAll := m.inAll()
		return Calls{
			func() error { return mpi.Scatter(m.c, m.root, inAll, m.out) },
			func() (*mpi.Request, error) { return mpi.IScatter(m.c, m.root, inAll, m.out) },
			m.checkOut(m.root, m.c.Rank()*m.size),
		}
	}},
	{"scatterv", "Scatterv Latency", true, func(m *memory) Calls {
		ins := pieces(m.inAll(), m.c.Size())
		return Calls{
			func() error { return mpi.ScatterV(m.c, m.root, ins, m.out) },
			func() (*mpi.Request, error) { return mpi.IScatterV(m.c, m.root, ins, m.out) },
			m.checkOut(m.root, m.c.Rank()*m.size),
		}
	}},
	{"allgather", "Allgather Latency", true, func(m *memory) Calls {
		in, outAll := m.in(), m.outAll()
		return Calls{
			func() error { return mpi.AllGather(m.c, in, outAll) },
			func() (*mpi.Request, error) { return mpi.IAllGather(m.c, in, outAll) },
			m.checkParts(outAll, 0),
		}
	}},
	{"allgatherv", "Allgatherv Latency", true, func(m *memory) Calls {
		in, outAll := m.in(), m.outAll()
		outs := pieces(outAll, m.c.Size())
		return Calls{
			func() error { return mpi.AllGatherV(m.c, in, outs) },
			func() (*mpi.Request, error) { return mpi.IAllGatherV(m.c, in, outs) },
			m.checkParts(outAll, 0),
		}
	}},
	{"alltoall", "All-to-All Personalized Exchange Latency", true, func(m *memory) Calls {
		inAll, outAll := m.inAll(), m.outAll()
		return Calls{
			func() error { return mpi.AllToAll(m.c, inAll, outAll) },
			func() (*mpi.Request, error) { return mpi.IAllToAll(m.c, inAll, outAll) },
			m.checkParts(outAll, m.c.Rank()*m.size),
		}
	}},
	{"alltoallv", "All-to-Allv Personalized Exchange Latency", true, func(m *memory) Calls {
		ins, outAll := pieces(m.inAll(), m.c.Size()), m.outAll()
		outs := pieces(outAll, m.c.Size())
		return Calls{
			func() error { return mpi.AllToAllV(m.c, ins, outs) },
			func() (*mpi.Request, error) { return mpi.IAllToAllV(m.c, ins, outs) },
			m.checkParts(outAll, m.c.Rank()*m.size),
		}
	}},
	{"alltoallw", "All-to-Allw Personalized Exchange Latency", true, func(m *memory) Calls {
		inAll, outAll, to := m.inAll(), m.outAll(), layouts(m.size, m.c.Size())
		return Calls{
			func() error { return mpi.AllToAllW(m.c, inAll, to, outAll, to) },
			func() (*mpi.Request, error) { return mpi.IAllToAllW(m.c, inAll, to, outAll, to) },
			m.checkParts(outAll, m.c.Rank()*m.size),
		}
	}},
	{"reducescatterv", "Reduce_scatter Latency", true, func(m *memory) Calls {
		ins := pieces(m.inAll(), m.c.Size())
		return Calls{
			func() error { return mpi.ReduceScatterV(m.c, ins, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IReduceScatterV(m.c, ins, m.out, m.sum) },
			m.checkSum(m.c.Size()-1, m.c.Rank()*m.size),
		}
	}},
	{"reducescatter", "Reduce_scatter_block Latency", true, func(m *memory) Calls {
		inAll := m.inAll()
		return Calls{
			func() error { return mpi.ReduceScatter(m.c, inAll, m.out, m.sum) },
			func() (*mpi.Request, error) { return mpi.IReduceScatter(m.c, inAll, m.out, m.sum) },
			m.checkSum(m.c.Size()-1, m.c.Rank()*m.size),
		}
	}},
}

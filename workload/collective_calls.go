package workload

import (
	"musubi/mpi"
	"musubi/rma"
)

// calls are the blocking and the nonblocking call of an operation.
type calls struct {
	wait  func() error
	start func() (*mpi.Request, error)
}

// operationOf returns the calls of an operation on bytes of this rank.
func operationOf(c *mpi.Comm, operation string, root, size int) calls {
	in, out, sum := make([]byte, size), make([]byte, size), mpi.Sum[byte]()
	switch operation {
	case "barrier":
		return calls{
			func() error { return mpi.Barrier(c) },
			func() (*mpi.Request, error) { return mpi.IBarrier(c) },
		}
	case "broadcast":
		return calls{
			func() error { return mpi.Broadcast(c, root, out) },
			func() (*mpi.Request, error) { return mpi.IBroadcast(c, root, out) },
		}
	case "reduce":
		return calls{
			func() error { return mpi.Reduce(c, root, in, out, sum) },
			func() (*mpi.Request, error) { return mpi.IReduce(c, root, in, out, sum) },
		}
	case "allreduce":
		if _, offloads := c.Process().(rma.Collector); offloads && size == wordSize {
			return allReduceWord(c)
		}
		return calls{
			func() error { return mpi.AllReduce(c, in, out, sum) },
			func() (*mpi.Request, error) { return mpi.IAllReduce(c, in, out, sum) },
		}
	case "scan":
		return calls{
			func() error { return mpi.Scan(c, in, out, sum) },
			func() (*mpi.Request, error) { return mpi.IScan(c, in, out, sum) },
		}
	case "exscan":
		return calls{
			func() error { return mpi.ExScan(c, in, out, sum) },
			func() (*mpi.Request, error) { return mpi.IExScan(c, in, out, sum) },
		}
	}
	return partsOperationOf(c, operation, root, size)
}

// partsOperationOf returns the calls of an operation in which ranks send or receive a part for each
// rank.
func partsOperationOf(c *mpi.Comm, operation string, root, size int) calls {
	in, out, sum := make([]byte, size), make([]byte, size), mpi.Sum[byte]()
	all := func() []byte { return make([]byte, size*c.Size()) }
	parts := func() [][]byte { return pieces(all(), c.Size()) }
	switch operation {
	case "gather":
		outAll := all()
		return calls{
			func() error { return mpi.Gather(c, root, in, outAll) },
			func() (*mpi.Request, error) { return mpi.IGather(c, root, in, outAll) },
		}
	case "gatherv":
		outs := parts()
		return calls{
			func() error { return mpi.GatherV(c, root, in, outs) },
			func() (*mpi.Request, error) { return mpi.IGatherV(c, root, in, outs) },
		}
	case "scatter":
		inAll := all()
		return calls{
			func() error { return mpi.Scatter(c, root, inAll, out) },
			func() (*mpi.Request, error) { return mpi.IScatter(c, root, inAll, out) },
		}
	case "scatterv":
		ins := parts()
		return calls{
			func() error { return mpi.ScatterV(c, root, ins, out) },
			func() (*mpi.Request, error) { return mpi.IScatterV(c, root, ins, out) },
		}
	case "allgather":
		outAll := all()
		return calls{
			func() error { return mpi.AllGather(c, in, outAll) },
			func() (*mpi.Request, error) { return mpi.IAllGather(c, in, outAll) },
		}
	case "allgatherv":
		outs := parts()
		return calls{
			func() error { return mpi.AllGatherV(c, in, outs) },
			func() (*mpi.Request, error) { return mpi.IAllGatherV(c, in, outs) },
		}
	case "alltoall":
		inAll, outAll := all(), all()
		return calls{
			func() error { return mpi.AllToAll(c, inAll, outAll) },
			func() (*mpi.Request, error) { return mpi.IAllToAll(c, inAll, outAll) },
		}
	case "alltoallv":
		ins, outs := parts(), parts()
		return calls{
			func() error { return mpi.AllToAllV(c, ins, outs) },
			func() (*mpi.Request, error) { return mpi.IAllToAllV(c, ins, outs) },
		}
	case "alltoallw":
		inAll, outAll, to := all(), all(), layouts(size, c.Size())
		return calls{
			func() error { return mpi.AllToAllW(c, inAll, to, outAll, to) },
			func() (*mpi.Request, error) { return mpi.IAllToAllW(c, inAll, to, outAll, to) },
		}
	case "reducescatterv":
		ins := parts()
		return calls{
			func() error { return mpi.ReduceScatterV(c, ins, out, sum) },
			func() (*mpi.Request, error) { return mpi.IReduceScatterV(c, ins, out, sum) },
		}
	case "reducescatter":
		inAll := all()
		return calls{
			func() error { return mpi.ReduceScatter(c, inAll, out, sum) },
			func() (*mpi.Request, error) { return mpi.IReduceScatter(c, inAll, out, sum) },
		}
	}
	panic("workload: there is no collective operation " + operation)
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

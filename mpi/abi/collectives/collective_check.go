package collectives

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
)

// distinct fails if data is given and taken at the same address, which MPI does not allow.
func distinct(c *abi.Call, in, out int, bytes int) error {
	return distinctAt(c, in, c.Words[out], bytes)
}

// distinctAt is distinct where a part of the result has its own address. From MPI_BOTTOM on the types say where the data is.
func distinctAt(c *abi.Call, in int, out int64, bytes int) error {
	if bytes == 0 || c.Words[in] != out || c.Words[in] == standard.InPlace || c.Words[in] == standard.Bottom {
		return nil
	}
	return abi.Wrong(standard.ErrBuffer, "the same buffer for what is given and what is taken; expected two, or MPI_IN_PLACE")
}

// fit makes the data that this rank gives itself as long as what it takes from itself, which MPI
// expects. It fails if that is another length: then the rank has to take part with data of the length
// that others expect, or they would wait for ever.
func (n *plan) fit() error {
	a, size, rank := &n.args, n.m.Inner.Size(), n.m.Inner.Rank()
	switch n.kind {
	case algorithm.Gather:
		if rank == a.Root {
			return same(&a.In, len(a.Out)/size)
		}
	case algorithm.AllGather:
		return same(&a.In, len(a.Out)/size)
	case algorithm.Scatter:
		if rank == a.Root {
			return same(&a.Out, len(a.In)/size)
		}
	case algorithm.AllToAll:
		return same(&a.In, len(a.Out))
	case algorithm.GatherV:
		if rank == a.Root {
			return same(&a.In, len(a.Outs[rank]))
		}
	case algorithm.AllGatherV:
		return same(&a.In, len(a.Outs[rank]))
	case algorithm.ScatterV:
		if rank == a.Root {
			return same(&a.Out, len(a.Ins[rank]))
		}
	case algorithm.AllToAllV:
		return same(&a.Ins[rank], len(a.Outs[rank]))
	}
	return nil
}

// same replaces data that does not have a number of bytes, and fails.
func same(data *[]byte, bytes int) error {
	had := len(*data)
	if had == bytes {
		return nil
	}
	*data = make([]byte, bytes)
	class := standard.ErrCount
	if had > bytes {
		class = standard.ErrTruncate
	}
	return abi.Wrong(class, "this rank gives itself %d bytes where it takes %d", had, bytes)
}

// prepare plans an operation among the ranks of one group. One that fails at once still takes part.
func prepare(c *abi.Call, n *plan) (*collective.Operation, error) {
	if n.near != nil {
		return n.m.Inner.NeighbourPlan(c.Function.Name, algorithm.ToNeighbours, n.near, &n.args), nil
	}
	failed := n.fit()
	o, err := n.m.Inner.Plan(c.Function.Name, n.kind, &n.args)
	if err == nil && failed != nil {
		o.Spoil(failed)
	}
	return o, err
}

package abi

import (
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
)

// across carries out a collective operation of an intercommunicator: each rank exchanges messages
// with the ranks of the other group that it gives data to or takes data from.
func (c *call) across(n *plan) error {
	x := &exchanged{c: c, m: n.m}
	a, peers := &n.args, n.m.peers()
	rooted, isRoot := a.Root, a.Root == standard.Root
	switch n.kind {
	case algorithm.Barrier, algorithm.AllGather, algorithm.AllReduce, algorithm.AllGatherV, algorithm.ReduceScatterV:
		for r := range peers {
			x.send(r, a.In)
		}
	case algorithm.AllToAll:
		for r := range peers {
			x.send(r, a.In[r*len(a.In)/peers:][:len(a.In)/peers])
		}
	case algorithm.AllToAllV:
		for r := range peers {
			x.send(r, a.Ins[r])
		}
	case algorithm.Broadcast, algorithm.Gather, algorithm.GatherV, algorithm.Scatter, algorithm.ScatterV, algorithm.Reduce:
		x.rooted(n, rooted, isRoot)
	default:
		return wrong(standard.ErrUnsupportedOperation, "Musubi does not have %s of intercommunicators yet", c.function.name)
	}
	var parts [][]byte
	switch n.kind {
	case algorithm.Barrier:
		for r := range peers {
			x.receive(r, nil)
		}
	case algorithm.AllGather, algorithm.AllToAll:
		for r := range peers {
			x.receive(r, a.Out[r*len(a.Out)/peers:][:len(a.Out)/peers])
		}
	case algorithm.AllGatherV, algorithm.AllToAllV:
		for r := range peers {
			x.receive(r, a.Outs[r])
		}
	case algorithm.AllReduce:
		parts = x.receiveEach(len(a.Out))
	case algorithm.ReduceScatterV: // all of the other group's elements, of which this rank takes its own
		before := 0
		for _, own := range a.Ins[:n.m.c.Rank()] {
			before += len(own)
		}
		parts = x.receiveEach(len(a.In))
		for r := range parts {
			parts[r] = parts[r][before:][:len(a.Out)]
		}
	case algorithm.Reduce:
		if isRoot {
			parts = x.receiveEach(len(a.Out))
		}
	}
	if err := x.wait(); err != nil {
		return err
	}
	if parts != nil && len(a.Out) > 0 { // in the order of the ranks, from the last to the first
		last := len(parts) - 1
		copy(a.Out, parts[last])
		for r := last - 1; r >= 0; r-- {
			a.Op.Apply(parts[r], a.Out)
		}
	}
	for i := range n.lands {
		n.lands[i].put(c.Process, len(n.lands[i].data))
	}
	return nil
}

// rooted exchanges with the root of the other group, or as the root with all of it.
func (x *exchanged) rooted(n *plan, root int, isRoot bool) {
	a, peers := &n.args, n.m.peers()
	scatters := n.kind == algorithm.Broadcast || n.kind == algorithm.Scatter || n.kind == algorithm.ScatterV
	switch {
	case root == standard.ProcNull:
	case isRoot:
		for r := range peers {
			switch n.kind {
			case algorithm.Broadcast:
				x.send(r, a.Out)
			case algorithm.Scatter:
				x.send(r, a.In[r*len(a.In)/peers:][:len(a.In)/peers])
			case algorithm.ScatterV:
				x.send(r, a.Ins[r])
			case algorithm.Gather:
				x.receive(r, a.Out[r*len(a.Out)/peers:][:len(a.Out)/peers])
			case algorithm.GatherV:
				x.receive(r, a.Outs[r])
			}
		}
	case scatters:
		x.receive(root, a.Out)
	default:
		x.send(root, a.In)
	}
}

// exchanged is the messages of an operation with another group.
type exchanged struct {
	c     *call
	m     *comm
	open  []*core.Request
	wrong error
}

func (x *exchanged) send(rank int, data []byte) {
	r, err := x.m.point.ISend(x.c.function.name, rank, bridgeTag+1, data, false)
	x.add(r, err)
}

func (x *exchanged) receive(rank int, into []byte) {
	r, err := x.m.point.IReceive(x.c.function.name, rank, bridgeTag+1, into)
	x.add(r, err)
}

// receiveEach receives as much from each rank.
func (x *exchanged) receiveEach(bytes int) [][]byte {
	parts := make([][]byte, x.m.peers())
	for r := range parts {
		parts[r] = make([]byte, bytes)
		x.receive(r, parts[r])
	}
	return parts
}

func (x *exchanged) add(r *core.Request, err error) {
	if err != nil {
		x.wrong = err
		return
	}
	x.open = append(x.open, r)
}

func (x *exchanged) wait() error {
	if x.wrong != nil {
		return x.wrong
	}
	return core.WaitAll(x.open)
}

package collectives

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
)

// near returns the neighbours in the topology of a communicator.
func near(c *abi.Call, i int) (*plan, error) {
	m, err := c.Intra(i)
	if err != nil {
		return nil, err
	}
	if m.Topology == nil {
		return nil, abi.Wrong(standard.ErrTopology, "a communicator without neighbours; expected one with a topology")
	}
	if c.Words[0] == standard.InPlace {
		return nil, abi.Wrong(standard.ErrBuffer, "MPI_IN_PLACE in an operation with neighbours; expected a buffer")
	}
	n := newPlan(m, 0, algorithm.Arguments{Element: 1})
	n.near = m.Topology.Neighbours(m)
	return n, nil
}

// clip forgets results that nobody sends.
func (n *plan) clip() *plan {
	for i, source := range n.near.Sources {
		if source == core.None {
			n.args.Outs[i] = nil
			for k := range n.lands {
				if k == i {
					n.lands[k].Count, n.lands[k].Data, n.lands[k].Direct = 0, nil, true
				}
			}
		}
	}
	return n
}

func planNearAllgather(c *abi.Call) (*plan, error) {
	n, err := near(c, 6)
	if err != nil {
		return nil, err
	}
	count, t, err := c.Counted(4)
	if err != nil {
		return nil, err
	}
	n.v.regular(count, t, len(n.near.Sources))
	partsIn(c, n, c.Words[3])
	return n.clip(), sameForAll(c, n)
}

// sameForAll sets what goes to each neighbour: the same.
func sameForAll(c *abi.Call, n *plan) error {
	count, t, err := c.Counted(1)
	if err != nil {
		return err
	}
	data := c.Outgoing(c.Words[0], count, t)
	for range n.near.Destinations {
		n.ins = append(n.ins, data)
	}
	n.args.Ins = n.ins
	return nil
}

func planNearAllgatherv(c *abi.Call) (*plan, error) {
	n, err := near(c, 7)
	if err != nil {
		return nil, err
	}
	if err := n.v.read(c, 4, 5, 6, len(n.near.Sources)); err != nil {
		return nil, err
	}
	partsIn(c, n, c.Words[3])
	return n.clip(), sameForAll(c, n)
}

func planNearAlltoall(c *abi.Call) (*plan, error) {
	n, err := near(c, 6)
	if err != nil {
		return nil, err
	}
	count, t, err := c.Counted(4)
	if err != nil {
		return nil, err
	}
	n.v.regular(count, t, len(n.near.Sources))
	partsIn(c, n, c.Words[3])
	if count, t, err = c.Counted(1); err != nil {
		return nil, err
	}
	n.v.regular(count, t, len(n.near.Destinations))
	partsOut(c, n, c.Words[0])
	return n.clip(), nil
}

func planNearAlltoallv(c *abi.Call, each bool) (*plan, error) {
	n, err := near(c, 8)
	if err != nil {
		return nil, err
	}
	if err := vectorsOf(c, n, each, len(n.near.Destinations), len(n.near.Sources)); err != nil {
		return nil, err
	}
	return n.clip(), nil
}

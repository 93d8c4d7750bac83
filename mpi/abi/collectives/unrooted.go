package collectives

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/algorithm"
)

func planAllgather(c *abi.Call) (*plan, error) {
	m, err := c.Comm(6)
	if err != nil {
		return nil, err
	}
	n := newPlan(m, algorithm.AllGather, algorithm.Arguments{Element: 1})
	count, t, err := c.Counted(4)
	if err != nil {
		return nil, err
	}
	out := lands(c, n, c.Words[3], count*m.Peers(), t)
	n.args.Out = out
	own := c.Words[3] + int64(m.Inner.Rank()*count*t.Extent())
	if c.Words[0] == standard.InPlace && !m.IsInter() {
		part := len(out) / m.Inner.Size()
		n.args.In = out[m.Inner.Rank()*part:][:part]
		copy(n.args.In, c.Outgoing(own, count, t))
		return n, nil
	}
	if count, t, err = c.Counted(1); err != nil {
		return nil, err
	}
	n.args.In = c.Outgoing(c.Words[0], count, t)
	if m.IsInter() {
		return n, nil
	}
	return n, distinctAt(c, 0, own, len(n.args.In))
}

func planAllgatherv(c *abi.Call) (*plan, error) {
	m, err := c.Comm(7)
	if err != nil {
		return nil, err
	}
	n := newPlan(m, algorithm.AllGatherV, algorithm.Arguments{Element: 1})
	if err := n.v.read(c, 4, 5, 6, m.Peers()); err != nil {
		return nil, err
	}
	partsIn(c, n, c.Words[3])
	if c.Words[0] == standard.InPlace && !m.IsInter() {
		own := m.Inner.Rank()
		copy(n.args.Outs[own], c.Outgoing(c.Words[3]+int64(n.v.at[own]), n.v.counts[own], n.v.types[own]))
		n.args.In = n.args.Outs[own]
		return n, nil
	}
	count, t, err := c.Counted(1)
	if err != nil {
		return nil, err
	}
	n.args.In = c.Outgoing(c.Words[0], count, t)
	if m.IsInter() {
		return n, nil
	}
	return n, distinctAt(c, 0, c.Words[3]+int64(ownAt(m, n.v.at)), len(n.args.In))
}

func planAlltoall(c *abi.Call) (*plan, error) {
	m, err := c.Comm(6)
	if err != nil {
		return nil, err
	}
	n := newPlan(m, algorithm.AllToAll, algorithm.Arguments{Element: 1})
	count, t, err := c.Counted(4)
	if err != nil {
		return nil, err
	}
	n.args.Out = lands(c, n, c.Words[3], count*m.Peers(), t)
	if c.Words[0] == standard.InPlace && !m.IsInter() {
		n.args.In = n.copyOf(c.Outgoing(c.Words[3], count*m.Peers(), t))
		return n, nil
	}
	if count, t, err = c.Counted(1); err != nil {
		return nil, err
	}
	n.args.In = c.Outgoing(c.Words[0], count*m.Peers(), t)
	return n, distinct(c, 0, 3, len(n.args.In))
}

func planAlltoallv(c *abi.Call, each bool) (*plan, error) {
	m, err := c.Comm(8)
	if err != nil {
		return nil, err
	}
	n := newPlan(m, algorithm.AllToAllV, algorithm.Arguments{Element: 1})
	if err := vectorsOf(c, n, each, m.Peers(), m.Peers()); err != nil || m.IsInter() {
		return n, err
	}
	return n, distinct(c, 0, 4, len(n.args.Ins[m.Inner.Rank()]))
}

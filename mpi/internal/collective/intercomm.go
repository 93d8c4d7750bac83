package collective

import (
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// Intercomm is two groups of ranks that have none in common. A rank knows its own group by a communicator
// and the other one by a bridge, through which messages go to that.
type Intercomm struct {
	Own    *Comm
	Bridge *core.Comm
	Remote []int32 // processes of the other group, in the order of their ranks there
}

// Roots of operations between groups, in the group of the root: the root itself, and the others.
const (
	ThisRank = -3
	NoRank   = -4
)

// acrossTag is of all messages of operations between groups. They are in the context of collective operations,
// whose other messages come from the own group.
const acrossTag = 1 << 30

// Crosses reports whether an operation can be carried out between two groups.
func Crosses(kind algorithm.Operation) bool {
	switch kind {
	case algorithm.Barrier, algorithm.AllGather, algorithm.AllGatherV, algorithm.AllReduce, algorithm.ReduceScatterV, algorithm.AllToAll, algorithm.AllToAllV,
		algorithm.Broadcast, algorithm.Gather, algorithm.GatherV, algorithm.Scatter, algorithm.ScatterV, algorithm.Reduce:
		return true
	}
	return false
}

// Run carries out an operation between the groups: each rank exchanges messages with the ranks of the other
// group that it gives data to or takes data from. A root is a rank of the other group, ThisRank or NoRank.
func (x *Intercomm) Run(call string, kind algorithm.Operation, a *algorithm.Arguments) error {
	n := crossing{x: x, call: call}
	n.give(kind, a)
	parts := n.take(kind, a)
	if err := n.wait(); err != nil {
		return err
	}
	if parts != nil && len(a.Out) > 0 { // in the order of the ranks, from the last to the first
		last := len(parts) - 1
		copy(a.Out, parts[last])
		for r := last - 1; r >= 0; r-- {
			a.Op.Apply(parts[r], a.Out)
		}
	}
	return nil
}

// crossing is the messages of an operation between groups.
type crossing struct {
	x     *Intercomm
	call  string
	open  []*core.Request
	wrong error
}

// give starts to send what the other group gets from this rank.
func (n *crossing) give(kind algorithm.Operation, a *algorithm.Arguments) {
	peers := len(n.x.Remote)
	switch kind {
	case algorithm.Barrier, algorithm.AllGather, algorithm.AllReduce, algorithm.AllGatherV, algorithm.ReduceScatterV:
		for r := range peers {
			n.send(r, a.In)
		}
	case algorithm.AllToAll:
		for r := range peers {
			n.send(r, part(a.In, r, peers))
		}
	case algorithm.AllToAllV:
		for r := range peers {
			n.send(r, a.Ins[r])
		}
	default:
		n.rooted(kind, a)
	}
}

// rooted exchanges with the root in the other group, or as the root with all of that.
func (n *crossing) rooted(kind algorithm.Operation, a *algorithm.Arguments) {
	switch {
	case a.Root == NoRank:
	case a.Root == ThisRank:
		n.asRoot(kind, a)
	case kind == algorithm.Broadcast || kind == algorithm.Scatter || kind == algorithm.ScatterV:
		n.receive(a.Root, a.Out)
	default:
		n.send(a.Root, a.In)
	}
}

func (n *crossing) asRoot(kind algorithm.Operation, a *algorithm.Arguments) {
	peers := len(n.x.Remote)
	for r := range peers {
		switch kind {
		case algorithm.Broadcast:
			n.send(r, a.Out)
		case algorithm.Scatter:
			n.send(r, part(a.In, r, peers))
		case algorithm.ScatterV:
			n.send(r, a.Ins[r])
		case algorithm.Gather:
			n.receive(r, part(a.Out, r, peers))
		case algorithm.GatherV:
			n.receive(r, a.Outs[r])
		}
	}
}

// take starts to receive what the ranks of the other group give to this one. It returns the parts that are
// to be combined, nil where none are.
func (n *crossing) take(kind algorithm.Operation, a *algorithm.Arguments) (parts [][]byte) {
	peers := len(n.x.Remote)
	switch kind {
	case algorithm.Barrier:
		for r := range peers {
			n.receive(r, nil)
		}
	case algorithm.AllGather, algorithm.AllToAll:
		for r := range peers {
			n.receive(r, part(a.Out, r, peers))
		}
	case algorithm.AllGatherV, algorithm.AllToAllV:
		for r := range peers {
			n.receive(r, a.Outs[r])
		}
	case algorithm.AllReduce:
		return n.receiveEach(len(a.Out))
	case algorithm.ReduceScatterV: // all of the other group's elements, of which this rank takes its own
		before := 0
		for _, own := range a.Ins[:n.x.Own.Rank()] {
			before += len(own)
		}
		parts = n.receiveEach(len(a.In))
		for r := range parts {
			parts[r] = parts[r][before:][:len(a.Out)]
		}
	case algorithm.Reduce:
		if a.Root == ThisRank {
			return n.receiveEach(len(a.Out))
		}
	}
	return parts
}

// part returns the part of a rank in memory for all of several.
func part(memory []byte, rank, ranks int) []byte {
	bytes := len(memory) / ranks
	return memory[rank*bytes:][:bytes]
}

func (n *crossing) send(rank int, data []byte) {
	b := n.x.Bridge
	r := new(core.Request)
	r.SetSend(b, n.call, b.Collective, rank, acrossTag, data)
	n.add(r, b.Engine.Send(r, false))
}

func (n *crossing) receive(rank int, into []byte) {
	b := n.x.Bridge
	r := new(core.Request)
	r.SetReceive(b, n.call, b.Collective, rank, acrossTag, into)
	n.add(r, b.Engine.Receive(r))
}

// receiveEach receives as much from each rank.
func (n *crossing) receiveEach(bytes int) [][]byte {
	parts := make([][]byte, len(n.x.Remote))
	for r := range parts {
		parts[r] = make([]byte, bytes)
		n.receive(r, parts[r])
	}
	return parts
}

func (n *crossing) add(r *core.Request, err error) {
	if err != nil {
		n.wrong = n.x.Own.Fail(fault.Other, n.call, err)
		return
	}
	n.open = append(n.open, r)
}

// wait waits for all messages. It fails if one is shorter than expected.
func (n *crossing) wait() error {
	if n.wrong != nil {
		return n.wrong
	}
	if err := core.WaitAll(n.open); err != nil {
		return n.x.Own.Fail(fault.Other, n.call, err)
	}
	for _, r := range n.open {
		if r.IsReceive && r.Status.Bytes < len(r.Data) {
			return n.x.Own.otherLength(fault.Count, n.call, r.Status.Bytes, r.Status.From, len(r.Data))
		}
	}
	return nil
}

// Merge makes a communicator of both groups. Ranks of a group that say high come behind those of the other
// one; if both say the same, the group with the lower first process comes first.
func (x *Intercomm) Merge(call string, high bool) (*Comm, error) {
	mine, theirs := []byte{0}, []byte{0}
	if high {
		mine[0] = 1
	}
	if err := x.SwapLeaders(call, mine, theirs); err != nil {
		return nil, err
	}
	own := make([]int32, x.Own.Size())
	for rank := range own {
		own[rank] = x.Own.Process(rank)
	}
	first := mine[0] < theirs[0] || mine[0] == theirs[0] && own[0] < x.Remote[0]
	order := slices.Concat(own, x.Remote)
	if !first {
		order = slices.Concat(x.Remote, own)
	}
	id, err := x.Own.agreeBy(call, bridging, 1<<40|uint64(x.Own.Point), func(words []uint64) error {
		if err := x.Own.intersectAll(words); err != nil {
			return err
		}
		theirs := make([]uint64, len(words))
		err := x.SwapLeaders(call, elements.Memory(words), elements.Memory(theirs))
		intersect(words, theirs)
		return err
	})
	if err != nil {
		return nil, err
	}
	return x.Own.derive(core.GroupOf(order, x.Own.Engine.Size), id), nil
}

// SwapLeaders gives all ranks what the first rank of the other group has.
func (x *Intercomm) SwapLeaders(call string, out, in []byte) error {
	if x.Own.Rank() == 0 {
		n := crossing{x: x, call: call}
		n.receive(0, in)
		n.send(0, out)
		if err := n.wait(); err != nil {
			return err
		}
	}
	return x.Own.withDefaults(func() error { return x.Own.Broadcast(call, 0, in, 1) })
}

// Free ends the use of both groups' messages with each other.
func (x *Intercomm) Free(call string) error {
	if left := x.Own.Engine.Pending(x.Bridge); len(left) > 0 {
		return x.Own.Failf(fault.Request, call, "not complete: %s", core.JoinFirst(left))
	}
	if err := x.Own.Free(call); err != nil {
		return err
	}
	x.Bridge.EndContexts()
	return nil
}

// Messages returns the bridge as a communicator, which has messages between two ranks and no collective
// operations.
func (x *Intercomm) Messages() *Comm {
	c := &Comm{Comm: *x.Bridge}
	x.Bridge = &c.Comm
	return c
}

package collective

import (
	"slices"

	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// groupTags is the first tag of messages by which ranks agree on a communicator that only they make.
const groupTags = 1 << 29

// countedTags is how many tags there are for operations that all ranks count. Those from there to groupTags are for what has
// begun by notes; see tagByRound.
const countedTags = 1 << 28

// Self makes the communicator of this process alone. All processes of a job call it once, before
// they make any other, so no messages are needed.
func (c *Comm) Self() *Comm {
	const id = 1
	return c.derive(c.Include([]int{c.Rank()}, c.Engine.Size), id)
}

// Create makes a communicator of some ranks, in their order. Only they call it, this one among them,
// with the same tag. Groups that have a rank in common and are made at once need different tags.
func (c *Comm) Create(call string, ranks []int, tag int) (*Comm, error) {
	if err := c.Check(call); err != nil {
		return nil, err
	}
	id, err := c.agreeAmong(call, ranks, tag)
	if err != nil {
		return nil, err
	}
	return c.derive(c.Include(ranks, c.Engine.Size), id), nil
}

// agreeAmong returns an id that is free at some ranks. The first of them collects what is free, and
// tells the others.
func (c *Comm) agreeAmong(call string, ranks []int, tag int) (uint32, error) {
	const most = 1<<28 - 1
	tag = groupTags + tag&most
	return c.agreeBy(call, uint64(c.Point), createNumber+uint64(tag), func(words []uint64) error {
		return c.intersectAmong(call, ranks, tag, words)
	})
}

// intersectAmong leaves in a set what some ranks have in theirs.
func (c *Comm) intersectAmong(call string, ranks []int, tag int, words []uint64) error {
	set, first := elements.Memory(words), ranks[0]
	if c.Rank() != first {
		if err := c.exchange(call, first, tag, set, false); err != nil {
			return err
		}
		return c.exchange(call, first, tag, set, true)
	}
	theirs := make([]uint64, len(words))
	for _, other := range ranks[1:] {
		if err := c.exchange(call, other, tag, elements.Memory(theirs), true); err != nil {
			return err
		}
		intersect(words, theirs)
	}
	for _, other := range ranks[1:] {
		if err := c.exchange(call, other, tag, set, false); err != nil {
			return err
		}
	}
	return nil
}

// exchange sends to a rank, or receives from it, in the context of collective operations.
func (c *Comm) exchange(call string, other, tag int, data []byte, receive bool) error {
	r := c.Engine.NewRequest()
	if receive {
		r.SetReceive(&c.Comm, call, c.Collective, other, tag, data)
		if err := c.Engine.Receive(r); err != nil {
			return err
		}
	} else {
		r.SetSend(&c.Comm, call, c.Collective, other, tag, data)
		if err := c.Engine.Send(r, false); err != nil {
			return err
		}
	}
	_, err := c.Engine.End(r)
	return err
}

// Bridge makes the communicator by which the ranks of a group send to those of another group and
// receive from them; and one of this rank's own group with the same id. peer is a communicator in
// which the leaders of both reach each other.
//
// remote has the processes of the other group, in the order of their ranks there.
func (c *Comm) Bridge(call string, leader int, peer *Comm, remoteLeader, tag int) (own *Comm, bridge *core.Comm, remote []int32, err error) {
	header := make([]int64, 1)
	if c.Rank() == leader {
		header[0], remote, err = c.meet(call, peer, remoteLeader, tag)
		if err != nil {
			return nil, nil, nil, err
		}
	}
	if err := c.withDefaults(func() error { return c.Broadcast(call, leader, elements.Memory(header), 8) }); err != nil {
		return nil, nil, nil, err
	}
	if c.Rank() != leader {
		remote = make([]int32, header[0])
	}
	if err := c.withDefaults(func() error { return c.Broadcast(call, leader, elements.Memory(remote), 4) }); err != nil {
		return nil, nil, nil, err
	}
	for rank := range c.Size() {
		if process := c.Process(rank); slices.Contains(remote, process) {
			return nil, nil, nil, c.Failf(fault.Group, call, "process %d in both groups; expected groups that have none in common", process)
		}
	}
	// What is free at all ranks of both groups: first of this one, then of both.
	id, err := c.agreeBy(call, bridging, uint64(tag), func(words []uint64) error {
		if err := c.intersectAll(words); err != nil {
			return err
		}
		if c.Rank() == leader {
			theirs := make([]uint64, len(words))
			if err := peer.swap(call, remoteLeader, groupTags+tag&(groupTags-1), elements.Memory(words), elements.Memory(theirs)); err != nil {
				return err
			}
			intersect(words, theirs)
		}
		return c.withDefaults(func() error { return c.Broadcast(call, leader, elements.Memory(words), 8) })
	})
	if err != nil {
		return nil, nil, nil, err
	}
	own = c.derive(c.Group, id)
	return own, own.Across(remote), remote, nil
}

// meet lets two leaders tell each other the processes of their groups.
func (c *Comm) meet(call string, peer *Comm, other, tag int) (int64, []int32, error) {
	tag = groupTags + tag&(groupTags-1)
	mine := make([]int32, c.Size())
	for rank := range mine {
		mine[rank] = c.Process(rank)
	}
	n, theirs := []int64{int64(len(mine))}, make([]int64, 1)
	if err := peer.swap(call, other, tag, elements.Memory(n), elements.Memory(theirs)); err != nil {
		return 0, nil, err
	}
	remote := make([]int32, theirs[0])
	err := peer.swap(call, other, tag, elements.Memory(mine), elements.Memory(remote))
	return theirs[0], remote, err
}

// swap sends to a rank and receives from it.
func (c *Comm) swap(call string, other, tag int, data, into []byte) error {
	r, s := c.Engine.NewRequest(), c.Engine.NewRequest()
	r.SetReceive(&c.Comm, call, c.Collective, other, tag, into)
	if err := c.Engine.Receive(r); err != nil {
		return err
	}
	s.SetSend(&c.Comm, call, c.Collective, other, tag, data)
	if err := c.Engine.Send(s, false); err != nil {
		return err
	}
	if _, err := c.Engine.End(s); err != nil {
		return err
	}
	_, err := c.Engine.End(r)
	return err
}

// Across returns the communicator by which this rank sends to some processes and receives from them,
// in the contexts of a communicator of its own group.
func (c *Comm) Across(remote []int32) *core.Comm {
	return core.Across(&c.Comm, remote)
}

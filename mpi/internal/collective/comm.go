// Package collective carries out collective operations on the messages of package core: it runs
// the schedules of package algorithm step by step, and uses interfaces, switches and shared
// barriers where they are faster. It also derives communicators from others, on which their ranks
// agree by collective operations.
package collective

import (
	"cmp"
	"slices"
	"unsafe"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/multicast"
	"musubi/mpi/internal/partitioned"
	"musubi/mpi/internal/reduction"
	"musubi/rma"
)

// Comm is a communicator with the state of its collective operations.
type Comm struct {
	core.Comm
	job *job

	collectives    collectives
	shared         sharedBarrier
	offload        offloadQueue
	multicastQueue multicastQueue
	ownQueues      []*multicastQueue // of persistent operations
	partitions     *partitioned.Table
}

// NoComm stands for a nil communicator: every use of it is refused.
var NoComm = &Comm{Comm: core.NoComm}

// newComm returns the communicator of a group with an id on which all members have agreed.
func newComm(j *job, g core.Group, id uint32) *Comm {
	c := &Comm{job: j, multicastQueue: multicastQueue{Buffer: multicast.NewBuffer(multicast.DefaultSlots)}}
	c.SetUp(j.Engine, g, id)
	return c
}

// NewWorld returns the communicator of all ranks of a job.
func NewWorld(e *core.Engine) *Comm {
	j := newJob(e)
	c := newComm(j, core.Group{}, 0)
	if x, ok := e.Process.(rma.Ahead); ok {
		x.Needs(unsafe.Pointer(c), unsafe.Sizeof(c.Comm))
	}
	if j.multicaster != nil {
		j.buffers.Open(e.Process)
		c.multicastQueue.open(j)
	}
	return c
}

// Check fails if the communicator cannot be used, by all of its ranks together.
func (c *Comm) Check(call string) error {
	if err := c.Comm.Check(call); err != nil {
		return err
	}
	if c.job == nil {
		return c.Failf(fault.Comm, call, "the other group of an intercommunicator, which is for messages between two ranks; expected a communicator, or a function for both groups")
	}
	return nil
}

// agree returns an id that is free at all ranks, after they have exchanged what else they need.
// All ranks call it. Algorithms that the program has forced may not fit, so it uses the defaults.
func (c *Comm) agree(call string, exchange func() error) (uint32, error) {
	if err := c.compareCall(call); err != nil {
		return 0, err
	}
	if err := c.withDefaults(exchange); err != nil {
		return 0, err
	}
	return c.agreeBy(call, uint64(c.Point), blockingNumber, c.intersectAll)
}

// intersectAll leaves in a set what all ranks have in theirs.
func (c *Comm) intersectAll(set []uint64) error {
	words := elements.Memory(set)
	return c.withDefaults(func() error { return c.AllReduce("AllReduce", words, words, 8, bitwiseAnd) })
}

var (
	bitwiseAnd = reduction.Op{Commutative: true, ID: reduction.AndID, Kind: reduction.Uint64, Apply: reduction.Of(reduction.AndID, reduction.Uint64)}
	logicalAnd = reduction.Op{Commutative: true, ID: reduction.LogicalAndID, Kind: reduction.Bool, Apply: reduction.Of(reduction.LogicalAndID, reduction.Bool)}
)

// withDefaults calls a function while no algorithm is forced.
func (c *Comm) withDefaults(do func() error) error {
	forced := c.collectives.forced
	c.collectives.forced = choices{}
	defer func() { c.collectives.forced = forced }()
	return do()
}

// nothingElse is for agree where there is nothing else to exchange.
func nothingElse() error { return nil }

// derive returns the communicator of a group that this process is in. It inherits the forced
// algorithms.
func (c *Comm) derive(g core.Group, id uint32) *Comm {
	c.job.ids.take(id)
	n := newComm(c.job, g, id)
	n.collectives.forced = c.collectives.forced
	return n
}

// Dup returns a communicator of the same ranks.
func (c *Comm) Dup(call string) (*Comm, error) {
	if err := c.Check(call); err != nil {
		return nil, err
	}
	id, err := c.agree(call, nothingElse)
	if err != nil {
		return nil, err
	}
	return c.derive(c.Group, id), nil
}

// First makes a communicator of the first ranks, nil for the others.
func (c *Comm) First(call string, ranks int) (*Comm, error) {
	id, err := c.agree(call, nothingElse)
	if err != nil {
		return nil, err
	}
	switch {
	case ranks == c.Size():
		return c.derive(c.Group, id), nil // which has no memory of its own for each rank
	case c.Rank() >= ranks:
		c.job.ids.release(id)
		return nil, nil
	}
	members := make([]int, ranks)
	for rank := range members {
		members[rank] = rank
	}
	return c.derive(c.Include(members, c.Engine.Size), id), nil
}

// Groups makes a communicator of each group, nil where this rank is not a member. Groups get the first ids that none of
// their members has, as far as all ranks have made the same ones before.
func (c *Comm) Groups(call string, groups [][]int) ([]*Comm, error) {
	if err := c.Check(call); err != nil {
		return nil, err
	}
	list := make([]*Comm, len(groups))
	var free []uint32
	left := c.job.ids.free()
	next := make([]int, c.Size()) // place in free, by rank
	for i, members := range groups {
		place := 0
		for _, member := range members {
			if member < 0 || member >= c.Size() {
				return nil, c.Failf(fault.Rank, call, "group %d has rank %d; expected 0 to %d", i, member, c.Size()-1)
			}
			place = max(place, next[member])
		}
		for len(free) <= place {
			id, ok := lowest(left)
			if !ok {
				return nil, c.Fail(fault.Other, call, errNoContext)
			}
			left[id/64] &^= 1 << (id % 64)
			free = append(free, id)
		}
		for _, member := range members {
			next[member] = place + 1
		}
		if slices.Contains(members, c.Rank()) {
			list[i] = c.derive(c.Include(members, c.Engine.Size), free[place])
		}
	}
	return list, nil
}

// colorKey is what each rank passes to Split.
type colorKey struct{ Color, Key int }

// Split makes a communicator of the ranks that give the same color, for each color.
func (c *Comm) Split(call string, color, key int) (*Comm, error) {
	if err := c.Check(call); err != nil {
		return nil, err
	}
	all := make([]colorKey, c.Size())
	id, err := c.agree(call, func() error { return AllGather(c, "AllGather", []colorKey{{color, key}}, all) })
	if err != nil {
		return nil, err
	}
	if color < 0 {
		c.job.ids.release(id)
		return nil, nil
	}
	return c.derive(c.Include(ofColor(all, color), c.Engine.Size), id), nil
}

// ofColor returns the ranks with a color, in their new order.
func ofColor(all []colorKey, color int) []int {
	var ranks []int
	for rank, x := range all {
		if x.Color == color {
			ranks = append(ranks, rank)
		}
	}
	slices.SortStableFunc(ranks, func(a, b int) int { return cmp.Compare(all[a].Key, all[b].Key) })
	return ranks
}

// AllGather puts the elements of all ranks one after the other at each of them, for what this library
// itself exchanges: by the default algorithm, as one that the program forces may not suit.
func AllGather[T any](c *Comm, call string, in, out []T) error {
	a := algorithm.Arguments{In: elements.Memory(in), Out: elements.Memory(out), Element: elements.Size[T]()}
	return c.withDefaults(func() error { return c.run(call, algorithm.AllGather, &a) })
}

// Free ends the use of a communicator.
func (c *Comm) Free(call string) error {
	if err := c.Check(call); err != nil {
		return err
	}
	if c.Point == 0 {
		return c.Failf(fault.Comm, call, "the communicator of all processes; expected one that has been made of another")
	}
	if c.Reserved {
		return c.Failf(fault.Comm, call, "the communicator of a window, which its Free frees")
	}
	if left := slices.Concat(c.Engine.Pending(&c.Comm), c.Engine.NotReceived(&c.Comm)); len(left) > 0 {
		return c.Failf(fault.Request, call, "not complete: %s", core.JoinFirst(left))
	}
	err := c.Engine.Sources.Free(&c.Comm)
	c.release()
	c.job.ids.release(c.Point / 2)
	if err != nil {
		return c.Fail(fault.Other, call, err)
	}
	return nil
}

// release frees the resources of the communicator. Nothing may be under way.
func (c *Comm) release() {
	c.Comm.EndContexts()
	c.shared.leave()
	c.offload.leaveGroup()
	c.multicastQueue.close(c.job)
	for _, l := range c.ownQueues {
		l.close(c.job)
	}
}

// Close ends the use of the communicator of all processes, when all ranks have communicated for
// the last time.
func (c *Comm) Close(call string) error {
	if err := c.Check(call); err != nil {
		return err
	}
	if c.Point != 0 {
		return c.Failf(fault.Comm, call, "a communicator that has been made of another; expected that of New")
	}
	if err := c.compareCall(call); err != nil {
		return err
	}
	c.Engine.EndRecord()
	if err := c.drain(call); err != nil {
		return err
	}
	c.Engine.Close()
	if err := c.Engine.Sources.Free(nil); err != nil {
		return c.Fail(fault.Other, call, err)
	}
	if left := c.Engine.Leftovers(); len(left) > 0 {
		return c.Failf(fault.Request, call, "not complete: %s", core.JoinFirst(left))
	}
	return nil
}

// Flush waits until all messages of this rank have arrived.
func (c *Comm) Flush(call string) error {
	if err := c.Check(call); err != nil {
		return err
	}
	if err := c.Engine.DrainBelow(1); err != nil {
		return c.Fail(fault.Other, call, err)
	}
	return nil
}

// drain waits until no message to this rank can be in flight.
func (c *Comm) drain(call string) error {
	if err := c.Engine.DrainBelow(1); err != nil {
		return c.Fail(fault.Other, call, err)
	}
	if err := c.run(call, algorithm.Barrier, &algorithm.Arguments{}); err != nil {
		return err
	}
	err := c.Engine.DrainBelow(1)
	if err == nil {
		err = c.Engine.Progress()
	}
	if err != nil {
		return c.Fail(fault.Other, call, err)
	}
	return nil
}

package mpi

import (
	"musubi/mpi/internal/fault"
	"musubi/rma"
)

// Comm is a communicator: some processes of a job, numbered from 0, whose messages
// do not mix with those of other communicators. Like the process that it is of, it
// belongs to one goroutine.
type Comm struct {
	e       *engine
	rank    int
	size    int
	members []int32 // process of each rank; nil: they are numbered alike
	ranks   []int32 // rank of each process, -1 if it has none; nil likewise

	point      uint32 // context of point-to-point messages
	collective uint32 // context of collective operations
	freed      bool

	collectives collectives
	meeting     meeting
	team        team
	landing     landing
	moored      []*landing // of persistent operations
}

// New returns the communicator of all ranks of a job. It may be called once for
// each process, by all of them with the same options, before the process
// communicates otherwise; from then on arrivals belong to package mpi.
func New(p rma.Process, options ...Options) (*Comm, error) {
	var o Options
	if len(options) > 0 {
		o = options[0]
	}
	e, err := newEngine(p, o)
	if err != nil {
		return nil, &fault.Error{Class: fault.Argument, Call: "New", Rank: p.Rank(), Err: err}
	}
	c := newComm(e, nil, 0)
	if e.multicaster != nil {
		e.yard.open(e)
		c.landing.open(e)
	}
	return c, nil
}

// newComm returns the communicator with an id that all its members have agreed on.
// Members are processes in the order of their ranks, this one among them; nil means
// all.
func newComm(e *engine, members []int32, id uint32) *Comm {
	c := &Comm{
		e: e, rank: e.rank, size: e.size, members: members, point: 2 * id, collective: 2*id + 1,
		landing: landing{slots: usualSlots, slotBytes: longestSlot},
	}
	if members == nil {
		return c
	}
	c.ranks = make([]int32, e.size)
	for process := range c.ranks {
		c.ranks[process] = -1
	}
	for rank, process := range members {
		c.ranks[process] = int32(rank)
	}
	c.rank, c.size = int(c.ranks[e.rank]), len(members)
	return c
}

// isCollective reports whether a context is that of collective operations.
func isCollective(context uint32) bool { return context%2 == 1 }

// Rank returns the number of this process in the communicator, 0 to Size-1.
func (c *Comm) Rank() int { return c.rank }

// Size returns the number of processes in the communicator.
func (c *Comm) Size() int { return c.size }

// Process returns the process, for what the contract offers beyond messages. Its
// arrivals may not be taken.
func (c *Comm) Process() rma.Process { return c.e.p }

// Searched returns how many messages receives and probes of this process have looked at
// so far to find theirs, in all communicators.
func (c *Comm) Searched() uint64 { return c.e.counts.looked }

// process returns the number in the job of a rank.
func (c *Comm) process(rank int) int32 {
	if c.members == nil {
		return int32(rank)
	}
	return c.members[rank]
}

// rankOf is the inverse of process.
func (c *Comm) rankOf(process int32) int {
	if c.ranks == nil {
		return int(process)
	}
	return int(c.ranks[process])
}

// release ends the contexts of the communicator. Nothing may be under way in them.
func (c *Comm) release() {
	c.freed = true
	c.e.forget(c.point)
	c.e.forget(c.collective)
	c.meeting.leave()
	c.team.leave()
	c.landing.close(c.e)
	for _, l := range c.moored {
		l.close(c.e)
	}
}

// check fails if the communicator cannot be used.
func (c *Comm) check(call string) error {
	switch {
	case c == nil:
		return c.failf(fault.Comm, call, "no communicator: it is nil")
	case c.freed:
		return c.failf(fault.Comm, call, "the communicator has been freed")
	case c.e.closed:
		return c.failf(fault.Comm, call, "the communicator of all processes has been closed")
	}
	return nil
}

// isUsable reports whether check passes.
func (c *Comm) isUsable() bool { return c != nil && !c.freed && !c.e.closed }

// reaches reports whether the communicator can be used and has a rank, and there is such a
// tag: what nearly all calls ask for.
func (c *Comm) reaches(rank, tag int) bool {
	return c.isUsable() && uint(rank) < uint(c.size) && uint(tag) <= MaxTag
}

// checkTo fails if messages cannot be sent to a rank with a tag.
func (c *Comm) checkTo(call string, to, tag int) error {
	if c.reaches(to, tag) {
		return nil
	}
	return c.refuseTo(call, to, tag)
}

// refuseTo says why messages cannot be sent to a rank with a tag; nil if they can.
func (c *Comm) refuseTo(call string, to, tag int) error {
	if err := c.check(call); err != nil {
		return err
	}
	if (to < 0 || to >= c.Size()) && to != None {
		return c.failf(fault.Rank, call, "to rank %d; expected 0 to %d, or None", to, c.Size()-1)
	}
	if tag < 0 || tag > MaxTag {
		return c.failf(fault.Tag, call, "tag %d; expected 0 to %d", tag, MaxTag)
	}
	return nil
}

// checkFrom fails if messages cannot be received from a rank with a tag.
func (c *Comm) checkFrom(call string, from, tag int) error {
	if c.reaches(from, tag) {
		return nil
	}
	return c.refuseFrom(call, from, tag)
}

// refuseFrom says why messages cannot be received from a rank with a tag; nil if they can.
func (c *Comm) refuseFrom(call string, from, tag int) error {
	if err := c.check(call); err != nil {
		return err
	}
	if (from < 0 || from >= c.Size()) && from != AnySource && from != None {
		return c.failf(fault.Rank, call, "from rank %d; expected 0 to %d, AnySource or None", from, c.Size()-1)
	}
	if (tag < 0 || tag > MaxTag) && tag != AnyTag {
		return c.failf(fault.Tag, call, "tag %d; expected 0 to %d, or AnyTag", tag, MaxTag)
	}
	return nil
}

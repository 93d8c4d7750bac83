package core

import (
	"fmt"

	"musubi/internal/goroutine"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/match"
)

// Comm is a communicator: a group of processes whose messages match no others.
type Comm struct {
	Engine *Engine
	rank   int
	size   int
	Group

	Point      uint32 // context of point-to-point messages
	Collective uint32 // context of collective operations
	freed      bool
	Reserved   bool  // belongs to a window, which frees it
	refusal    error // every use is refused with it; nil: uses are not
}

// NoComm stands for a nil communicator: every use of it is refused.
var NoComm = Comm{rank: -1}

// SetUp makes a communicator of a group that this process is in, with an id that all its
// members have agreed on.
func (c *Comm) SetUp(e *Engine, g Group, id uint32) {
	*c = Comm{Engine: e, Group: g, rank: g.RankOf(int32(e.Rank)), size: g.count(e.Size), Point: 2 * id, Collective: 2*id + 1}
}

// isCollective reports whether a context is for collective operations.
func isCollective(context uint32) bool { return context%2 == 1 }

// Rank returns the number of this process in the communicator, 0 to Size-1.
func (c *Comm) Rank() int { return c.rank }

// Size returns the number of processes in the communicator.
func (c *Comm) Size() int { return c.size }

// Searched returns how many unexpected messages receives and probes have looked at.
func (c *Comm) Searched() uint64 { return c.Engine.contexts.counts.Searched }

// EndContexts ends the contexts of the communicator. Nothing may be under way in them.
func (c *Comm) EndContexts() {
	c.freed = true
	c.Engine.contexts.forget(c.Point)
	c.Engine.contexts.forget(c.Collective)
}

// Check fails if the communicator cannot be used.
func (c *Comm) Check(call string) error {
	switch {
	case c.refusal != nil:
		return c.refused(call)
	case c.Engine == nil:
		return c.Failf(fault.Comm, call, "no communicator: it is nil")
	case c.freed:
		return c.Failf(fault.Comm, call, "the communicator has been freed")
	case c.Engine.Closed:
		return c.Failf(fault.Comm, call, "the communicator of all processes has been closed")
	}
	return c.checkOwner(call)
}

// Passes reports whether Check passes, as far as that can be seen at once. Calls that are over in no time look at this first.
func (c *Comm) Passes() bool {
	e := c.Engine
	return c.refusal == nil && e != nil && !c.freed && !e.Closed && !e.Checked
}

// checkOwner fails if calls are checked, and this one comes from another goroutine than the one that
// the process belongs to.
func (c *Comm) checkOwner(call string) error {
	if e := c.Engine; e.Checked && goroutine.Current() != e.owner {
		return c.Failf(fault.Other, call, "a call from another goroutine than the one that called New, which may be in a call itself; a process and its communicators belong to one goroutine")
	}
	return nil
}

// isUsable reports whether Check passes.
func (c *Comm) isUsable() bool { return c.Engine != nil && !c.freed && !c.Engine.guarded }

// Reaches is the short check that nearly all calls pass: the communicator can be used, the rank is
// a member, and the tag is in range. Wildcards and None do not pass; CheckTo and CheckFrom decide.
func (c *Comm) Reaches(rank, tag int) bool {
	return c.isUsable() && uint(rank) < uint(c.size) && uint(tag) <= MaxTag
}

// CheckTo fails if messages cannot be sent to a rank with a tag.
func (c *Comm) CheckTo(call string, to, tag int) error {
	if c.Reaches(to, tag) {
		return nil
	}
	return c.refuseTo(call, to, tag)
}

// refuseTo returns why messages cannot be sent to a rank with a tag, nil if they can.
func (c *Comm) refuseTo(call string, to, tag int) error {
	if err := c.Check(call); err != nil {
		return err
	}
	if (to < 0 || to >= c.Size()) && to != None {
		return c.Failf(fault.Rank, call, "to rank %d; expected 0 to %d, or None", to, c.Size()-1)
	}
	if tag < 0 || tag > MaxTag {
		return c.Failf(fault.Tag, call, "tag %d; expected 0 to %d", tag, MaxTag)
	}
	return nil
}

// CheckFrom fails if messages cannot be received from a rank with a tag.
func (c *Comm) CheckFrom(call string, from, tag int) error {
	if c.Reaches(from, tag) {
		return nil
	}
	return c.refuseFrom(call, from, tag)
}

// refuseFrom returns why messages cannot be received from a rank with a tag, nil if they can.
func (c *Comm) refuseFrom(call string, from, tag int) error {
	if err := c.Check(call); err != nil {
		return err
	}
	if (from < 0 || from >= c.Size()) && from != match.AnySource && from != None {
		return c.Failf(fault.Rank, call, "from rank %d; expected 0 to %d, AnySource or None", from, c.Size()-1)
	}
	if (tag < 0 || tag > MaxTag) && tag != match.AnyTag {
		return c.Failf(fault.Tag, call, "tag %d; expected 0 to %d, or AnyTag", tag, MaxTag)
	}
	return nil
}

// Fail returns an error of a call. A call that has been interrupted gives the communicator up.
func (c *Comm) Fail(class fault.Class, call string, err error) error {
	if class == fault.Other && isInterruption(err) {
		class = fault.Interrupted
		c.giveUp(call)
	}
	return c.failAs(class, call, err)
}

func (c *Comm) failAs(class fault.Class, call string, err error) error {
	return &fault.Error{Class: class, Call: call, Rank: c.rank, Err: err}
}

// Failf returns an error of a call, with a text made of a format.
func (c *Comm) Failf(class fault.Class, call, format string, args ...any) error {
	return c.Fail(class, call, fmt.Errorf(format, args...))
}

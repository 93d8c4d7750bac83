package mpi

import (
	"context"

	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
	"musubi/units"
)

// WithContext returns the same communicator for calls that wait no longer than until a context is done: by
// a deadline, or because another goroutine cancels it. Such calls fail with ErrInterrupted and the cause of
// the context, so that errors.Is finds context.DeadlineExceeded or context.Canceled.
//
// When a call begins and the context is done, it has no effect. Otherwise it depends on the call:
//
//   - Waits for requests, Probe, Match, Receive, ReceiveLayout and Flush leave everything as it was, and may be
//     called again. A message that a Receive has matched has come, and is received to its end.
//   - All others take part in something that they cannot take back: sends for which the receiver has not
//     been ready, collective operations, functions that make communicators and windows, and calls of windows that
//     wait. Then the communicator, or the window, cannot be used further: all calls fail with
//     ErrInterrupted at once and name the first. Slices that the call was given may not be used again, because
//     its part may still go on. Other communicators are as before, also those made of this one. Close passes it over,
//     unless it is the communicator of New: so use a Dup of that where more than a report is to follow.
//
// Requests, persistent operations and windows keep the context of the communicator that they are made with,
// for all their calls, until Within gives them another one. WaitAll and its like take that of the first
// request. Communicators that are made with it do not; neither does a message that Match has claimed.
//
// In a simulated world, whose time is not that of the context, all calls fail with ErrArgument, unless the
// context is never done. WithDeadline works in all worlds.
func (c *Comm) WithContext(ctx context.Context) *Comm {
	if c == nil {
		return nil
	}
	limit := core.Limit{Context: ctx}
	if ctx.Done() == nil {
		limit.Context = nil
	}
	if c.limit != nil {
		limit.End = c.limit.End
	}
	return c.within(limit)
}

// WithDeadline is WithContext with a time of the process's clock, c.Process().Now(), as a deadline: of
// simulated time in simulated worlds. 0 is no deadline.
func (c *Comm) WithDeadline(at units.Time) *Comm {
	if c == nil {
		return nil
	}
	limit := core.Limit{End: at}
	if c.limit != nil {
		limit.Context = c.limit.Context
	}
	return c.within(limit)
}

// within returns the communicator with a limit for its calls.
func (c *Comm) within(limit core.Limit) *Comm {
	if limit.Context == nil && limit.End == 0 {
		return &Comm{comm: c.comm}
	}
	limit.Accept(c.comm.Engine)
	return &Comm{comm: c.comm, limit: &limit}
}

// Within lets waits for the request take no longer than calls of a communicator, and returns it.
func (r *Request) Within(c *Comm) *Request {
	if r != nil && c != nil {
		r.request.SetLimit(c.limit)
	}
	return r
}

// Within lets waits for what is started take no longer than calls of a communicator, and returns it.
func (p *Persistent) Within(c *Comm) *Persistent {
	if p != nil && c != nil {
		p.persistent.SetLimit(c.limit)
	}
	return p
}

// Within lets the following calls of the window wait no longer than those of a communicator, and returns it.
func (w *Window[T]) Within(c *Comm) *Window[T] {
	if w != nil && c != nil {
		w.comm.limit = c.limit
	}
	return w
}

// WithContext is Comm.WithContext for operations with neighbours.
func (c *Cart) WithContext(ctx context.Context) *Cart {
	if c == nil {
		return nil
	}
	return &Cart{c.Comm.WithContext(ctx), c.grid}
}

// WithDeadline is Comm.WithDeadline for operations with neighbours.
func (c *Cart) WithDeadline(at units.Time) *Cart {
	if c == nil {
		return nil
	}
	return &Cart{c.Comm.WithDeadline(at), c.grid}
}

// WithContext is Comm.WithContext for operations with neighbours.
func (g *Graph) WithContext(ctx context.Context) *Graph {
	if g == nil {
		return nil
	}
	return &Graph{g.Comm.WithContext(ctx), g.sources, g.destinations}
}

// WithDeadline is Comm.WithDeadline for operations with neighbours.
func (g *Graph) WithDeadline(at units.Time) *Graph {
	if g == nil {
		return nil
	}
	return &Graph{g.Comm.WithDeadline(at), g.sources, g.destinations}
}

// limited is inner of a communicator whose calls may not wait for as long as it takes.
func (c *Comm) limited() *collective.Comm {
	if c.limit.Refused != nil {
		return &collective.Comm{Comm: c.comm.Refusing(fault.Argument, c.limit.Refused)}
	}
	c.comm.Engine.Within(c.limit)
	if err := c.comm.Engine.Over(); err != nil {
		return &collective.Comm{Comm: c.comm.Refusing(fault.Interrupted, err)}
	}
	return c.comm
}

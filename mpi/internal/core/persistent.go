package core

import "musubi/mpi/internal/fault"

// Persistent is a persistent operation: prepared once and started again and again with the same
// arguments.
type Persistent struct {
	r         Request
	c         *Comm
	call      string
	Operation persistentOperation
	limit     *Limit // of waits for it
	started   bool
	freed     bool
}

// NewPersistent returns an operation that has not been started.
func NewPersistent(c *Comm, call string, what persistentOperation) *Persistent {
	return &Persistent{c: c, call: call, Operation: what, limit: c.Engine.limit}
}

// persistentOperation is what a Persistent starts.
type persistentOperation interface {
	Start(r *Request) error // makes r the request of a new start
	Free() error            // while it is not under way
}

// Enter is Engine.Enter of the engine of the operation; without one nobody is told.
func (p *Persistent) Enter(call string) Call {
	if p == nil {
		return Call{}
	}
	p.c.Engine.Within(p.limit)
	return p.c.Engine.Enter(call)
}

// Start starts it. It fails with ErrRequest if the last start is not complete, or if it
// has been freed.
func (p *Persistent) Start() error {
	if err := p.check("Start"); err != nil {
		return err
	}
	if err := p.Operation.Start(&p.r); err != nil {
		return p.c.Fail(fault.Other, p.call, err)
	}
	p.started = true
	return nil
}

// check fails if it can be neither started nor freed.
func (p *Persistent) check(call string) error {
	if p == nil {
		return noRequest(call)
	}
	if err := p.c.Check(call); err != nil {
		return err
	}
	switch {
	case p.freed:
		return p.c.Failf(fault.Request, call, "a request of %s that has been freed", p.call)
	case p.started && !p.r.Complete:
		return p.c.Failf(fault.Request, call, "a request of %s that has been started and is not complete", p.call)
	}
	return nil
}

// Request returns what has been started last, nil if nothing has been.
func (p *Persistent) Request() *Request {
	if p == nil || !p.started {
		return nil
	}
	return &p.r
}

// Release gives back what has been prepared. It does not wait for other ranks. It fails with
// ErrRequest if the last start is not complete, or if it has been freed before. Comm.Free
// and Close free what is left.
func (p *Persistent) Release() error {
	if err := p.check("Free"); err != nil {
		return err
	}
	p.freed = true
	if err := p.Operation.Free(); err != nil {
		return p.c.Fail(fault.Other, "Free", err)
	}
	return nil
}

package mpi

import "musubi/mpi/internal/fault"

// Persistent is an operation that is prepared once and started again and again with
// the same arguments: a send, a receive, or a collective operation. The elements are
// those that the slices have at each start.
//
// Collective operations are prepared by all ranks of a communicator in the same order.
// They may be started in any order, which may differ between ranks, each as often at all
// of them.
type Persistent struct {
	r       Request
	c       *Comm
	call    string
	what    starter
	started bool
	freed   bool
}

// starter is what a Persistent starts.
type starter interface {
	start(r *Request) error // makes r the request of a new start
	free() error            // while it is not under way
}

// StartAll starts several, in their order, up to the first that fails.
func StartAll(all ...*Persistent) error {
	for _, p := range all {
		if err := p.Start(); err != nil {
			return err
		}
	}
	return nil
}

// Start starts it. It fails with ErrRequest if the last start is not complete, or if it
// has been freed.
func (p *Persistent) Start() error {
	if err := p.check("Start"); err != nil {
		return err
	}
	if err := p.what.start(&p.r); err != nil {
		return p.c.fail(fault.Other, p.call, err)
	}
	p.started = true
	return nil
}

// check fails if it can be neither started nor freed.
func (p *Persistent) check(call string) error {
	if p == nil {
		return noRequest(call)
	}
	if err := p.c.check(call); err != nil {
		return err
	}
	switch {
	case p.freed:
		return p.c.failf(fault.Request, call, "a request of %s that has been freed", p.call)
	case p.started && !p.r.complete:
		return p.c.failf(fault.Request, call, "a request of %s that has been started and is not complete", p.call)
	}
	return nil
}

// Request returns what has been started last, to wait for, test or cancel; nil if
// nothing has been. It is the same after each start.
func (p *Persistent) Request() *Request {
	if p == nil || !p.started {
		return nil
	}
	return &p.r
}

// Wait is Wait of what has been started last.
func (p *Persistent) Wait() (Status, error) { return p.Request().Wait() }

// Test is Test of what has been started last.
func (p *Persistent) Test() (Status, bool, error) { return p.Request().Test() }

// Free gives back what has been prepared. It does not wait for other ranks. It fails with
// ErrRequest if the last start is not complete, or if it has been freed before. Comm.Free
// and Close free what is left.
func (p *Persistent) Free() error {
	if err := p.check("Free"); err != nil {
		return err
	}
	p.freed = true
	if err := p.what.free(); err != nil {
		return p.c.fail(fault.Other, "Free", err)
	}
	return nil
}

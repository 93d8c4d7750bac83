package mpi

import (
	"fmt"
	"slices"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/fault"
	"musubi/rma"
)

// Run runs a program with the communicator of all ranks, and closes that when the
// program has returned nil. Errors are those of New, of the program and of Close.
func Run(p rma.Process, program func(c *Comm) error, options ...Options) error {
	c, err := New(p, options...)
	if err != nil {
		return err
	}
	if err := program(c); err != nil {
		return err
	}
	return c.Close()
}

// Close ends the use of this package. All ranks call it, with the communicator of New,
// when they have communicated for the last time. It waits for the others, and until
// all messages of this rank have come.
//
// It fails with ErrOther if the machine could not bring one of them, and with
// ErrRequest if a request is not complete, a message that has come here has not been
// received, or a window has not been freed; the error names them.
func (c *Comm) Close() error {
	const call = "Close"
	if err := c.check(call); err != nil {
		return err
	}
	if c.point != 0 {
		return c.failf(fault.Comm, call, "a communicator that has been made of another; expected that of New")
	}
	if err := c.settle(call); err != nil {
		return err
	}
	c.e.closed = true
	if err := c.e.exchanges.free(nil); err != nil {
		return c.fail(fault.Other, call, err)
	}
	if left := slices.Concat(c.e.pending(nil), c.e.notReceived(nil), c.e.notFreed()); len(left) > 0 {
		return c.failf(fault.Request, call, "not complete: %s", listed(left))
	}
	return nil
}

// settle waits until nothing can come any more.
func (c *Comm) settle(call string) error {
	if err := c.e.thin(1); err != nil {
		return c.fail(fault.Other, call, err)
	}
	if err := carryOut(c.plan(call, algorithm.Barrier, &algorithm.Arguments{})); err != nil {
		return err
	}
	err := c.e.thin(1)
	if err == nil {
		err = c.e.progress()
	}
	if err != nil {
		return c.fail(fault.Other, call, err)
	}
	return nil
}

// notFreed describes the windows that have not been freed.
func (e *engine) notFreed() (list []string) {
	for _, w := range e.windows {
		if w != nil {
			list = append(list, fmt.Sprintf("a window of %d bytes, which has not been freed", len(w.memory)))
		}
	}
	return list
}

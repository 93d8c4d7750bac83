package core

import (
	"context"
	"errors"
	"time"

	"musubi/mpi/internal/fault"
	"musubi/rma"
	"musubi/units"
)

// A handle of a communicator may limit how long calls wait. The engine has the limit of the handle that the
// program has used last; requests, persistent operations and claimed messages keep the one that they were
// made under.
//
// A call that only waits, for a request or for a message to receive, leaves everything as it was when its
// time is over. One that takes part in something with other ranks cannot take its part back: it gives the
// communicator up, as nobody knows what the others will get.

// Limit is how long calls wait at most.
type Limit struct {
	Context context.Context // nil: it does not matter
	End     units.Time      // of the process's clock; 0: never
	Refused error           // why the world cannot limit calls so
}

// interruption is why a call has ended before what it waits for.
type interruption struct{ cause error }

func (i *interruption) Error() string { return i.cause.Error() }
func (i *interruption) Unwrap() error { return i.cause }

// over returns why calls may wait no longer, nil if they may.
func (l *Limit) over(now units.Time) error {
	switch {
	case l == nil:
	case l.Refused != nil:
		return &interruption{l.Refused}
	case l.Context != nil && l.Context.Err() != nil:
		return &interruption{context.Cause(l.Context)}
	case l.End != 0 && now >= l.End:
		return &interruption{context.DeadlineExceeded}
	}
	return nil
}

// Accept notes that a handle has the limit, and if the world cannot limit how long a call waits in this way.
func (l *Limit) Accept(e *Engine) {
	e.Plain = false
	_, real := e.Process.(rma.Interruptible)
	_, simulated := e.Process.(rma.Alarm)
	switch {
	case l.Context != nil && !real:
		l.Refused = errors.New("a context that can be done, in a world whose time is simulated: its deadline and cancellation are of real time; WithDeadline takes a time of the process's clock")
	case l.End != 0 && !real && !simulated:
		l.Refused = errors.New("a deadline, in a world that has no alarm")
	}
}

// Within limits how long the calls to come wait; nil: as long as it takes.
func (e *Engine) Within(l *Limit) {
	if e != nil && e.limit != l {
		e.limit = l
		e.guard()
	}
}

// Limit returns how long calls wait at most, for what is to keep it.
func (e *Engine) Limit() *Limit { return e.limit }

// Over returns why calls may wait no longer, nil if they may.
func (e *Engine) Over() error {
	if e.limit == nil {
		return nil
	}
	return e.limit.over(e.Process.Now())
}

// Await is Await of the process within the limit.
func (e *Engine) Await(ops ...rma.Op) error {
	if e.limit == nil {
		return e.Process.Await(ops...)
	}
	return e.AwaitWithin(func() bool { return false }, ops...)
}

// AwaitWithin is AwaitUntil of the process within the limit, which is not nil.
func (e *Engine) AwaitWithin(condition func() bool, ops ...rma.Op) error {
	if err := e.Over(); err != nil {
		return err
	}
	l := e.limit
	real, ok := e.Process.(rma.Interruptible)
	if !ok {
		return e.Process.(rma.Alarm).AwaitBefore(l.End, condition, ops...)
	}
	ctx := l.Context
	if ctx == nil {
		ctx = context.Background()
	}
	if l.End != 0 {
		left := (l.End - e.Process.Now() + units.Nanosecond - 1) / units.Nanosecond
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(left))
		defer cancel()
	}
	return real.AwaitContext(ctx, condition, ops...)
}

// AwaitContext waits until something is so, for anything that lets this process advance, or until a context is done. The process is one on
// real time.
func (e *Engine) AwaitContext(ctx context.Context, until func() bool) error {
	return e.Process.(rma.Interruptible).AwaitContext(ctx, until, e.awaitedBySources()...)
}

// blockWithin is block within the limit.
func (e *Engine) blockWithin() error {
	if e.Sources.active != 0 && e.Sources.advanceFirst(false) {
		return nil
	}
	if err := e.AwaitWithin(e.Sources.anyEvent, e.awaitedBySources()...); err != nil {
		return err
	}
	return e.Progress()
}

// failWait returns the error of a call that only waits. If it has been interrupted nothing has changed.
func (c *Comm) failWait(call string, err error) error {
	if isInterruption(err) {
		return c.failAs(fault.Interrupted, call, err)
	}
	return c.Fail(fault.Other, call, err)
}

func isInterruption(err error) bool {
	var i *interruption
	return errors.As(err, &i)
}

// SetLimit limits how long waits for the request take; nil: as long as it takes.
func (r *Request) SetLimit(l *Limit) { r.limit = l }

// SetLimit is Request.SetLimit of what is started next.
func (p *Persistent) SetLimit(l *Limit) { p.limit, p.r.limit = l, l }

// CheckLimit fails if the time for the call is over before it begins.
func (c *Comm) CheckLimit(call string) error {
	if err := c.Engine.Over(); err != nil {
		return c.failWait(call, err)
	}
	return nil
}

// giveUp ends the use of a communicator in which a call has ended in the middle.
func (c *Comm) giveUp(call string) {
	if c.refusal == nil && c.Engine != nil {
		c.refusal = c.failAs(fault.Interrupted, call, errors.New("it has not waited until its end, so the communicator cannot be used further"))
		c.freed = true
		c.Engine.givenUp = append(c.Engine.givenUp, c)
	}
}

// isGivenUp reports whether a context is of a communicator that has been given up.
func (e *Engine) isGivenUp(context uint32) bool {
	for _, c := range e.givenUp {
		if context == c.Point || context == c.Collective {
			return true
		}
	}
	return false
}

// IsGivenUp reports whether a call has ended in the middle, so that the communicator cannot be used further.
func (c *Comm) IsGivenUp() bool { return c.refusal != nil }

// Refusing returns a communicator that refuses every use with an error.
func (c *Comm) Refusing(class fault.Class, err error) Comm {
	return Comm{rank: c.rank, size: c.size, refusal: &fault.Error{Class: class, Err: err}}
}

// refused returns the error of a call that the communicator refuses.
func (c *Comm) refused(call string) error {
	if e := c.refusal.(*fault.Error); e.Call == "" {
		return c.failAs(e.Class, call, e.Err)
	}
	return c.failAs(fault.Interrupted, call, c.refusal)
}

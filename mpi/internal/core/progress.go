package core

import (
	"errors"

	"musubi/rma"
	"musubi/units"
)

// stepper is an operation of several steps, such as a collective operation.
type stepper interface {
	// Advance takes all steps that it can take now. It returns false if the only obstacle is that
	// too many messages are in flight.
	Advance() bool
	// Mismatch returns the error that a message is longer than this rank expects.
	Mismatch(m *Request, bytes int) error
}

// steppers are the operations that can advance.
type steppers struct {
	ready, spare []stepper
}

// source makes progress other than by messages.
type source interface {
	// HasEvent reports whether Advance would find something to do. It only reads memory.
	HasEvent() bool
	// Advance lets all operations of the source advance, and reports whether one could.
	Advance() bool
	// Pending returns the requests that are not complete.
	Pending() []*Request
	// Free gives back what is left of a communicator, of all if it is nil.
	Free(c *Comm) error
}

// opSource is a source that waits for operations of the interface as well.
type opSource interface {
	source
	Awaited(list []rma.Op) []rma.Op // appends operations whose completion lets something advance
}

// sources are all sources of an engine.
type sources struct {
	All      []source
	active   uint // bit i: something of All[i] is under way
	anyEvent func() bool
	ops      []rma.Op // that are being waited for
}

// Add adds a source, and returns its number.
func (s *sources) Add(x source) int {
	s.All = append(s.All, x)
	return len(s.All) - 1
}

// Set notes whether something of a source is under way.
func (s *sources) Set(number int, active bool) {
	if s.active &^= 1 << number; active {
		s.active |= 1 << number
	}
}

// hasEvent reports whether a source has an event.
func (s *sources) hasEvent() bool {
	for i := len(s.All) - 1; i >= 0; i-- {
		if s.All[i].HasEvent() {
			return true
		}
	}
	return false
}

// advanceFirst advances the first source that can, and reports whether there is one. With
// memoryOnly it leaves out sources that wait for operations.
func (s *sources) advanceFirst(memoryOnly bool) bool {
	for _, x := range s.All {
		if _, also := x.(opSource); also && memoryOnly {
			continue
		}
		if x.Advance() {
			return true
		}
	}
	return false
}

// advance advances the sources of which active has the bit, the last first.
func (s *sources) advance(active uint) {
	for i := len(s.All) - 1; i >= 0; i-- {
		if active&(1<<i) != 0 {
			s.All[i].Advance()
		}
	}
}

// Free gives back what is left of a communicator, of all if it is nil.
func (s *sources) Free(c *Comm) error {
	var err error
	for _, x := range s.All {
		err = errors.Join(err, x.Free(c))
	}
	return err
}

// Advance advances an operation, and keeps it for later if too many messages are in flight.
func (e *Engine) Advance(r stepper) {
	if !r.Advance() {
		e.steppers.ready = append(e.steppers.ready, r)
	}
}

// advanceAll advances all operations and sources that are ready.
func (e *Engine) advanceAll() {
	active := e.Sources.active
	if len(e.steppers.ready) > 0 {
		ready := e.steppers.ready
		e.steppers.ready = e.steppers.spare[:0]
		for _, r := range ready {
			e.Advance(r)
		}
		clear(ready)
		e.steppers.spare = ready
	}
	if active != 0 {
		e.Sources.advance(active)
	}
}

// Wait makes progress until a request is complete. Its error is of the machine, not
// of the request.
func (e *Engine) Wait(r *Request) error {
	if !r.Complete {
		e.RunAhead()
	}
	var err error
	for !r.Complete && err == nil {
		err = e.BlockFor(r)
	}
	e.Out.StopAhead()
	return err
}

// RunAhead lets the program run ahead of its processor until it has waited for something. Nothing but the engine goes on
// meanwhile.
func (e *Engine) RunAhead() {
	if e.Messenger == nil && e.Share == nil && e.limit == nil {
		e.Out.RunAhead()
	}
}

// waitsForOthers reports whether nothing can happen next but that a message comes, or that the data of one other has been read.
func (e *Engine) waitsForOthers() bool {
	return len(e.Pulls) <= 1 && e.limit == nil && e.Share == nil && len(e.steppers.ready) == 0 && e.Sources.active == 0
}

// block waits for an arrival, a completion or an event, and deals with it.
func (e *Engine) block() error {
	if err := e.offerKept(); err != nil {
		return err
	}
	if e.Out.IsAhead() && e.waitsForOthers() {
		return e.Out.Serve((*server)(e))
	}
	if err := e.Out.Tidy(); err != nil {
		return err
	}
	switch {
	case e.limit != nil:
		return e.blockWithin()
	case e.Share != nil:
		return e.blockShared()
	case len(e.steppers.ready) > 0: // too many messages are in flight
		err := e.MakeRoom()
		e.advanceAll()
		return err
	case e.Sources.active != 0:
		return e.blockForEvent()
	case len(e.Pulls) == 0:
		err := e.takeArrival()
		e.advanceAll()
		return err
	}
	e.Sources.ops = e.appendPulls(e.Sources.ops[:0])
	if err := e.Process.Await(e.Sources.ops...); err != nil {
		return err
	}
	return e.Progress()
}

// blockShared blocks a thread of several: others may call meanwhile, and what they find may be what this
// one waits for.
func (e *Engine) blockShared() error {
	if len(e.steppers.ready) > 0 { // too many messages are in flight; then this thread may wait for nothing any more
		err := e.MakeRoom()
		e.advanceAll()
		return err
	}
	if e.Sources.active == 0 || !e.Sources.advanceFirst(false) {
		e.Share(e.Sources.anyEvent)
	}
	return e.Progress()
}

// BlockBefore waits for an arrival, a completion or an event, and deals with it. It waits no longer than to a time; where
// processes have no alarm it only looks.
func (e *Engine) BlockBefore(end units.Time) error {
	alarm, can := e.Process.(rma.Alarm)
	if !can {
		err := e.Progress()
		e.EndIdlePoll()
		return err
	}
	if err := e.offerKept(); err != nil {
		return err
	}
	if err := e.Out.Tidy(); err != nil {
		return err
	}
	if e.Sources.active != 0 && e.Sources.advanceFirst(false) {
		return nil
	}
	if err := alarm.AwaitBefore(end, e.Sources.anyEvent, e.awaitedBySources()...); err != nil {
		return err
	}
	return e.Progress()
}

// blockForEvent blocks while something of a source is under way.
func (e *Engine) blockForEvent() error {
	if e.Sources.advanceFirst(false) {
		return nil
	}
	ops := e.appendPulls(e.Sources.ops[:0])
	for _, x := range e.Sources.All {
		if x, ok := x.(opSource); ok {
			ops = x.Awaited(ops)
		}
	}
	e.Sources.ops = ops
	if err := e.Process.AwaitUntil(e.Sources.anyEvent, ops...); err != nil || e.Sources.advanceFirst(true) {
		return err
	}
	return e.Progress()
}

// appendPulls appends the pulls to wait for.
func (e *Engine) appendPulls(list []rma.Op) []rma.Op {
	for _, r := range e.Pulls[:min(mostAwaited, len(e.Pulls))] {
		list = append(list, r.Pull)
	}
	return list
}

// AwaitedOps returns the operations whose completion lets something advance, for a process that
// waits for something else than messages and sources.
func (e *Engine) AwaitedOps() []rma.Op {
	ops := e.appendPulls(nil)
	if len(e.steppers.ready) > 0 && e.Out.InFlight.Count > 0 { // too many messages are in flight
		ops = append(ops, e.Out.InFlight.Head().Op)
	}
	return ops
}

// awaitedBySources returns the operations whose completion lets something advance, sources included.
func (e *Engine) awaitedBySources() []rma.Op {
	ops := e.AwaitedOps()
	for _, x := range e.Sources.All {
		if x, ok := x.(opSource); ok {
			ops = x.Awaited(ops)
		}
	}
	return ops
}

// mostArrivals is how many arrivals a call deals with, so that a process to which others send all
// the time comes to its own work.
const mostArrivals = 256

// Progress deals with all that has arrived or completed, without waiting for more.
func (e *Engine) Progress() error {
	for range mostArrivals {
		arrived, err := e.Process.Poll()
		if err != nil {
			return err
		}
		if !arrived {
			break
		}
		if err := e.takeArrival(); err != nil {
			return err
		}
	}
	err := e.endPulls()
	e.advanceAll()
	return err
}

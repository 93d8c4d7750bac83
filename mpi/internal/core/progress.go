package core

import (
	"errors"

	"musubi/rma"
)

// stepper is an operation that goes on step by step, such as a collective operation.
type stepper interface {
	// goOn goes on as far as the operation can now. It returns false if there is only no room
	// for another message.
	GoOn() bool
	// Mismatch says that a message has another length than this rank has given.
	Mismatch(m *Request, bytes int) error
}

// steppers are the operations that can go on.
type steppers struct {
	ready, spare []stepper
}

// source is a way to make progress other than by messages.
type source interface {
	// HasNews reports whether goOn would find something. It only reads memory.
	HasNews() bool
	// GoOn lets go on what can, and reports whether anything could.
	GoOn() bool
	// Pending returns the requests that are not complete.
	Pending() []*Request
	// Free gives back what is left of a communicator, of all if it is nil.
	Free(c *Comm) error
}

// opSource is a source that waits for operations of the interface as well.
type opSource interface {
	source
	Awaited(list []rma.Op) []rma.Op // appends operations whose end lets something go on
}

// sources are the ways to make progress other than by messages.
type sources struct {
	All    []source
	active uint // of each, whether something is under way: a bit
	news   func() bool
	ops    []rma.Op // that are being waited for
}

// Add enters a source, and returns its number.
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

// hasNews reports whether a source could let something go on.
func (s *sources) hasNews() bool {
	for i := len(s.All) - 1; i >= 0; i-- {
		if s.All[i].HasNews() {
			return true
		}
	}
	return false
}

// goOnFirst lets the first source go on that can, and reports whether there is one. Where others
// are left out, it asks only those that wait for nothing but memory.
func (s *sources) goOnFirst(memoryOnly bool) bool {
	for _, x := range s.All {
		if _, also := x.(opSource); also && memoryOnly {
			continue
		}
		if x.GoOn() {
			return true
		}
	}
	return false
}

// goOn lets go on the sources in which something was under way, the last first.
func (s *sources) goOn(active uint) {
	for i := len(s.All) - 1; i >= 0; i-- {
		if active&(1<<i) != 0 {
			s.All[i].GoOn()
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

// GoOn lets an operation go on, as far as it can now.
func (e *Engine) GoOn(r stepper) {
	if !r.GoOn() {
		e.steppers.ready = append(e.steppers.ready, r)
	}
}

// goOnAll lets go on what waits for nothing any more.
func (e *Engine) goOnAll() {
	active := e.Sources.active
	if len(e.steppers.ready) > 0 {
		ready := e.steppers.ready
		e.steppers.ready = e.steppers.spare[:0]
		for _, r := range ready {
			e.GoOn(r)
		}
		clear(ready)
		e.steppers.spare = ready
	}
	if active != 0 {
		e.Sources.goOn(active)
	}
}

// Wait makes progress until a request is complete. Its error is of the machine, not
// of the request.
func (e *Engine) Wait(r *Request) error {
	for !r.Complete {
		if err := e.BlockFor(r); err != nil {
			return err
		}
	}
	return nil
}

// block waits until something has come about, and deals with it.
func (e *Engine) block() error {
	if err := e.Out.Tidy(); err != nil {
		return err
	}
	switch {
	case len(e.steppers.ready) > 0: // they wait for room
		err := e.MakeRoom()
		e.goOnAll()
		return err
	case e.Sources.active != 0:
		return e.blockForNews()
	case len(e.Pulls) == 0:
		err := e.takeArrival()
		e.goOnAll()
		return err
	}
	var ops [watched]rma.Op
	n := 0
	for _, r := range e.Pulls[:min(watched, len(e.Pulls))] {
		ops[n] = r.Pull
		n++
	}
	if err := e.Process.Await(ops[:n]...); err != nil {
		return err
	}
	return e.Progress()
}

// blockForNews is block while something of a source is under way.
func (e *Engine) blockForNews() error {
	if e.Sources.goOnFirst(false) {
		return nil
	}
	ops := e.awaitedPulls(e.Sources.ops[:0])
	for _, x := range e.Sources.All {
		if x, ok := x.(opSource); ok {
			ops = x.Awaited(ops)
		}
	}
	e.Sources.ops = ops
	if err := e.Process.AwaitUntil(e.Sources.news, ops...); err != nil || e.Sources.goOnFirst(true) {
		return err
	}
	return e.Progress()
}

// awaitedPulls appends the pulls whose end is waited for.
func (e *Engine) awaitedPulls(list []rma.Op) []rma.Op {
	for _, r := range e.Pulls[:min(watched, len(e.Pulls))] {
		list = append(list, r.Pull)
	}
	return list
}

// Watch returns the operations whose end lets something go on, while the process waits for
// what sources do not know of.
func (e *Engine) Watch() []rma.Op {
	ops := e.awaitedPulls(nil)
	if len(e.steppers.ready) > 0 && e.Out.Flights.Count > 0 { // they wait for room
		ops = append(ops, e.Out.Flights.Head().Op)
	}
	return ops
}

// mostArrivals is how many arrivals a call deals with. A process that others want
// something of all the time comes to its own work all the same.
const mostArrivals = 256

// Progress deals with what has come about, without waiting for more.
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
	e.goOnAll()
	return err
}

package core

import (
	"slices"

	"musubi/rma"
)

// tracers are told which calls the program is in.
type tracers struct {
	all   []rma.Tracer // none: nobody asks
	depth int          // of calls that have been entered and not left
}

// asked finds out who wants to know of messages and calls. Engines of others take short ways, on which nobody
// is told of anything.
func (e *Engine) asked(p rma.Process) {
	if x, ok := p.(rma.Recorded); ok && x.Recorder() != nil {
		e.record.to = x.Recorder()
		e.tracers.all = append(e.tracers.all, e.record.to)
	}
	if x, ok := p.(rma.Traced); ok && x.Tracer() != nil {
		e.tracers.all = append(e.tracers.all, x.Tracer())
	}
	e.Plain = len(e.tracers.all) == 0
	e.guard()
}

// leftNew tells that the call has ended that has made the engine. Nobody could be told of its beginning.
func (e *Engine) leftNew() {
	if e.Records() {
		e.record.to.Leave(e.Process.Now())
	}
}

// Call is a call of the program that tracers know of; the zero value: nobody asks.
type Call struct{ e *Engine }

// Enter tells that the program is in a call, until Leave: all time that passes meanwhile is the library's. Calls
// inside a call are not told. An engine that is nil has nobody to tell.
func (e *Engine) Enter(call string) Call {
	if e == nil || len(e.tracers.all) == 0 {
		return Call{}
	}
	return e.enter(call)
}

func (e *Engine) enter(call string) Call {
	if e.tracers.depth++; e.tracers.depth == 1 {
		now := e.Process.Now()
		for _, t := range e.tracers.all {
			t.Enter(call, now)
		}
	}
	return Call{e}
}

// Leave tells that the program has left the call.
func (c Call) Leave() {
	if c.e != nil {
		c.e.leave()
	}
}

// Returns is Leave of a call that returns an error, which it passes on:
//
//	return e.Enter("Flush").Returns(c.flush())
func (c Call) Returns(err error) error {
	c.Leave()
	return err
}

func (e *Engine) leave() {
	if e.tracers.depth--; e.tracers.depth == 0 {
		now := e.Process.Now()
		for _, t := range e.tracers.all {
			t.Leave(now)
		}
	}
}

// remove lets one of them know no more.
func (s *tracers) remove(gone rma.Tracer) {
	s.all = slices.DeleteFunc(s.all, func(t rma.Tracer) bool { return t == gone })
}

package host

import (
	"runtime/debug"

	"musubi/rma"
	"musubi/sim/engine"
)

// servant deals with what comes in place of the programs of ranks, one rank after the other, so that its stack is in the
// processor's cache. Where that takes time of the rank, beyond what errands do, the servant is suspended like a program, and
// others serve the others.
type servant struct {
	co     engine.Coroutine
	rank   *Process // that it serves; nil: none
	server rma.Server
	more   bool // the server waits for more
	err    error
}

// pause suspends what runs for a rank.
func (r *Process) pause() { r.running().Suspend() }

// running returns the program of a rank, or the servant that deals with what has come in its place.
func (r *Process) running() *engine.Coroutine {
	if r.servant != nil {
		return &r.servant.co
	}
	return &r.co
}

// serve lets a servant deal with what has come for a rank, and with what is there already when it has.
func (c *Cluster) serve(r *Process) {
	for again := true; again; again = c.serveOn(r) {
		s := c.spareServant()
		s.rank, s.server = r, r.errand.server
		r.servant, r.errand.server = s, nil
	}
}

// spareServant returns a servant that serves nobody.
func (c *Cluster) spareServant() *servant {
	if last := len(c.spares) - 1; last >= 0 {
		s := c.spares[last]
		c.spares = c.spares[:last]
		return s
	}
	s := new(servant)
	s.co.Init(func(*engine.Coroutine) {
		debug.SetPanicOnFault(c.phantom != nil)
		for {
			s.more, s.err = s.rank.tell(s.server)
			s.rank = nil
			s.co.Suspend()
		}
	})
	c.servants = append(c.servants, s)
	return s
}

// serveOn lets the servant of a rank go on. When it has done, the rank waits for what comes next, or its program goes on. It
// reports whether that is there.
func (c *Cluster) serveOn(r *Process) bool {
	s := r.servant
	if !s.co.Resume() {
		r.servant = nil
		c.endedBy(r, s.co.Failure())
		return false
	}
	if s.rank != nil { // what it does takes time
		return false
	}
	r.servant = nil
	c.spares = append(c.spares, s)
	if r.errand.failed = s.err; s.more && s.err == nil {
		r.errand.server = s.server
		if r.errand.stage != noErrand || !r.testNext() {
			return false
		}
		if r.errand.server != nil { // the errand has not failed
			return true
		}
	}
	c.goOn(r)
	return false
}

// dismiss ends the servant of a rank that is stopped.
func (r *Process) dismiss() {
	if r.servant != nil {
		r.servant.co.Stop()
		r.servant = nil
	}
}

package host

import (
	"runtime/debug"

	"musubi/rma"
	"musubi/sim/engine"
)

// servant deals with arrivals in place of the programs of ranks, one rank after the other, so that its stack is in the
// processor's cache. Where that takes time of the rank, the servant is suspended like a program, and others serve the others: so
// only machines have servants on which it usually does not.
type servant struct {
	co     engine.Coroutine
	rank   *Process // that it serves; nil: none
	server rma.Server
	more   bool // the server wants another arrival
	err    error
}

// hasServants reports whether dealing with a short message takes no time beside that of the message itself.
func (c *Cluster) hasServants() bool {
	return c.deferrer != nil && c.Model.ReadRecord() == 0 && c.Machine.Host.Copy == 0
}

// pause suspends the program of a rank, or the servant that deals with an arrival in its place.
func (r *Process) pause() {
	if r.servant != nil {
		r.servant.co.Suspend()
		return
	}
	r.co.Suspend()
}

// serve lets a servant deal with an arrival of a rank, and with those that are there already when it has.
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
			s.more, s.err = s.server.Arrived(s.rank.takeRecord())
			s.rank = nil
			s.co.Suspend()
		}
	})
	c.servants = append(c.servants, s)
	return s
}

// serveOn lets the servant of a rank go on. When it has done, the rank waits for the next arrival, or its program goes on. It
// reports whether the next one is there.
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
	if r.errand.err = s.err; s.more && s.err == nil {
		r.errand.server = s.server
		if r.errand.stage != noErrand || !r.testNext() {
			return false
		}
		if r.errand.server != nil { // no test has failed
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

package core

import "musubi/rma"

// server deals with what a process waits for whose program may be ahead of its processor: arrivals, and the data of a message that
// is being read.
type server Engine

var _ rma.Server = (*server)(nil)

// NextTest implements rma.Server.
func (s *server) NextTest() rma.Op { return s.Out.NextTest() }

// Tested implements rma.Server.
func (s *server) Tested(done bool, err error) error { return s.Out.Tested(done, err) }

// Awaits implements rma.Server.
func (s *server) Awaits() rma.Op {
	if len(s.Pulls) == 0 {
		return 0
	}
	return s.Pulls[0].Pull
}

// Room implements rma.Server.
func (s *server) Room(a rma.Arrival) (into []byte) {
	s.taking, into = (*Engine)(s).room(a)
	return into
}

// Arrived implements rma.Server. Where data is being read, that may be complete as well.
func (s *server) Arrived(a rma.Arrival) (more bool, err error) {
	e, b, pulls := (*Engine)(s), s.taking, len(s.Pulls) > 0
	e.taking = nil
	switch err = e.arrived(a, b); {
	case !pulls:
		e.advanceAll()
	case err == nil:
		err = e.Progress()
	}
	return s.more(), err
}

// Ended implements rma.Server.
func (s *server) Ended(done bool, failed error) (more bool, err error) {
	e := (*Engine)(s)
	if done || failed != nil {
		r := e.Pulls[0]
		clear(e.Pulls)
		e.Pulls = e.Pulls[:0]
		err = e.endPull(r, failed)
	}
	e.advanceAll()
	return s.more(), err
}

// more reports whether the request is not complete that the process waits for, and nothing else can complete it.
func (s *server) more() bool {
	e := (*Engine)(s)
	e.Out.TidyAgain()
	return !e.Waiting.Awaited.Complete && e.waitsForOthers()
}

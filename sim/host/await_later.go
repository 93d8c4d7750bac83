package host

import (
	"musubi/rma"
	"musubi/units"
)

// awaiting is what the event loop does for a rank that waits for one of its operations, or for a message, in place of its
// program: it tests others, waits, and looks which one it is.
type awaiting struct {
	tests  rma.Tests // nil: the rank does not wait so
	tested rma.Op    // by the tests
	op     rma.Op    // that the rank waits for
	found  rma.Found
	err    error // of the tests
}

// What the event loop has done for a rank that is awaiting, beside launching.
const (
	tidying stage = iota + noticing + 1 // it has looked at an operation of the tests
	seeking                             // something has come about
	seen                                // it knows of that
	polled                              // it has looked for an arrival
	known                               // it knows whether there is one
	read                                // it has looked at the operation
)

// PullLater implements rma.Later.
func (r *Process) PullLater(from rma.Address, into []byte) (rma.Op, bool) {
	q := r.ask(Pull, from.Rank)
	q.Address, q.Local = from, into
	return r.startLater(q)
}

// AwaitLater implements rma.Later.
func (r *Process) AwaitLater(t rma.Tests, op rma.Op) (rma.Found, error) {
	r.awaiting = awaiting{tests: t, op: op}
	if r.errand.stage != noErrand || !r.tidyNext() {
		r.co.Suspend()
	}
	r.awaiting.tests = nil
	return r.awaiting.found, r.awaiting.err
}

// awaitOn takes the next steps for a rank that is awaiting. It reports whether its program goes on.
func (r *Process) awaitOn() bool {
	w, e, now := &r.awaiting, &r.errand, r.c.Clock.Now()
	switch e.stage {
	case launching:
		r.c.deferrer.Launch(r, &r.asked, e.id)
		return r.tidyNext()
	case tidying:
		if w.err = w.tests.Tested(r.tested(w.tested)); w.err != nil {
			return r.endErrand()
		}
		return r.tidyNext()
	case seeking:
		r.idle += now - e.begin
		r.blocked = ""
		if !r.hasCome() {
			return r.seek()
		}
		r.awaitsOps, r.Looked = false, now
		return r.then(seen, r.looking.Rest())
	case seen:
		look := r.c.Model.Arrival()
		return r.then(polled, look.Once()-look.Rest())
	case polled:
		w.found.Arrived = r.inbox.rx.Pending()
		return r.then(known, r.c.Model.Arrival().Rest())
	case known:
		if r.inbox.seen = w.found.Arrived; w.found.Arrived {
			return r.endErrand()
		}
		return r.then(read, r.c.Model.Completion().Once())
	}
	w.found.Done, w.found.Err = r.tested(w.op)
	return r.endErrand()
}

// then goes on behind a stage, after some time.
func (r *Process) then(s stage, after units.Time) bool {
	r.errand.stage = s
	if after == 0 {
		return r.awaitOn()
	}
	r.wakeAfter(after)
	return false
}

// tidyNext tests the next operation. Behind the last one it looks for what the rank waits for.
func (r *Process) tidyNext() bool {
	w := &r.awaiting
	if w.tested = w.tests.NextTest(); w.tested != 0 {
		return r.then(tidying, r.c.Model.Completion().Once())
	}
	look := r.c.Model.Arrival()
	if r.hasCome() {
		return r.then(seen, look.Once())
	}
	r.Look(look)
	return r.seek()
}

// hasCome reports whether there is what the rank waits for.
func (r *Process) hasCome() bool { return r.inbox.rx.Pending() || r.isComplete(r.awaiting.op) }

// seek blocks until something is written, or an operation is complete.
func (r *Process) seek() bool {
	r.errand.stage, r.errand.begin = seeking, r.c.Clock.Now()
	r.watching, r.awaitsOps, r.blocked = true, true, "Await"
	return false
}

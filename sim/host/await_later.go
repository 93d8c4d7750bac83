package host

// What the event loop does for a rank that waits for one of its operations, or for an arrival: it waits as Await does, looks for
// an arrival as Poll does, and tests the operation if there is none.

// await waits for the operation of the errand, or for an arrival.
func (r *Process) await() bool {
	look := r.c.Model.Arrival()
	if r.hasCome() {
		return r.then(seen, look.Once())
	}
	r.Look(look)
	return r.seek()
}

// hasCome reports whether there is what the rank waits for.
func (r *Process) hasCome() bool { return r.inbox.rx.Pending() || r.isComplete(r.errand.op) }

// seek blocks until something is written, or an operation is complete.
func (r *Process) seek() bool {
	r.errand.stage, r.errand.begin = seeking, r.c.Clock.Now()
	r.watching, r.awaitsOps, r.blocked = true, true, "Await"
	return false
}

// awaitOn takes the next steps for a rank that waits for an operation or an arrival. It reports whether its program goes on.
func (r *Process) awaitOn() bool {
	e := &r.errand
	switch e.stage {
	case seeking:
		r.wakeUp()
		if !r.hasCome() {
			return r.seek()
		}
		r.awaitsOps, r.Looked = false, r.c.Clock.Now()
		return r.then(seen, r.looking.Rest())
	case seen:
		look := r.c.Model.Arrival()
		return r.then(polled, look.Once()-look.Rest())
	case polled:
		e.arrived = r.inbox.rx.Pending()
		return r.then(known, r.c.Model.Arrival().Rest())
	case known:
		if e.arrived {
			return r.takeNext()
		}
		return r.then(read, r.c.Model.Completion().Once())
	case read:
		e.done, e.err = r.tested(e.op)
	}
	return r.endErrand()
}

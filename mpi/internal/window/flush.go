package window

import "musubi/mpi/internal/fault"

// FlushLocked completes all accesses to a rank that this rank has locked: at both ends, or only at
// the origin.
func (w *Window) FlushLocked(call string, rank int, both bool) error {
	if w.lacks(rank) {
		return w.refuse(call, rank)
	}
	if w.epoch != lockEpoch && w.epoch != lockAllEpoch {
		return w.expectEpoch(call, lockEpoch, lockAllEpoch)
	}
	w.completeAtOnce()
	p := *w.peers.At(int32(rank))
	switch {
	case p != nil && p.isBusy():
		err := w.flush(call, p, both)
		p.endWork()
		return err
	case (p == nil || !p.open) && w.epoch == lockEpoch:
		return w.failf(fault.RMASync, call, "rank %d, of which this rank has no lock", rank)
	}
	return w.pollSometimes(call)
}

// pollEvery is how many calls without work follow each other until one makes progress: a program
// that flushes in a loop must answer others, too.
const pollEvery = 64

// pollSometimes polls at every pollEvery-th call.
func (w *Window) pollSometimes(call string) error {
	if w.idle++; w.idle%pollEvery != 0 {
		return nil
	}
	return w.poll(call)
}

// poll makes progress, and lets time pass.
func (w *Window) poll(call string) error {
	if err := w.e.Progress(); err != nil {
		return w.fail(call, err)
	}
	w.e.EndIdlePoll()
	return nil
}

// FlushLocalAll is Window.FlushLocalAll of package mpi.
func (w *Window) FlushLocalAll(call string) error {
	if err := w.expectPassive(call); err != nil {
		return err
	}
	var first error
	for _, p := range w.working {
		if err := w.flush(call, p, false); first == nil {
			first = err
		}
	}
	return first
}

// FlushAllLocked completes all accesses in an epoch of locks, at both ends.
func (w *Window) FlushAllLocked(call string) error {
	if err := w.expectPassive(call); err != nil {
		return err
	}
	w.completeAtOnce()
	if w.busy == 0 {
		return w.pollSometimes(call)
	}
	return w.flushAll(call)
}

// flush completes all accesses to a rank: at both ends, or only at the origin.
func (w *Window) flush(call string, p *peer, both bool) error {
	if both {
		if err := p.requestConfirmation(call); err != nil {
			return err
		}
	}
	for p.pending > 0 || both && p.acks > 0 {
		if err := w.block(call, p); err != nil {
			return err
		}
	}
	err := p.failed
	p.failed = nil
	return err
}

// flushAll completes all accesses at both ends.
func (w *Window) flushAll(call string) error {
	for _, p := range w.working {
		if err := p.requestConfirmation(call); err != nil {
			return err
		}
	}
	var first error
	for _, p := range w.working {
		if err := w.flush(call, p, true); first == nil {
			first = err
		}
		p.busy = false
	}
	clear(w.working)
	w.working, w.busy = w.working[:0], 0
	return first
}

// requestConfirmation asks a rank to confirm what has been sent to it, if need be.
func (p *peer) requestConfirmation(call string) error {
	if !p.unconfirmed {
		return nil
	}
	p.unconfirmed = false
	p.acks++
	return p.w.fail(call, p.sendControl(confirm))
}

// Sync is Window.Sync of package mpi.
func (w *Window) Sync(call string) error {
	if err := w.Check(call); err != nil {
		return err
	}
	w.idle++
	return w.poll(call)
}

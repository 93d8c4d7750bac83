package mpi

import (
	"fmt"

	"musubi/mpi/internal/fault"
)

// lock is what a rank has of the lock of another.
type lock uint8

const (
	noLock lock = iota
	sharedLock
	exclusiveLock
)

// locks is the lock of a rank's memory: who waits for it, in the order of asking.
// Nobody goes before another, but for who asks for a shared lock and has another one
// already: if it waited for those who wait, all could wait in a circle.
type locks struct {
	exclusive bool // is held
	shared    int  // how many are held
	waiting   []waiting
}

type waiting struct {
	p    *peer
	lock lock
}

// isFree reports whether a lock can be given now.
func (l *locks) isFree(kind lock) bool {
	return !l.exclusive && (kind == sharedLock || l.shared == 0)
}

// give notes that a lock is held.
func (l *locks) give(kind lock) {
	if kind == exclusiveLock {
		l.exclusive = true
	} else {
		l.shared++
	}
}

// takeBack notes that a lock is not held any more.
func (l *locks) takeBack(kind lock) {
	if kind == exclusiveLock {
		l.exclusive = false
	} else {
		l.shared--
	}
}

// takeClaim gives a rank the lock, or lets it wait.
func (w *window) takeClaim(p *peer, a wish) error {
	kind := sharedLock
	if a == claim {
		kind = exclusiveLock
	}
	l := &w.locks
	if p.holds != noLock {
		return fmt.Errorf("a claim to the lock of a window, which it has")
	}
	if l.isFree(kind) && (len(l.waiting) == 0 || a == claimMore) {
		return w.giveLock(p, kind)
	}
	next := waiting{p, kind}
	l.waiting = append(l.waiting, next)
	if a == claimMore { // an exclusive lock is held
		copy(l.waiting[1:], l.waiting)
		l.waiting[0] = next
	}
	return nil
}

func (w *window) giveLock(p *peer, kind lock) error {
	w.locks.give(kind)
	p.holds = kind
	return p.tell(grant)
}

// takeRelease takes the lock back, and gives it to those who are next.
func (w *window) takeRelease(p *peer) error {
	if p.holds == noLock {
		return fmt.Errorf("a release of the lock of a window, which it does not have")
	}
	l := &w.locks
	l.takeBack(p.holds)
	p.holds = noLock
	for len(l.waiting) > 0 && l.isFree(l.waiting[0].lock) {
		next := l.waiting[0]
		l.waiting = append(l.waiting[:0], l.waiting[1:]...)
		if err := w.giveLock(next.p, next.lock); err != nil {
			return err
		}
	}
	return nil
}

// Lock begins an epoch in which this rank may access another one, and nobody else may
// who needs a lock for it. It waits for the lock of that rank, which those get who ask
// for it in the order of asking. A rank can have the locks of several.
//
// It fails with ErrRMASync if the rank is locked, or another kind of epoch has begun.
func (w *Window[T]) Lock(rank int) error { return w.core().lock("Lock", rank, exclusiveLock) }

// LockShared is Lock of which several ranks may have one of the same rank at once.
func (w *Window[T]) LockShared(rank int) error {
	return w.core().lock("LockShared", rank, sharedLock)
}

// Unlock ends what Lock or LockShared has begun, when all accesses to the rank are
// complete at both ends. It fails with ErrRMASync if the rank is not locked, and with
// the first error of an access.
func (w *Window[T]) Unlock(rank int) error {
	const call = "Unlock"
	c := w.core()
	if c == nil || c.freed || uint(rank) >= uint(len(c.places)) {
		return c.refuse(call, rank)
	}
	p := c.peer(rank)
	if c.epoch != lockEpoch || p.lock == noLock {
		return c.failf(fault.RMASync, call, "rank %d, of which this rank has no lock", rank)
	}
	err := c.flush(call, p, true)
	for i, other := range c.held {
		if other == p {
			c.held = append(c.held[:i], c.held[i+1:]...)
			break
		}
	}
	if len(c.held) == 0 {
		c.epoch = noEpoch
	}
	if failed := c.unlock(call, p); err == nil {
		err = failed
	}
	return err
}

// LockAll begins an epoch in which this rank may access all ranks, as if it had a
// shared lock of each. It waits for that of its own memory only, which it may use
// without a call; for another one the first access to that rank waits.
func (w *Window[T]) LockAll() error {
	const call = "LockAll"
	c := w.core()
	if err := c.begin(call, lockAllEpoch); err != nil {
		return err
	}
	err := c.acquire(call, c.peer(c.c.rank), sharedLock)
	if err != nil {
		c.epoch = noEpoch
	}
	return err
}

// UnlockAll ends what LockAll has begun, when all accesses are complete at both ends.
func (w *Window[T]) UnlockAll() error {
	const call = "UnlockAll"
	c := w.core()
	if err := c.expectEpoch(call, lockAllEpoch); err != nil {
		return err
	}
	err := c.flushAll(call)
	for _, p := range c.held {
		if failed := c.unlock(call, p); err == nil {
			err = failed
		}
	}
	clear(c.held)
	c.held = c.held[:0]
	c.epoch = noEpoch
	return err
}

func (w *window) lock(call string, rank int, kind lock) error {
	if w == nil || w.freed || uint(rank) >= uint(len(w.places)) {
		return w.refuse(call, rank)
	}
	p := w.peer(rank)
	if p.lock != noLock {
		return w.failf(fault.RMASync, call, "rank %d, of which this rank has the lock", rank)
	}
	if w.epoch != lockEpoch {
		if err := w.begin(call, lockEpoch); err != nil {
			return err
		}
	}
	err := w.acquire(call, p, kind)
	if err != nil && len(w.held) == 0 {
		w.epoch = noEpoch
	}
	return err
}

// acquire waits for the lock of a rank.
func (w *window) acquire(call string, p *peer, kind lock) error {
	ask := claim
	switch {
	case kind == sharedLock && len(w.held) > 0:
		ask = claimMore
	case kind == sharedLock:
		ask = claimShared
	}
	if p.isSelf() { // others may have asked before
		if err := w.e.progress(); err != nil {
			return w.fail(call, err)
		}
	}
	p.granted = false
	if err := p.tell(ask); err != nil {
		return w.fail(call, err)
	}
	for !p.granted {
		if err := w.block(call, p); err != nil {
			return err
		}
	}
	p.lock, p.open = kind, true
	w.held = append(w.held, p)
	return nil
}

// unlock gives the lock of a rank back. That it is back nobody tells, until this rank
// asks.
func (w *window) unlock(call string, p *peer) error {
	p.lock, p.open = noLock, false
	if !p.isSelf() {
		p.unconfirmed = true
		p.note()
	}
	return w.fail(call, p.tell(release))
}

package window

import (
	"fmt"

	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/wordlock"
)

// lock is the kind of lock that a rank holds of another one's memory.
type lock uint8

const (
	noLock        = lock(wordlock.None)
	SharedLock    = lock(wordlock.Shared)
	ExclusiveLock = lock(wordlock.Exclusive)
)

// locks is the lock of a rank's memory. Requests are granted in their order, with one exception: a
// request for a shared lock by a rank that holds another lock of the window goes before those that
// wait, or ranks could wait for each other in a circle.
type locks struct {
	exclusive bool // is held
	shared    int  // how many are held
	waiting   []waiter
}

type waiter struct {
	p    *peer
	lock lock
}

// isFree reports whether a lock can be granted now.
func (l *locks) isFree(kind lock) bool {
	return !l.exclusive && (kind == SharedLock || l.shared == 0)
}

// grant records that a lock is held.
func (l *locks) grant(kind lock) {
	if kind == ExclusiveLock {
		l.exclusive = true
	} else {
		l.shared++
	}
}

// release records that a lock is not held any more.
func (l *locks) release(kind lock) {
	if kind == ExclusiveLock {
		l.exclusive = false
	} else {
		l.shared--
	}
}

// handleLock grants a rank the lock, or lets it wait.
func (w *Window) handleLock(p *peer, a messageKind) error {
	kind := SharedLock
	if a == lockExclusive {
		kind = ExclusiveLock
	}
	l := &w.locks
	if p.holds != noLock {
		return fmt.Errorf("a request for the lock of a window, which it holds")
	}
	if l.isFree(kind) && (len(l.waiting) == 0 || a == lockSharedMore) {
		return w.grantLock(p, kind)
	}
	next := waiter{p, kind}
	l.waiting = append(l.waiting, next)
	if a == lockSharedMore { // an exclusive lock is held
		copy(l.waiting[1:], l.waiting)
		l.waiting[0] = next
	}
	return nil
}

func (w *Window) grantLock(p *peer, kind lock) error {
	w.locks.grant(kind)
	p.holds = kind
	return p.sendControl(lockGranted)
}

// handleUnlock releases the lock of a rank, and grants it to those who wait.
func (w *Window) handleUnlock(p *peer) error {
	if p.holds == noLock {
		return fmt.Errorf("a release of the lock of a window, which it does not hold")
	}
	l := &w.locks
	l.release(p.holds)
	p.holds = noLock
	for len(l.waiting) > 0 && l.isFree(l.waiting[0].lock) {
		next := l.waiting[0]
		l.waiting = append(l.waiting[:0], l.waiting[1:]...)
		if err := w.grantLock(next.p, next.lock); err != nil {
			return err
		}
	}
	return nil
}

// UnlockRank is Window.Unlock of package mpi.
func (w *Window) UnlockRank(call string, rank int) error {
	if w.lacks(rank) {
		return w.refuse(call, rank)
	}
	p := w.peer(rank)
	if w.epoch != lockEpoch || p.lock == noLock {
		return w.failf(fault.RMASync, call, "rank %d, of which this rank has no lock", rank)
	}
	err := w.flush(call, p, true)
	p.endWork()
	if w.held--; w.held == 0 {
		w.epoch = noEpoch
	}
	if failed := w.unlock(call, p); err == nil {
		err = failed
	}
	return err
}

// LockAll is Window.LockAll of package mpi.
func (w *Window) LockAll(call string) error {
	if err := w.begin(call, lockAllEpoch); err != nil {
		return err
	}
	err := w.acquire(call, w.peer(w.C.Rank()), SharedLock)
	if err != nil {
		w.epoch = noEpoch
	}
	return err
}

// UnlockAll is Window.UnlockAll of package mpi.
func (w *Window) UnlockAll(call string) error {
	if err := w.expectEpoch(call, lockAllEpoch); err != nil {
		return err
	}
	err := w.flushAll(call)
	for _, p := range w.locked {
		if failed := w.unlock(call, p); err == nil {
			err = failed
		}
	}
	for rank := range w.near { // a program in C may have acquired some
		if p := *w.peers.At(int32(rank)); p != nil && p.lock != noLock {
			if failed := w.unlock(call, p); err == nil {
				err = failed
			}
		}
	}
	clear(w.locked)
	w.locked, w.held = w.locked[:0], 0
	w.epoch = noEpoch
	return err
}

// Lock begins an epoch in which this rank may access another one, and waits for the lock of that.
func (w *Window) Lock(call string, rank int, kind lock) error {
	if w.lacks(rank) {
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
	if err != nil && w.held == 0 {
		w.epoch = noEpoch
	}
	return err
}

// acquire waits for the lock of a rank.
func (w *Window) acquire(call string, p *peer, kind lock) (err error) {
	switch {
	case w.near != nil && p.claim.TakeFree(wordlock.Kind(kind), w.near[p.rank].lock.state()):
		err = w.pollSometimes(call)
	case w.locksInWords:
		p.claim.Acquire(wordlock.Kind(kind), w.held > 0)
		err = w.claim(call, p)
	default:
		err = w.askForLock(call, p, kind)
	}
	if err != nil {
		return err
	}
	p.lock, p.open = kind, true
	if w.held++; w.epoch == lockAllEpoch && w.near == nil {
		w.locked = append(w.locked, p)
	}
	return nil
}

// askForLock waits until a rank has granted its lock.
func (w *Window) askForLock(call string, p *peer, kind lock) error {
	ask := lockExclusive
	switch {
	case kind == SharedLock && w.held > 0:
		ask = lockSharedMore
	case kind == SharedLock:
		ask = lockShared
	}
	if p.isSelf() { // others may have asked before
		if err := w.e.Progress(); err != nil {
			return w.fail(call, err)
		}
	}
	p.granted = false
	if err := p.sendControl(ask); err != nil {
		return w.fail(call, err)
	}
	for !p.granted {
		if err := w.block(call, p); err != nil {
			return err
		}
	}
	return nil
}

// unlock releases the lock of a rank. If that is by a message, nothing confirms it until this rank
// asks for it.
func (w *Window) unlock(call string, p *peer) error {
	p.claim.Held = wordlock.Kind(p.lock) // which a program in C may have acquired
	p.lock, p.open = noLock, false
	if w.near != nil && p.claim.LeaveFree(w.near[p.rank].lock.state()) {
		return w.pollSometimes(call)
	}
	if w.locksInWords {
		p.claim.Release()
		return w.claim(call, p)
	}
	if !p.isSelf() {
		p.unconfirmed = true
		p.markBusy()
	}
	return w.fail(call, p.sendControl(unlock))
}

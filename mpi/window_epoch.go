package mpi

import "musubi/mpi/internal/window"

// Fence ends the epoch in which all ranks may access each other, and begins the next.
// It returns when all ranks have called it, and all accesses of all are complete. The
// first one begins the first epoch; after one that no access follows, a rank may begin
// another kind of epoch. It fails with ErrRMASync in an epoch of another kind, and with
// the first error of this rank's accesses.
func (w *Window[T]) Fence() error { return w.enter("Fence").Returns(w.inner().Fence("Fence")) }

// Post lets some ranks access this one, each in an epoch that it begins with Start and
// ends with Complete; Wait waits for that. It does not wait. It fails with ErrGroup if
// a rank is named twice, and with ErrRMASync before the Wait for the last Post.
func (w *Window[T]) Post(ranks ...int) error {
	return w.enter("Post").Returns(w.inner().Post("Post", ranks))
}

// Start begins an epoch in which this rank may access some others, when these have
// called Post with this one. It fails with ErrGroup if a rank is named twice, and with
// ErrRMASync in another epoch.
func (w *Window[T]) Start(ranks ...int) error {
	return w.enter("Start").Returns(w.inner().Start("Start", ranks))
}

// Complete ends what Start has begun, when all accesses are complete at both ends. It
// fails with the first of their errors.
func (w *Window[T]) Complete() error {
	return w.enter("Complete").Returns(w.inner().Complete("Complete"))
}

// Wait waits until all ranks that Post has named have called Complete. Then this rank
// sees what they have put.
func (w *Window[T]) Wait() error { return w.enter("Wait").Returns(w.inner().Wait("Wait")) }

// Test reports whether Wait would return at once. If so it has done what Wait does.
func (w *Window[T]) Test() (bool, error) {
	defer w.enter("Test").Leave()
	return w.inner().Test("Test")
}

// Lock begins an epoch in which this rank may access another one, while no other rank may have
// a lock of that rank. It waits for the lock; requests are granted in their order. A rank can
// hold the locks of several ranks.
//
// It fails with ErrRMASync if the rank is locked, or another kind of epoch has begun.
func (w *Window[T]) Lock(rank int) error {
	return w.enter("Lock").Returns(w.inner().Lock("Lock", rank, window.ExclusiveLock))
}

// LockShared is Lock with a shared lock: several ranks may hold one of the same rank.
func (w *Window[T]) LockShared(rank int) error {
	return w.enter("LockShared").Returns(w.inner().Lock("LockShared", rank, window.SharedLock))
}

// Unlock ends what Lock or LockShared has begun, when all accesses to the rank are
// complete at both ends. It fails with ErrRMASync if the rank is not locked, and with
// the first error of an access.
func (w *Window[T]) Unlock(rank int) error {
	return w.enter("Unlock").Returns(w.inner().UnlockRank("Unlock", rank))
}

// LockAll begins an epoch in which this rank may access all ranks, with a shared lock of each.
// It waits for the lock of its own memory only, which the program may use without a call; the
// first access to another rank waits for the lock of that rank.
func (w *Window[T]) LockAll() error { return w.enter("LockAll").Returns(w.inner().LockAll("LockAll")) }

// UnlockAll ends what LockAll has begun, when all accesses are complete at both ends.
func (w *Window[T]) UnlockAll() error {
	return w.enter("UnlockAll").Returns(w.inner().UnlockAll("UnlockAll"))
}

// Flush waits until all accesses to a rank that have been started are complete at
// both ends. It fails with the first of their errors, and with ErrRMASync if this rank
// has no lock there.
func (w *Window[T]) Flush(rank int) error {
	if w.isPlain() {
		return w.window.FlushLocked("Flush", rank, true)
	}
	return w.enter("Flush").Returns(w.inner().FlushLocked("Flush", rank, true))
}

// FlushLocal waits until the memory of this rank may be used again that accesses to a
// rank have been given. Errors are as for Flush.
func (w *Window[T]) FlushLocal(rank int) error {
	return w.enter("FlushLocal").Returns(w.inner().FlushLocked("FlushLocal", rank, false))
}

// FlushAll is Flush of all ranks.
func (w *Window[T]) FlushAll() error {
	return w.enter("FlushAll").Returns(w.inner().FlushAllLocked("FlushAll"))
}

// FlushLocalAll is FlushLocal of all ranks.
func (w *Window[T]) FlushLocalAll() error {
	return w.enter("FlushLocalAll").Returns(w.inner().FlushLocalAll("FlushLocalAll"))
}

// Sync makes progress, after which a rank sees in its own memory what has been put
// there, and others see what it has written.
func (w *Window[T]) Sync() error { return w.enter("Sync").Returns(w.inner().Sync("Sync")) }

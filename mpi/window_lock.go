package mpi

import "musubi/mpi/internal/window"

// Lock begins an epoch in which this rank may access another one, and nobody else may
// who needs a lock for it. It waits for the lock of that rank, which those get who ask
// for it in the order of asking. A rank can have the locks of several.
//
// It fails with ErrRMASync if the rank is locked, or another kind of epoch has begun.
func (w *Window[T]) Lock(rank int) error { return w.inner().Lock("Lock", rank, window.ExclusiveLock) }

// LockShared is Lock of which several ranks may have one of the same rank at once.
func (w *Window[T]) LockShared(rank int) error {
	return w.inner().Lock("LockShared", rank, window.SharedLock)
}

// Unlock ends what Lock or LockShared has begun, when all accesses to the rank are
// complete at both ends. It fails with ErrRMASync if the rank is not locked, and with
// the first error of an access.
func (w *Window[T]) Unlock(rank int) error { return w.inner().UnlockRank("Unlock", rank) }

// LockAll begins an epoch in which this rank may access all ranks, as if it had a
// shared lock of each. It waits for that of its own memory only, which it may use
// without a call; for another one the first access to that rank waits.
func (w *Window[T]) LockAll() error { return w.inner().LockAll("LockAll") }

// UnlockAll ends what LockAll has begun, when all accesses are complete at both ends.
func (w *Window[T]) UnlockAll() error { return w.inner().UnlockAll("UnlockAll") }

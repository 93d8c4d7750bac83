package mpi

// Flush waits until all accesses to a rank that have been started are complete at
// both ends. It fails with the first of their errors, and with ErrRMASync if this rank
// has no lock there.
func (w *Window[T]) Flush(rank int) error { return w.inner().FlushLocked("Flush", rank, true) }

// FlushLocal waits until the memory of this rank may be used again that accesses to a
// rank have been given. Errors are as for Flush.
func (w *Window[T]) FlushLocal(rank int) error {
	return w.inner().FlushLocked("FlushLocal", rank, false)
}

// FlushAll is Flush of all ranks.
func (w *Window[T]) FlushAll() error { return w.inner().FlushAllLocked("FlushAll") }

// FlushLocalAll is FlushLocal of all ranks.
func (w *Window[T]) FlushLocalAll() error { return w.inner().FlushLocalAll("FlushLocalAll") }

// Sync makes progress, after which a rank sees in its own memory what has been put
// there, and others see what it has written.
func (w *Window[T]) Sync() error { return w.inner().Sync("Sync") }

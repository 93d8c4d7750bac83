package mpi

// Fence ends the epoch in which all ranks may access each other, and begins the next.
// It returns when all ranks have called it, and all accesses of all are complete. The
// first one begins the first epoch; after one that no access follows, a rank may begin
// another kind of epoch. It fails with ErrRMASync in an epoch of another kind, and with
// the first error of this rank's accesses.
func (w *Window[T]) Fence() error { return w.inner().Fence("Fence") }

// Post lets some ranks access this one, each in an epoch that it begins with Start and
// ends with Complete; Wait waits for that. It does not wait. It fails with ErrGroup if
// a rank is named twice, and with ErrRMASync before the Wait for the last Post.
func (w *Window[T]) Post(ranks ...int) error { return w.inner().Post("Post", ranks) }

// Start begins an epoch in which this rank may access some others, when these have
// called Post with this one. It fails with ErrGroup if a rank is named twice, and with
// ErrRMASync in another epoch.
func (w *Window[T]) Start(ranks ...int) error { return w.inner().Start("Start", ranks) }

// Complete ends what Start has begun, when all accesses are complete at both ends. It
// fails with the first of their errors.
func (w *Window[T]) Complete() error { return w.inner().Complete("Complete") }

// Wait waits until all ranks that Post has named have called Complete. Then this rank
// sees what they have put.
func (w *Window[T]) Wait() error { return w.inner().Wait("Wait") }

// Test reports whether Wait would return at once. If so it has done what Wait does.
func (w *Window[T]) Test() (bool, error) { return w.inner().Test("Test") }

package mpi

import "musubi/mpi/internal/elements"

// Put starts to write elements to a rank, from one of its elements on. They may not be
// changed before the access is complete; see Window.
//
// It fails with ErrRMASync outside an epoch in which the rank may be accessed, with
// ErrRMARange if the rank does not have the elements, and with ErrRank, ErrWindow or
// ErrOther. What the machine finds out later the call says that completes the access.
func (w *Window[T]) Put(to, at int, data []T) error {
	return w.inner().Put("Put", to, at, len(data), elements.Memory(data))
}

// RPut is Put that returns a request, which is complete when the elements may be
// changed.
func (w *Window[T]) RPut(to, at int, data []T) (*Request, error) {
	return requestOr(w.inner().RPut("RPut", to, at, len(data), elements.Memory(data)))
}

// Get starts to read elements of a rank, from one of its elements on. They are there
// when the access is complete. Errors are as for Put.
func (w *Window[T]) Get(from, at int, into []T) error {
	return w.inner().Get("Get", from, at, len(into), elements.Memory(into))
}

// RGet is Get that returns a request, which is complete when the elements are there.
func (w *Window[T]) RGet(from, at int, into []T) (*Request, error) {
	return requestOr(w.inner().RGet("RGet", from, at, len(into), elements.Memory(into)))
}

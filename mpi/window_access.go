package mpi

import (
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/elements"
)

// Put starts to write elements to a rank, from one of its elements on. They may not be
// changed before the access is complete; see Window.
//
// It fails with ErrRMASync outside an epoch in which the rank may be accessed, with
// ErrRMARange if the rank does not have the elements, and with ErrRank, ErrWindow or
// ErrOther. What the machine finds out later the call says that completes the access.
func (w *Window[T]) Put(to, at int, data []T) error {
	if w.isPlain() {
		return w.window.Put("Put", to, at, len(data), elements.Memory(data))
	}
	return w.enter("Put").Returns(w.inner().Put("Put", to, at, len(data), elements.Memory(data)))
}

// RPut is Put that returns a request, which is complete when the elements may be
// changed.
func (w *Window[T]) RPut(to, at int, data []T) (*Request, error) {
	defer w.enter("RPut").Leave()
	return requestOr(w.inner().RPut("RPut", to, at, len(data), elements.Memory(data)))
}

// Get starts to read elements of a rank, from one of its elements on. They are there
// when the access is complete. Errors are as for Put.
func (w *Window[T]) Get(from, at int, into []T) error {
	if w.isPlain() {
		return w.window.Get("Get", from, at, len(into), elements.Memory(into))
	}
	return w.enter("Get").Returns(w.inner().Get("Get", from, at, len(into), elements.Memory(into)))
}

// RGet is Get that returns a request, which is complete when the elements are there.
func (w *Window[T]) RGet(from, at int, into []T) (*Request, error) {
	defer w.enter("RGet").Leave()
	return requestOr(w.inner().RGet("RGet", from, at, len(into), elements.Memory(into)))
}

// PutLayout is Put of the elements that a layout names here to those that another
// names at the rank, counted from an element there. Both have the same number of
// elements; those that are written may not overlap.
//
// It fails with ErrArgument if the layout here names elements that there are not, with
// ErrRMARange if that of the rank does, and with ErrCount if they do not have the same
// number. Other errors are as for Put.
func (w *Window[T]) PutLayout(to, at int, there Layout, data []T, here Layout) error {
	return w.enter("PutLayout").Returns(w.inner().Move("PutLayout", true, to, at, w.typeOf(&there), elements.Memory(data), w.typeOf(&here)))
}

// GetLayout is Get of the elements that a layout names at the rank, counted from an
// element there, to those that another names here. It is otherwise like PutLayout.
func (w *Window[T]) GetLayout(from, at int, there Layout, into []T, here Layout) error {
	return w.enter("GetLayout").Returns(w.inner().Move("GetLayout", false, from, at, w.typeOf(&there), elements.Memory(into), w.typeOf(&here)))
}

// typeOf returns a layout of elements in bytes.
func (w *Window[T]) typeOf(l *Layout) *datatype.Type {
	t := l.of(elements.Size[T]())
	return &t
}

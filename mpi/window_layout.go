package mpi

import (
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/elements"
)

// PutLayout is Put of the elements that a layout names here to those that another
// names at the rank, counted from an element there. Both have the same number of
// elements; those that are written may not overlap.
//
// It fails with ErrArgument if the layout here names elements that there are not, with
// ErrRMARange if that of the rank does, and with ErrCount if they do not have the same
// number. Other errors are as for Put.
func (w *Window[T]) PutLayout(to, at int, there Layout, data []T, here Layout) error {
	return w.inner().Move("PutLayout", true, to, at, w.typeOf(&there), elements.Memory(data), w.typeOf(&here))
}

// GetLayout is Get of the elements that a layout names at the rank, counted from an
// element there, to those that another names here. It is otherwise like PutLayout.
func (w *Window[T]) GetLayout(from, at int, there Layout, into []T, here Layout) error {
	return w.inner().Move("GetLayout", false, from, at, w.typeOf(&there), elements.Memory(into), w.typeOf(&here))
}

// typeOf returns a layout of elements in bytes.
func (w *Window[T]) typeOf(l *Layout) *datatype.Type {
	t := l.of(elements.Size[T]())
	return &t
}

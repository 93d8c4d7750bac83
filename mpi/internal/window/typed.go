package window

import "musubi/mpi/internal/reduction"

// typed is what the accesses to a window of bytes are about, whose elements have a type at run time
// only.
type typed struct {
	kind  reduction.Kind
	bytes int // of an element
}

// SetTyped sets what the next accesses to a window of bytes are about: elements of a kind and a
// size. Messages name the kind, and are not split within an element.
func (w *Window) SetTyped(kind reduction.Kind, bytes int) { w.typed = typed{kind, bytes} }

// kindNow returns the kind of the elements that are accessed.
func (w *Window) kindNow() reduction.Kind {
	if w.typed.kind != 0 {
		return w.typed.kind
	}
	return w.kind
}

// unit returns the bytes of what no message may split.
func (w *Window) unit() int { return max(w.element, w.typed.bytes) }

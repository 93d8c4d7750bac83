package mpi

import (
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/rma"
)

// PutLayout is Put of the elements that a layout names here to those that another
// names at the rank, counted from an element there. Both have the same number of
// elements; those that are written may not overlap.
//
// It fails with ErrArgument if the layout here names elements that there are not, with
// ErrRMARange if that of the rank does, and with ErrCount if they do not have the same
// number. Other errors are as for Put.
func (w *Window[T]) PutLayout(to, at int, there Layout, data []T, here Layout) error {
	return w.core().move("PutLayout", true, to, at, w.typeOf(&there), elements.Memory(data), w.typeOf(&here))
}

// GetLayout is Get of the elements that a layout names at the rank, counted from an
// element there, to those that another names here. It is otherwise like PutLayout.
func (w *Window[T]) GetLayout(from, at int, there Layout, into []T, here Layout) error {
	return w.core().move("GetLayout", false, from, at, w.typeOf(&there), elements.Memory(into), w.typeOf(&here))
}

// typeOf returns a layout of elements in bytes.
func (w *Window[T]) typeOf(l *Layout) *datatype.Type {
	t := l.of(elements.Size[T]())
	return &t
}

// reachType is reach of the bytes of a type.
func (w *window) reachType(call string, to, at int, there *datatype.Type) (*peer, error) {
	p, err := w.reach(call, to, at, 0)
	if p == nil {
		return nil, err
	}
	if err := there.Check((w.places[to].Length-at)*w.element, w.element); err != nil {
		return nil, w.c.fail(fault.RMARange, call, err)
	}
	return p, nil
}

// checkHere fails if a type is not one of some memory here, or does not have as many bytes as
// there are at the rank.
func (w *window) checkHere(call string, here *datatype.Type, memory, there int) error {
	if err := here.Check(memory, w.element); err != nil {
		return w.c.fail(fault.Argument, call, err)
	}
	if here.Size != there {
		return w.failf(fault.Count, call, "%d elements here and %d at the rank; expected as many", here.Size/w.element, there/w.element)
	}
	return nil
}

// move puts or gets bytes that types name: at once if the machine can, else in pieces.
func (w *window) move(call string, puts bool, to, at int, there *datatype.Type, memory []byte, here *datatype.Type) error {
	p, err := w.reachType(call, to, at, there)
	if p == nil {
		return err
	}
	if err := w.checkHere(call, here, len(memory), there.Size); err != nil {
		return err
	}
	if !p.isSelf() {
		moved, err := w.moveAtOnce(call, puts, p, at, there, memory, here)
		if moved || err != nil {
			return err
		}
	}
	return w.movePieces(call, puts, p, at, there, memory, here)
}

// moveAtOnce lets the machine move bytes between types, and reports whether it
// does.
func (w *window) moveAtOnce(call string, puts bool, p *peer, at int, there *datatype.Type, memory []byte, here *datatype.Type) (bool, error) {
	far, isOne := there.OnMachine()
	near, isAlso := here.OnMachine()
	if !isOne || !isAlso {
		return false, nil
	}
	if err := w.makeRoom(call); err != nil {
		return false, err
	}
	r := w.newAccess(call, p, memory)
	var op rma.Op
	var err error
	if puts {
		w.expose(r)
		op, err = w.e.p.PushLayout(p.address(at*w.element), far, memory, near, rma.DMA)
	} else {
		op, err = w.e.p.PullLayout(p.address(at*w.element), far, memory, near)
	}
	if err != nil { // perhaps machines write in one piece only, or their lists are short
		return false, w.fail(call, w.e.withdraw(r, nil))
	}
	return true, w.begun(r, op, nil)
}

// movePieces moves each piece of memory whose bytes follow each other at both ends.
func (w *window) movePieces(call string, puts bool, p *peer, at int, there *datatype.Type, memory []byte, here *datatype.Type) error {
	far, near := datatype.From(there), datatype.From(here)
	for left := there.Size; left > 0; {
		f, n := far.Rest(), near.Rest()
		bytes := min(f.Bytes, n.Bytes)
		r := w.newAccess(call, p, memory[n.At:][:bytes])
		start := (*window).startGet
		if puts {
			start = (*window).startPut
		}
		if err := start(w, r, at*w.element+f.At); err != nil {
			return err
		}
		far.Advance(bytes)
		near.Advance(bytes)
		left -= bytes
	}
	return nil
}

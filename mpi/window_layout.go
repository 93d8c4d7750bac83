package mpi

import "musubi/rma"

// PutLayout is Put of the elements that a layout names here to those that another
// names at the rank, counted from an element there. Both have the same number of
// elements; those that are written may not overlap.
//
// It fails with ErrArgument if the layout here names elements that there are not, with
// ErrRMARange if that of the rank does, and with ErrCount if they do not have the same
// number. Other errors are as for Put.
func (w *Window[T]) PutLayout(to, at int, there Layout, data []T, here Layout) error {
	return w.core().move("PutLayout", true, to, at, there, memoryOf(data), len(data), here)
}

// GetLayout is Get of the elements that a layout names at the rank, counted from an
// element there, to those that another names here. It is otherwise like PutLayout.
func (w *Window[T]) GetLayout(from, at int, there Layout, into []T, here Layout) error {
	return w.core().move("GetLayout", false, from, at, there, memoryOf(into), len(into), here)
}

// reachLayout is reach of the elements of a layout.
func (w *window) reachLayout(call string, to, at int, there *Layout) (*peer, error) {
	p, err := w.reach(call, to, at, 0)
	if p == nil {
		return nil, err
	}
	if err := there.check(w.places[to].Length - at); err != nil {
		return nil, w.c.fail(ErrRMARange, call, err)
	}
	return p, nil
}

// checkHere fails if a layout is not one of n elements here, as many as there are at
// the rank.
func (w *window) checkHere(call string, here *Layout, n, there int) error {
	if err := here.check(n); err != nil {
		return w.c.fail(ErrArgument, call, err)
	}
	if m := here.Elements(); m != there {
		return w.failf(ErrCount, call, "%d elements here and %d at the rank; expected as many", m, there)
	}
	return nil
}

// move puts or gets elements that layouts name: at once if the machine can, else in
// pieces.
func (w *window) move(call string, puts bool, to, at int, there Layout, memory []byte, n int, here Layout) error {
	p, err := w.reachLayout(call, to, at, &there)
	if p == nil {
		return err
	}
	if err := w.checkHere(call, &here, n, there.Elements()); err != nil {
		return err
	}
	if !p.isSelf() {
		moved, err := w.moveAtOnce(call, puts, p, at, &there, memory, &here)
		if moved || err != nil {
			return err
		}
	}
	return w.movePieces(call, puts, p, at, there, memory, here)
}

// moveAtOnce lets the machine move elements between layouts, and reports whether it
// does.
func (w *window) moveAtOnce(call string, puts bool, p *peer, at int, there *Layout, memory []byte, here *Layout) (bool, error) {
	far, isOne := there.onMachine(w.element)
	near, isAlso := here.onMachine(w.element)
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

// onMachine returns the layout in the terms of the machine, if it has such: some
// elements of the same size.
func (l *Layout) onMachine(size int) (rma.Layout, bool) {
	if l.blocks == nil {
		return rma.Strided(l.block*size, l.stride*size, l.count), l.block > 0 && l.count > 0
	}
	offsets := make([]int, len(l.blocks))
	for i, b := range l.blocks {
		if b.Count == 0 || b.Count != l.blocks[0].Count {
			return rma.Layout{}, false
		}
		offsets[i] = b.At * size
	}
	if len(offsets) == 0 {
		return rma.Layout{}, false
	}
	return rma.List(l.blocks[0].Count*size, offsets...), true
}

// movePieces moves each piece of elements that follow each other at both ends.
func (w *window) movePieces(call string, puts bool, p *peer, at int, there Layout, memory []byte, here Layout) error {
	far, near := cursor{layout: there}, cursor{layout: here}
	for left := there.Elements(); left > 0; {
		f, n := far.rest(), near.rest()
		count := min(f.Count, n.Count)
		r := w.newAccess(call, p, memory[n.At*w.element:][:count*w.element])
		start := (*window).startGet
		if puts {
			start = (*window).startPut
		}
		if err := start(w, r, (at+f.At)*w.element); err != nil {
			return err
		}
		far.advance(count)
		near.advance(count)
		left -= count
	}
	return nil
}

// cursor is a place in a layout.
type cursor struct {
	layout Layout
	block  int
	into   int // elements of the block
}

// rest returns what is left of the block that the cursor is in, which has elements.
// The cursor may not be at the end.
func (c *cursor) rest() Block {
	b := c.layout.at(c.block)
	for b.Count == c.into {
		c.block++
		c.into = 0
		b = c.layout.at(c.block)
	}
	return Block{b.At + c.into, b.Count - c.into}
}

// advance goes on by some elements of the block.
func (c *cursor) advance(n int) { c.into += n }

// contiguous is the layout of n elements that follow each other.
func contiguous(n int) Layout { return Vector(1, n, n) }

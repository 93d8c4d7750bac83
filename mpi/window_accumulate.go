package mpi

import (
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/reduction"
)

// leastPiece is how much of an accumulate is sent in one message at least, in bytes,
// however short the messages are that are sent eagerly.
const leastPiece = 256

// Accumulate starts to combine elements with those of a rank, from one of its elements
// on: each of these becomes the result. The operation is one of this package. The
// elements may be changed at once. Of integers of 8 bytes interfaces carry it out where
// they can (rma.Atomics, and many upon one request by rma.Accumulator); else the target does,
// in whatever call of this package it is or comes to.
//
// It fails with ErrOp if the operation is another, or the elements are neither
// numbers, booleans nor Located; else as Put.
func (w *Window[T]) Accumulate(to, at int, data []T, op Op[T]) error {
	return w.core().accumulate("Accumulate", to, at, contiguous(elements.Memory(data)), elements.Memory(data), op.id)
}

// RAccumulate is Accumulate that returns a request, which is complete.
func (w *Window[T]) RAccumulate(to, at int, data []T, op Op[T]) (*Request, error) {
	const call = "RAccumulate"
	if err := w.core().accumulate(call, to, at, contiguous(elements.Memory(data)), elements.Memory(data), op.id); err != nil {
		return nil, err
	}
	return &Request{c: w.c, call: call, complete: true, kept: true}, nil
}

// AccumulateLayout is Accumulate of the elements that a layout names here to those that
// another names at the rank, counted from an element there. Errors are as for PutLayout
// and Accumulate.
func (w *Window[T]) AccumulateLayout(to, at int, there Layout, data []T, here Layout, op Op[T]) error {
	const call = "AccumulateLayout"
	c := w.core()
	if err := c.check(call); err != nil {
		return err
	}
	memory, far, near := elements.Memory(data), w.typeOf(&there), w.typeOf(&here)
	if err := c.checkHere(call, near, len(memory), far.Size); err != nil {
		return err
	}
	packed := c.e.buffers.Get(near.Size)
	near.Pack(packed, memory)
	err := c.accumulate(call, to, at, far, packed, op.id)
	c.e.buffers.Put(packed)
	return err
}

// GetAccumulate is Accumulate that gets what was there before, at the same time. It is
// there when the access is complete. data and into have the same length, or ErrCount is
// the error; with NoOp data may be nil.
func (w *Window[T]) GetAccumulate(to, at int, data, into []T, op Op[T]) error {
	const call = "GetAccumulate"
	c, operands, result := w.core(), elements.Memory(data), elements.Memory(into)
	p, err := c.reachFetch(call, to, at, contiguous(result), len(operands), len(result), op.id)
	if p == nil {
		return err
	}
	return c.startFetch(c.newAccess(call, p, result), at, contiguous(result), operands, op.id)
}

// RGetAccumulate is GetAccumulate that returns a request, which is complete when what
// was there is here.
func (w *Window[T]) RGetAccumulate(to, at int, data, into []T, op Op[T]) (*Request, error) {
	const call = "RGetAccumulate"
	c, operands, result := w.core(), elements.Memory(data), elements.Memory(into)
	p, err := c.reachFetch(call, to, at, contiguous(result), len(operands), len(result), op.id)
	if p == nil {
		return noAccess(c, call, err)
	}
	r := &Request{c: c.c, call: call, peer: p.process, access: p, data: result, kept: true}
	r.status.From = to
	return r, c.startFetch(r, at, contiguous(result), operands, op.id)
}

// GetAccumulateLayout is GetAccumulate of the elements that layouts name: in data, in
// into, and at the rank, counted from an element there. With NoOp, data may be nil and
// have the zero layout. Errors are as for PutLayout and GetAccumulate.
func (w *Window[T]) GetAccumulateLayout(to, at int, there Layout, data []T, from Layout, into []T, result Layout, op Op[T]) error {
	const call = "GetAccumulateLayout"
	c := w.core()
	target, operands, local := w.typeOf(&there), w.typeOf(&from), w.typeOf(&result)
	p, err := c.reachFetch(call, to, at, target, operands.Size, local.Size, op.id)
	if p == nil {
		return err
	}
	if err := local.Check(len(elements.Memory(into)), c.element); err != nil {
		return c.c.fail(fault.Argument, call, err)
	}
	if err := operands.Check(len(elements.Memory(data)), c.element); err != nil {
		return c.c.fail(fault.Argument, call, err)
	}
	buffer := c.e.buffers.Get(operands.Size)
	operands.Pack(buffer, elements.Memory(data))
	r := c.newAccess(call, p, c.e.buffers.Get(target.Size))
	r.layout = &packed{Type: *local, memory: elements.Memory(into)}
	err = c.startFetch(r, at, target, buffer, op.id)
	c.e.buffers.Put(buffer)
	return err
}

// FetchAndOp combines one element with that of a rank, as GetAccumulate, and waits for
// what was there before.
func (w *Window[T]) FetchAndOp(to, at int, value T, op Op[T]) (was T, err error) {
	const call = "FetchAndOp"
	c := w.core()
	one := datatype.Contiguous(elements.Size[T]())
	p, err := c.reachFetch(call, to, at, &one, one.Size, one.Size, op.id)
	if p == nil {
		return was, err
	}
	w.word[0] = value
	operand := elements.Memory(w.word[:1])
	if c.atomic {
		err := c.fetchWord(call, p, at, op.id, operand, elements.Memory(w.word[1:2]))
		return w.word[1], err
	}
	r := c.newAccess(call, p, elements.Memory(w.word[1:2]))
	r.kept = true
	if err := c.startFetch(r, at, &one, operand, op.id); err != nil {
		return was, err
	}
	_, err = c.e.end(r)
	return w.word[1], err
}

// CompareAndSwap replaces an element of a rank by another if it is the one that is
// expected, atomically as Accumulate, and waits for what was there before. Elements
// are integers or booleans, or it fails with ErrType. Other errors are as for Put.
func (w *Window[T]) CompareAndSwap(to, at int, expected, replacement T) (was T, err error) {
	const call = "CompareAndSwap"
	c := w.core()
	p, err := c.reach(call, to, at, 1)
	if p == nil {
		return was, err
	}
	if !c.kind.IsWhole() {
		return was, c.failf(fault.Type, call, "elements of type %T; expected integers or booleans", was)
	}
	if err := c.enterFetch(call, p); err != nil {
		return was, err
	}
	if c.atomic {
		w.word[0], w.word[2] = expected, replacement
		err := c.swapWord(call, p, at, elements.Memory(w.word[:1]), elements.Memory(w.word[2:]), elements.Memory(w.word[1:2]))
		return w.word[1], err
	}
	r := c.newAccess(call, p, elements.Memory(w.word[1:2]))
	r.kept = true
	id := c.startAnswer(r)
	c.runs = append(c.runs[:0], run{at, 1})
	l := p.write(id, compare, reduction.User, c.runs, 2*c.element)
	w.word = [3]T{expected, replacement}
	copy(l.payload, elements.Memory(w.word[:2]))
	if err := l.send(); err != nil {
		return was, c.fail(call, err)
	}
	_, err = c.e.end(r)
	return w.word[1], err
}

// checkOp fails if an operation cannot be sent.
func (w *window) checkOp(call string, op reduction.ID) error {
	switch {
	case op == reduction.User:
		return w.failf(fault.Op, call, "an operation of the program's own; expected one of this package, such as Sum")
	case reduction.Of(op, w.kind) == nil:
		return w.failf(fault.Op, call, "elements that are neither numbers, booleans nor Located")
	}
	return nil
}

// accumulate is Accumulate of packed elements.
func (w *window) accumulate(call string, to, at int, there *datatype.Type, data []byte, op reduction.ID) error {
	p, err := w.reachType(call, to, at, there)
	if p == nil {
		return err
	}
	if err := w.checkOp(call, op); err != nil {
		return err
	}
	if w.atomic {
		return w.changeWords(call, p, at, there, data, op, nil)
	}
	if !p.isSelf() {
		p.unconfirmed = true
		p.note()
	}
	return w.sendPieces(call, p, 0, accumulate, at, there, data, op)
}

// reachFetch is reach of elements that are fetched.
func (w *window) reachFetch(call string, to, at int, there *datatype.Type, data, into int, op reduction.ID) (*peer, error) {
	p, err := w.reachType(call, to, at, there)
	if p == nil {
		return nil, err
	}
	if n := there.Size; into != n || data != n && op != reduction.NoOpID {
		return nil, w.failf(fault.Count, call, "%d elements to combine with %d at the rank, and room for %d; expected as many", data/w.element, n/w.element, into/w.element)
	}
	if err := w.checkOp(call, op); err != nil {
		return nil, err
	}
	return p, w.enterFetch(call, p)
}

// enterFetch makes progress if a rank fetches from itself: it may do that again and
// again until another has changed something.
func (w *window) enterFetch(call string, p *peer) error {
	if p.isSelf() {
		return w.look(call)
	}
	return nil
}

// startAnswer numbers a request that an answer is for. All that has been sent before
// is done when that comes.
func (w *window) startAnswer(r *Request) uint32 {
	p := r.access
	p.unconfirmed = false
	p.under++
	p.note()
	return w.e.fetches.add(r)
}

// startFetch starts to fetch to the data of a request.
func (w *window) startFetch(r *Request, at int, there *datatype.Type, data []byte, op reduction.ID) error {
	if len(r.data) == 0 {
		w.e.settle(r, nil)
		return nil
	}
	if w.atomic {
		return w.fetchWords(r, at, there, data, op)
	}
	call, p := r.call, r.access
	return w.sendPieces(call, p, w.startAnswer(r), fetch, at, there, data, op)
}

// sendPieces sends an access to elements that a layout names, in messages that all
// rings can take.
func (w *window) sendPieces(call string, p *peer, id uint32, a wish, at int, there *datatype.Type, data []byte, op reduction.ID) error {
	next := datatype.From(there)
	for left := there.Size / w.element; left > 0; {
		if err := w.e.makeRoom(); err != nil {
			return w.fail(call, err)
		}
		n := w.piece(&next, at, left)
		bytes := n * w.element
		if op == reduction.NoOpID {
			bytes = 0
		}
		l := p.write(id, a, op, w.runs, bytes)
		data = data[copy(l.payload, data):]
		if err := l.send(); err != nil {
			return w.fail(call, err)
		}
		left -= n
	}
	return nil
}

// piece sets runs to those of the next message, and returns how many elements they
// have.
func (w *window) piece(next *datatype.Cursor, at, left int) int {
	w.runs = w.runs[:0]
	n := 0
	for room := max(w.e.limits.usual, leastPiece) - remoteBytes; left > n && room >= runBytes+w.element; {
		r := next.Rest()
		count := min(r.Bytes/w.element, left-n, (room-runBytes)/w.element)
		w.runs = append(w.runs, run{at + r.At/w.element, count})
		next.Advance(count * w.element)
		n += count
		room -= runBytes + count*w.element
	}
	return n
}

// contiguous is the type of memory that is taken as a whole.
func contiguous(memory []byte) *datatype.Type {
	t := datatype.Contiguous(len(memory))
	return &t
}

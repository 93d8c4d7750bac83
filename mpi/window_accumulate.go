package mpi

import (
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
)

// Accumulate starts to combine elements with those of a rank, from one of its elements
// on: each of these becomes the result. The operation is one of this package. The
// elements may be changed at once. For integers of 8 bytes the interfaces carry it out where
// they can (rma.Atomics, and rma.Accumulator for many elements at once); else the target does,
// in its next call of this package.
//
// It fails with ErrOp if the operation is another, or the elements are neither
// numbers, booleans nor Located; else as Put.
func (w *Window[T]) Accumulate(to, at int, data []T, op Op[T]) error {
	return w.enter("Accumulate").Returns(w.inner().Accumulate("Accumulate", to, at, elements.Memory(data), op.id))
}

// RAccumulate is Accumulate that returns a request, which is complete.
func (w *Window[T]) RAccumulate(to, at int, data []T, op Op[T]) (*Request, error) {
	const call = "RAccumulate"
	defer w.enter(call).Leave()
	if err := w.inner().Accumulate(call, to, at, elements.Memory(data), op.id); err != nil {
		return nil, err
	}
	return requestFor(w.window.Done(call, core.Status{})), nil
}

// AccumulateLayout is Accumulate of the elements that a layout names here to those that
// another names at the rank, counted from an element there. Errors are as for PutLayout
// and Accumulate.
func (w *Window[T]) AccumulateLayout(to, at int, there Layout, data []T, here Layout, op Op[T]) error {
	return w.enter("AccumulateLayout").Returns(w.inner().AccumulatePacked("AccumulateLayout", to, at, w.typeOf(&there), elements.Memory(data), w.typeOf(&here), op.id))
}

// GetAccumulate is Accumulate that also gets the old elements, atomically in each. They are in
// into when the access is complete. It fails with ErrCount if data and into do not have the
// same length; with NoOp data may be nil.
func (w *Window[T]) GetAccumulate(to, at int, data, into []T, op Op[T]) error {
	return w.enter("GetAccumulate").Returns(w.inner().GetAccumulate("GetAccumulate", to, at, elements.Memory(data), elements.Memory(into), op.id))
}

// RGetAccumulate is GetAccumulate that returns a request, which is complete when the old
// elements are in into.
func (w *Window[T]) RGetAccumulate(to, at int, data, into []T, op Op[T]) (*Request, error) {
	defer w.enter("RGetAccumulate").Leave()
	return requestOr(w.inner().RGetAccumulate("RGetAccumulate", to, at, elements.Memory(data), elements.Memory(into), op.id))
}

// GetAccumulateLayout is GetAccumulate of the elements that layouts name: in data, in
// into, and at the rank, counted from an element there. With NoOp, data may be nil and
// have the zero layout. Errors are as for PutLayout and GetAccumulate.
func (w *Window[T]) GetAccumulateLayout(to, at int, there Layout, data []T, from Layout, into []T, result Layout, op Op[T]) error {
	return w.enter("GetAccumulateLayout").Returns(w.inner().GetAccumulatePacked("GetAccumulateLayout", to, at, w.typeOf(&there), elements.Memory(data), w.typeOf(&from), elements.Memory(into), w.typeOf(&result), op.id))
}

// FetchAndOp combines one element with that of a rank, as GetAccumulate, and waits for the old
// one.
func (w *Window[T]) FetchAndOp(to, at int, value T, op Op[T]) (was T, err error) {
	if w != nil {
		w.word[0] = value
		err = w.enter("FetchAndOp").Returns(w.window.FetchAndOp("FetchAndOp", to, at, elements.Memory(w.word[:1]), elements.Memory(w.word[1:2]), op.id))
		return w.word[1], err
	}
	return was, w.inner().Check("FetchAndOp")
}

// CompareAndSwap replaces an element of a rank by another if it is the expected one,
// atomically as Accumulate, and waits for the old one. Elements are integers or booleans, or it
// fails with ErrType. Other errors are as for Put.
func (w *Window[T]) CompareAndSwap(to, at int, expected, replacement T) (was T, err error) {
	if w != nil {
		w.word[0], w.word[2] = expected, replacement
		err = w.enter("CompareAndSwap").Returns(w.window.CompareAndSwap("CompareAndSwap", to, at, elements.Memory(w.word[:1]), elements.Memory(w.word[2:]), elements.Memory(w.word[1:2])))
		return w.word[1], err
	}
	return was, w.inner().Check("CompareAndSwap")
}

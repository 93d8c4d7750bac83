package mpi

import (
	"encoding/binary"
	"unsafe"

	"musubi/rma"
)

// Where all ranks of a window are rma.Atomics, operations on integers of 8 bytes are done
// on the words themselves, one for each element. Nobody combines elements on behalf of
// others then, nor changes its own in another way, so that all that meet in an element are
// atomic; and the target need not be in a call of this package.

// isOfWords reports whether elements are such integers.
func (w *window) isOfWords() bool {
	return w.element == wordBytes && w.kind.isWhole()
}

// wordReductions are the operations that change words at once; those that are not there,
// and of integers without sign those that compare them, take a loop of rma.CompareSwap.
var wordReductions = map[opID]rma.Reduction{
	sumOp: rma.Sum, minOp: rma.Min, maxOp: rma.Max, andOp: rma.And, orOp: rma.Or, xorOp: rma.Xor, replaceOp: rma.Replace, noOp: rma.Meet,
}

// wordReduction returns how words are changed by an operation, false if not at once.
func (w *window) wordReduction(op opID) (rma.Reduction, bool) {
	r, known := wordReductions[op]
	return r, known && (w.kind.isSigned() || r != rma.Min && r != rma.Max)
}

// changeWords starts to change the elements of a rank that a layout names. data has the
// operands, but with NoOp. whole is the request that wants what was there; nil if nobody
// does.
func (w *window) changeWords(call string, p *peer, at int, there Layout, data []byte, op opID, whole *Request) error {
	next := cursor{layout: there}
	for i := range there.Elements() {
		if err := w.makeRoom(call); err != nil {
			return err
		}
		var operand int64
		if op != noOp {
			operand = int64(binary.NativeEndian.Uint64(data[i*wordBytes:]))
		}
		var was *int64
		if whole != nil {
			was = wordOf(whole.data[i*wordBytes:])
		}
		place := p.address((at + next.rest().At) * wordBytes)
		if err := w.changeWord(call, p, place, op, operand, was, whole); err != nil {
			return err
		}
		next.advance(1)
	}
	return nil
}

// changeWord starts to change an element. If that takes a loop it is done in the end.
func (w *window) changeWord(call string, p *peer, place rma.Address, op opID, operand int64, was *int64, whole *Request) error {
	reduction, atOnce := w.wordReduction(op)
	if !atOnce {
		old, err := w.swapInLoop(place, op, operand)
		if was != nil {
			*was = old
		}
		w.e.endPart(whole, nil)
		return w.fail(call, err)
	}
	change, err := w.e.atomics.FetchOp(place, reduction, operand, was)
	switch {
	case err != nil:
		return w.fail(call, err)
	case change == 0:
		w.e.endPart(whole, nil)
		return nil
	}
	r := w.newAccess(call, p, nil)
	r.pull, r.next = change, whole
	p.track(r)
	return nil
}

// swapInLoop changes a word by an operation that interfaces do not know, and returns what
// was there before. What this rank has started before on the word comes before it.
func (w *window) swapInLoop(place rma.Address, op opID, operand int64) (was int64, err error) {
	e := w.e
	read, err := e.atomics.FetchOp(place, rma.Meet, 0, &was)
	if err = e.endOp(read, err); err != nil {
		return 0, err
	}
	for apply := reducerOf(op, w.kind); ; {
		var pair [2]int64 // what is given, and what is there
		pair[0], pair[1] = operand, was
		both := memoryOf(pair[:])
		apply(both[:wordBytes], both[wordBytes:])
		var seen int64
		swap, err := e.atomics.CompareSwap(place, was, pair[1], &seen)
		if err = e.endOp(swap, err); err != nil || seen == was {
			return was, err
		}
		was = seen
	}
}

// fetchWords starts to change elements of which a request wants what was there.
func (w *window) fetchWords(r *Request, at int, there Layout, data []byte, op opID) error {
	p := r.access
	p.under++
	p.note()
	return w.changeWords(r.call, p, at, there, data, op, r)
}

// fetchWord changes one element, and waits for what was there before.
func (w *window) fetchWord(call string, p *peer, at int, op opID, operand []byte, was []byte) error {
	place := p.address(at * wordBytes)
	reduction, atOnce := w.wordReduction(op)
	if !atOnce {
		old, err := w.swapInLoop(place, op, *wordOf(operand))
		*wordOf(was) = old
		return w.fail(call, err)
	}
	change, err := w.e.atomics.FetchOp(place, reduction, *wordOf(operand), wordOf(was))
	return w.endFetch(call, p, change, err)
}

// swapWord replaces one element if it is the one expected, and waits for what was there.
func (w *window) swapWord(call string, p *peer, at int, expected, replacement, was []byte) error {
	change, err := w.e.atomics.CompareSwap(p.address(at*wordBytes), *wordOf(expected), *wordOf(replacement), wordOf(was))
	return w.endFetch(call, p, change, err)
}

// endFetch waits for the change of an element.
func (w *window) endFetch(call string, p *peer, change rma.Op, err error) error {
	if err != nil || change == 0 {
		return w.fail(call, err)
	}
	w.waits = Request{c: w.c, call: call, peer: p.process, access: p}
	w.e.awaited = &w.waits
	err = w.e.endOp(change, nil)
	w.e.awaited = nil
	return w.fail(call, err)
}

// endOp waits for an operation that has just been started, and makes progress while that is
// under way, rather than when it has come back.
func (e *engine) endOp(op rma.Op, err error) error {
	for done := op == 0; err == nil && !done; {
		if err = e.progress(); err == nil {
			err = e.p.Await(op)
		}
		if err == nil {
			done, err = e.p.Test(op)
		}
	}
	return err
}

// endPart notes that one of the words is there that a request wants; nil: nobody wants it.
func (e *engine) endPart(whole *Request, err error) {
	if whole == nil {
		return
	}
	if err != nil && whole.err == nil {
		whole.err = whole.c.fail(ErrOther, whole.call, err)
	}
	if whole.status.Bytes += wordBytes; whole.status.Bytes == len(whole.data) {
		whole.access.under--
		e.settle(whole, nil)
	}
}

// wordOf returns the word that memory begins with, which is aligned as elements are.
func wordOf(memory []byte) *int64 { return (*int64)(unsafe.Pointer(unsafe.SliceData(memory))) }

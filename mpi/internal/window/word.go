package window

import (
	"unsafe"

	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/reduction"
	"musubi/rma"
)

// Where all ranks of a window are rma.Atomics, the interfaces do operations on integers of 8 bytes:
// one operation for each element, or with rma.Accumulator or rma.Sequencer one request for consecutive
// elements. Every rank,
// the target included, then changes elements by these operations only, so that all operations on an
// element are atomic. The target need not make progress.

// wordBytes is the size of the elements that interfaces change.
const wordBytes = 8

// isOfWords reports whether elements are such integers.
func (w *Window) isOfWords() bool {
	return w.element == wordBytes && w.kind.IsWhole()
}

// mostTogether is how many words one request changes at most, so that makeRoom can limit what is
// under way.
const mostTogether = 1 << 15

// pageBytes is the size of the pages in one of which the words of a sequence lie.
const pageBytes = 4 << 10

// together returns how many consecutive words from a place on one request can change.
func (all *windows) together(place rma.Address) int {
	switch {
	case all.accumulator != nil:
		return mostTogether
	case all.sequencer != nil:
		return min(all.sequencer.LongestSequence(), (pageBytes-place.Offset%pageBytes)/wordBytes)
	}
	return 1
}

// changeWords starts to change the elements of a rank that a type names. data has the operands,
// unless op is NoOp. whole is the access that gets the old elements; nil: none.
func (w *Window) changeWords(call string, p *peer, at int, there *datatype.Type, data []byte, op reduction.ID, whole *access) error {
	next := datatype.From(there)
	for done, all := 0, there.Size/wordBytes; done < all; {
		if err := w.makeRoom(call); err != nil {
			return err
		}
		run := next.Rest()
		n, place := 1, p.address(at*wordBytes+run.At)
		if _, atOnce := reduction.OnWord(op, w.kind); atOnce {
			n = min(run.Bytes/wordBytes, all-done, w.all.together(place))
		}
		var was []byte
		if whole != nil {
			was = whole.Data[done*wordBytes:][:n*wordBytes]
		}
		operands := was // if they do not matter
		if op != reduction.NoOpID || whole == nil {
			operands = data[done*wordBytes:][:n*wordBytes]
		}
		if err := w.changeRun(call, p, place, op, operands, was, whole); err != nil {
			return err
		}
		next.Advance(n * wordBytes)
		done += n
	}
	return nil
}

// changeRun starts to change consecutive elements by one request. An operation that interfaces do
// not have takes a loop: then it is one element, which is changed on return.
func (w *Window) changeRun(call string, p *peer, place rma.Address, op reduction.ID, operands, was []byte, whole *access) error {
	n := len(operands) / wordBytes
	by, atOnce := reduction.OnWord(op, w.kind)
	if !atOnce {
		old, err := w.swapInLoop(place, op, *wordOf(operands))
		if was != nil {
			*wordOf(was) = old
		}
		whole.endPart(n, nil)
		return w.fail(call, err)
	}
	change, err := w.startChange(place, by, operands, was)
	switch {
	case err != nil:
		return w.fail(call, err)
	case change == 0:
		whole.endPart(n, nil)
		return nil
	}
	r := w.newAccess(call, p, nil)
	r.Pull, r.whole, r.words = change, whole, n
	w.all.changing += n
	p.track(r)
	return nil
}

// startChange starts to change a word, or consecutive words that one request can change.
func (w *Window) startChange(place rma.Address, by rma.Reduction, operands, was []byte) (rma.Op, error) {
	switch {
	case len(operands) == wordBytes:
		return w.all.atomics.FetchOp(place, by, *wordOf(operands), wordOf(was))
	case w.all.accumulator != nil:
		return w.all.accumulator.Accumulate(place, by, wordsOf(operands), wordsOf(was))
	}
	list := w.all.sequence[:0]
	for i, operand := range wordsOf(operands) {
		change := rma.Change{At: place, Reduction: by, Operand: operand}
		if was != nil {
			change.Was = &wordsOf(was)[i]
		}
		list = append(list, change)
		place.Offset += wordBytes
	}
	w.all.sequence = list
	return w.all.sequencer.Sequence(list)
}

// swapInLoop changes a word by an operation that interfaces do not have: it compares and swaps until
// no other change comes in between. It returns the old word. Earlier operations of this rank on the
// word take place before it.
func (w *Window) swapInLoop(place rma.Address, op reduction.ID, operand int64) (was int64, err error) {
	read, err := w.all.atomics.FetchOp(place, rma.NoOp, 0, &was)
	if err = w.endOp(read, err); err != nil {
		return 0, err
	}
	for apply := reduction.Of(op, w.kind); ; {
		var pair [2]int64 // operand, and the word
		pair[0], pair[1] = operand, was
		both := elements.Memory(pair[:])
		apply(both[:wordBytes], both[wordBytes:])
		var seen int64
		swap, err := w.all.atomics.CompareSwap(place, was, pair[1], &seen)
		if err = w.endOp(swap, err); err != nil || seen == was {
			return was, err
		}
		was = seen
	}
}

// fetchWords starts to change elements, whose old values an access gets.
func (w *Window) fetchWords(r *access, at int, there *datatype.Type, data []byte, op reduction.ID) error {
	p := r.p
	p.pending++
	p.markBusy()
	return w.changeWords(r.Call, p, at, there, data, op, r)
}

// fetchWord changes one element, and waits for the old one.
func (w *Window) fetchWord(call string, p *peer, at int, op reduction.ID, operand []byte, was []byte) error {
	place := p.address(at * wordBytes)
	by, atOnce := reduction.OnWord(op, w.kind)
	if !atOnce {
		old, err := w.swapInLoop(place, op, *wordOf(operand))
		*wordOf(was) = old
		return w.fail(call, err)
	}
	change, err := w.all.atomics.FetchOp(place, by, *wordOf(operand), wordOf(was))
	if change == 0 && err == nil { // done at once: a call less where it is all that is done
		return nil
	}
	return w.endFetch(call, p, change, err)
}

// swapWord replaces one element if it is the expected one, and waits for the old one.
func (w *Window) swapWord(call string, p *peer, at int, expected, replacement, was []byte) error {
	change, err := w.all.atomics.CompareSwap(p.address(at*wordBytes), *wordOf(expected), *wordOf(replacement), wordOf(was))
	if change == 0 && err == nil {
		return nil
	}
	return w.endFetch(call, p, change, err)
}

// endFetch waits for the change of an element.
func (w *Window) endFetch(call string, p *peer, change rma.Op, err error) error {
	if err != nil {
		return w.fail(call, err)
	}
	w.e.Waiting.Awaited = w.waitsFor(call, p)
	err = w.endOp(change, nil)
	w.e.Waiting.Awaited = nil
	return w.fail(call, err)
}

// endOp waits for an operation that has just been started. It makes progress before it waits, while
// the operation is under way, rather than afterwards.
func (w *Window) endOp(op rma.Op, err error) error {
	e := w.e
	for done := op == 0; err == nil && !done; {
		if err = e.Progress(); err == nil {
			err = e.Await(op)
		}
		if err == nil {
			done, err = e.Process.Test(op)
		}
	}
	return err
}

// wordOf returns the word at the beginning of memory, which is aligned to its elements; nil of nil.
func wordOf(memory []byte) *int64 { return (*int64)(unsafe.Pointer(unsafe.SliceData(memory))) }

// wordsOf returns memory, which is aligned to its elements, as words.
func wordsOf(memory []byte) []int64 {
	return unsafe.Slice(wordOf(memory), len(memory)/wordBytes)
}

package host

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"musubi/rma"
)

// Word is what is to be made of a word of memory, for operations of kind change.
type Word struct {
	Swap              bool // the operand takes its place if it is the one expected
	Reduction         rma.Reduction
	Operand, Expected int64
	Was               *int64 // gets what was there before; may be nil
}

// Step is a change of a word at an offset in a segment, one of several.
type Step struct {
	At   int
	Word Word
}

// Of returns what becomes of a word.
func (w *Word) Of(old int64) int64 {
	switch {
	case !w.Swap:
		return w.Reduction.Apply(old, w.Operand)
	case old == w.Expected:
		return w.Operand
	}
	return old
}

// Atomics is what interfaces that change words of memory add to a rank.
type Atomics struct{ r *Process }

// AtomicsOf returns what is added to a rank.
func AtomicsOf(r *Process) Atomics { return Atomics{r} }

// FetchOp implements rma.Atomics.
func (a Atomics) FetchOp(at rma.Address, r rma.Reduction, operand int64, was *int64) (rma.Op, error) {
	if r > rma.Replace {
		return 0, fmt.Errorf("rma: %v of a word; expected %v to %v", r, rma.NoOp, rma.Replace)
	}
	return a.change(at, Word{Reduction: r, Operand: operand, Was: was})
}

// CompareSwap implements rma.Atomics.
func (a Atomics) CompareSwap(at rma.Address, expected, replacement int64, was *int64) (rma.Op, error) {
	return a.change(at, Word{Swap: true, Operand: replacement, Expected: expected, Was: was})
}

func (a Atomics) change(at rma.Address, w Word) (rma.Op, error) {
	q := a.r.ask(Change, at.Rank)
	q.Address, q.details = at, &details{word: w}
	return a.r.start()
}

// Sequence starts changes of words in the segment of an address, which is that of the first. The
// caller has checked them.
func (r *Process) Sequence(first rma.Address, steps []Step) (rma.Op, error) {
	q := r.ask(Sequence, first.Rank)
	q.Address, q.details = first, &details{steps: steps}
	return r.start()
}

// Word returns a word of exposed memory.
func (r *Process) Word(a rma.Address) ([]byte, error) {
	const bytes = 8
	memory, err := r.Memory(a, bytes)
	if err != nil {
		return nil, err
	}
	if a.Offset%bytes != 0 || uintptr(unsafe.Pointer(unsafe.SliceData(memory)))%bytes != 0 {
		return nil, fmt.Errorf("rma: change of a word at %v; expected an offset and memory that are multiples of %d bytes", a, bytes)
	}
	return memory, nil
}

// Change changes a word of this rank's memory, and returns what was there before.
func (r *Process) Change(a rma.Address, w *Word) (int64, error) {
	memory, err := r.Word(a)
	if err != nil {
		return 0, err
	}
	old := int64(binary.NativeEndian.Uint64(memory))
	binary.NativeEndian.PutUint64(memory, uint64(w.Of(old)))
	r.Touched()
	return old, nil
}

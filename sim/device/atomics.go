package device

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"musubi/rma"
)

// word is what is to be made of a word of memory, for operations of kind change.
type word struct {
	swap              bool // the operand takes its place if it is the one expected
	reduction         rma.Reduction
	operand, expected int64
	was               *int64 // gets what was there before; may be nil
}

// of returns what becomes of a word.
func (w *word) of(old int64) int64 {
	switch {
	case !w.swap:
		return w.reduction.Apply(old, w.operand)
	case old == w.expected:
		return w.operand
	}
	return old
}

// atomics is what interfaces that change words of memory add to a rank.
type atomics struct{ r *rank }

// The kinds of ranks that have that.
type (
	atomicRank struct {
		*rank
		atomics
	}
	atomicCommander struct {
		*commander
		atomics
	}
	atomicCollector struct {
		*collector
		atomics
	}
)

var (
	_ rma.Atomics   = atomicRank{}
	_ rma.Commander = atomicCommander{}
	_ rma.Collector = atomicCollector{}
)

// FetchOp implements rma.Atomics.
func (a atomics) FetchOp(at rma.Address, r rma.Reduction, operand int64, was *int64) (rma.Op, error) {
	if r > rma.Replace {
		return 0, fmt.Errorf("rma: %v of a word; expected %v to %v", r, rma.NoOp, rma.Replace)
	}
	return a.change(at, word{reduction: r, operand: operand, was: was})
}

// CompareSwap implements rma.Atomics.
func (a atomics) CompareSwap(at rma.Address, expected, replacement int64, was *int64) (rma.Op, error) {
	return a.change(at, word{swap: true, operand: replacement, expected: expected, was: was})
}

func (a atomics) change(at rma.Address, w word) (rma.Op, error) {
	return a.r.start(request{kind: change, target: int32(at.Rank), address: at, word: w})
}

// word returns a word of exposed memory.
func (r *rank) word(a rma.Address) ([]byte, error) {
	const bytes = 8
	memory, err := r.segment(a, bytes)
	if err != nil {
		return nil, err
	}
	if a.Offset%bytes != 0 || uintptr(unsafe.Pointer(unsafe.SliceData(memory)))%bytes != 0 {
		return nil, fmt.Errorf("rma: change of a word at %v; expected an offset and memory that are multiples of %d bytes", a, bytes)
	}
	return memory, nil
}

// change changes a word of this rank's memory, and returns what was there before.
func (r *rank) change(a rma.Address, w *word) (int64, error) {
	memory, err := r.word(a)
	if err != nil {
		return 0, err
	}
	old := int64(binary.NativeEndian.Uint64(memory))
	binary.NativeEndian.PutUint64(memory, uint64(w.of(old)))
	r.touched()
	return old, nil
}

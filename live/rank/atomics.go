package rank

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"musubi/live/wire"
	"musubi/onesided"
	"musubi/rma"
)

// Words are changed by instructions of a processor that are atomic, whoever asks for it:
// in a window of a rank that shares memory, by the processor of the one who asks, at once;
// in other memory, and for ranks of other groups, by that of the owner, when it takes the
// record or packet that asks for it, or beside it (attend.go). So all of them agree on the word.

var _ rma.Atomics = (*Rank)(nil)

// FetchOp implements rma.Atomics.
func (r *Rank) FetchOp(at rma.Address, by rma.Reduction, operand int64, was *int64) (rma.Op, error) {
	if by > rma.Replace {
		return 0, fmt.Errorf("rma: FetchOp by %v; expected %v to %v", by, rma.NoOp, rma.Replace)
	}
	return r.modify(at, onesided.Atomic{Reduction: by, Operand: operand}, was)
}

// CompareSwap implements rma.Atomics.
func (r *Rank) CompareSwap(at rma.Address, expected, replacement int64, was *int64) (rma.Op, error) {
	return r.modify(at, onesided.Atomic{Compare: true, Expected: expected, Operand: replacement}, was)
}

// modify starts to change a word. A program may do so again and again until another rank
// has changed it, which is to wait; so failures of the job end that, too, and what others
// want is done meanwhile.
func (r *Rank) modify(at rma.Address, change onesided.Atomic, was *int64) (rma.Op, error) {
	if err := r.checkRank(at.Rank); err != nil {
		return 0, err
	}
	if err := r.failed(0); err != nil {
		return 0, err
	}
	found, done := r.modifyDirect(at, &change)
	if !done && at.Rank == r.number {
		var refused wire.Report
		r.progressAtTimes()
		if found, refused = r.modifyOwn(at.Segment, uint64(at.Offset), &change); refused.Code != 0 {
			return 0, refused.Explain(at, onesided.WordSize)
		}
		done = true
	}
	if !done {
		return r.askToModify(at, &change, was), nil
	}
	if was != nil {
		*was = found
	}
	return 0, nil
}

// askToModify lets the owner of a word change it.
func (r *sender) askToModify(at rma.Address, change *onesided.Atomic, was *int64) rma.Op {
	answer := r.unwanted[:]
	if was != nil {
		answer = unsafe.Slice((*byte)(unsafe.Pointer(was)), onesided.WordSize)
	}
	op := r.begin(
		operation{at: at, bytes: onesided.WordSize, memory: answer, answers: true, left: onesided.WordSize},
		wire.Transfer{Kind: wire.Modify, Segment: wire.SegmentNumber(at.Segment), Offset: at.Offset, Target: change.Append(r.change[:0])})
	r.out[at.Rank].asked = op
	return op
}

// modifyDirect changes a word in a window, and reports whether it has. It must not come
// before what this rank has asked the owner for.
func (r *Rank) modifyDirect(at rma.Address, change *onesided.Atomic) (was int64, done bool) {
	if r.isUnderWay(r.out[at.Rank].asked) {
		return 0, false
	}
	window := r.enter(at.Rank, at.Segment)
	if window == nil {
		return 0, false
	}
	word, refused := wordIn(window, uint64(at.Offset))
	if refused.Code == 0 {
		was = modifyWord(word, change)
	}
	r.leave(at.Rank, at.Segment, refused.Code == 0)
	return was, refused.Code == 0
}

// modifyOwn changes a word of this rank.
func (r *memory) modifyOwn(number int, offset uint64, change *onesided.Atomic) (was int64, refused wire.Report) {
	if !r.isExposed(number) {
		return 0, wire.Report{Code: wire.NotExposed}
	}
	word, refused := wordIn(r.segments[number].memory, offset)
	if refused.Code == 0 {
		was = modifyWord(word, change)
		r.pushes++
	}
	return was, refused
}

// wordIn returns the word at an offset of a segment.
func wordIn(memory []byte, offset uint64) (*int64, wire.Report) {
	place, refused := within(memory, offset, onesided.WordSize, &contiguous)
	if refused.Code != 0 {
		return nil, refused
	}
	return firstWord(place, offset)
}

// wordsIn returns the words from an offset of a segment on, of some bytes together.
func wordsIn(memory []byte, offset, bytes uint64) ([]int64, wire.Report) {
	place, refused := within(memory, offset, bytes, &contiguous)
	if refused.Code != 0 {
		return nil, refused
	}
	first, refused := firstWord(place, offset)
	if refused.Code != 0 {
		return nil, refused
	}
	return unsafe.Slice(first, bytes/onesided.WordSize), wire.Report{}
}

// firstWord returns the word that a place at an offset of a segment begins with.
func firstWord(place []byte, offset uint64) (*int64, wire.Report) {
	word := unsafe.Pointer(unsafe.SliceData(place))
	if uintptr(word)%onesided.WordSize != 0 || offset%onesided.WordSize != 0 {
		return nil, wire.Report{Code: wire.NoWord}
	}
	return (*int64)(word), wire.Report{}
}

// modifyWord changes a word at one moment, and returns what it was before.
func modifyWord(word *int64, change *onesided.Atomic) int64 {
	switch change.Reduction {
	case onesided.Sum:
		return atomic.AddInt64(word, change.Operand) - change.Operand
	case onesided.Replace:
		return atomic.SwapInt64(word, change.Operand)
	}
	for {
		was := atomic.LoadInt64(word)
		next := change.Apply(was)
		if next == was || atomic.CompareAndSwapInt64(word, was, next) {
			return was
		}
	}
}

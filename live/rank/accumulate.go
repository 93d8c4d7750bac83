package rank

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"musubi/live/wire"
	"musubi/onesided"
	"musubi/rma"
)

// Many words are changed as single ones are, by the processor of whoever reaches them; but
// one request carries all operands, as a push carries its data, and answers bring back what
// the words were, part by part.

var _ rma.Accumulator = (*Rank)(nil)

// Accumulate implements rma.Accumulator.
func (r *Rank) Accumulate(at rma.Address, by rma.Reduction, operands, was []int64) (rma.Op, error) {
	switch {
	case by > rma.Replace:
		return 0, fmt.Errorf("rma: Accumulate by %v; expected %v to %v", by, rma.NoOp, rma.Replace)
	case was != nil && len(was) != len(operands):
		return 0, fmt.Errorf("rma: Accumulate of %d operands with room for %d words; expected as many, or none", len(operands), len(was))
	}
	if err := r.checkRank(at.Rank); err != nil {
		return 0, err
	}
	if err := r.failed(0); err != nil || len(operands) == 0 {
		return 0, err
	}
	change := wire.Combination{By: by, Wants: was != nil}
	given, found := bytesOf(operands), bytesOf(was)
	if r.accumulateDirect(at, change.By, given, found) {
		return 0, nil
	}
	if at.Rank == r.number {
		return 0, r.accumulateOwn(at, change.By, given, found)
	}
	return r.askToAccumulate(at, change, given, found), nil
}

// bytesOf returns the memory of words.
func bytesOf(words []int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), onesided.WordSize*len(words))
}

// accumulateDirect changes words of a window, and reports whether it has. It must not come
// before what this rank has asked the owner for.
func (r *Rank) accumulateDirect(at rma.Address, by onesided.Reduction, operands, was []byte) bool {
	if r.isUnderWay(r.out[at.Rank].asked) {
		return false
	}
	window := r.enter(at.Rank, at.Segment)
	if window == nil {
		return false
	}
	words, refused := wordsIn(window, uint64(at.Offset), uint64(len(operands)))
	if refused.Code == 0 {
		modifyWords(words, by, operands, was)
	}
	r.leave(at.Rank, at.Segment, refused.Code == 0)
	return refused.Code == 0
}

// accumulateOwn changes words of this rank.
func (r *Rank) accumulateOwn(at rma.Address, by onesided.Reduction, operands, was []byte) error {
	r.progressAtTimes()
	words, refused := r.ownWords(at.Segment, uint64(at.Offset), uint64(len(operands)))
	if refused.Code != 0 {
		return refused.Explain(at, len(operands))
	}
	modifyWords(words, by, operands, was)
	r.pushes++
	return nil
}

// askToAccumulate lets the owner of words change them.
func (r *sender) askToAccumulate(at rma.Address, change wire.Combination, operands, was []byte) rma.Op {
	e := operation{at: at, bytes: len(operands), memory: was, answers: true, left: len(was)}
	if !change.Wants {
		e.silent, e.left = true, 1
	}
	op := r.begin(e, wire.Transfer{
		Kind: wire.Accumulate, Segment: wire.SegmentNumber(at.Segment), Offset: at.Offset,
		Data: operands, Fleeting: true, Total: len(operands), Change: change,
	})
	r.out[at.Rank].asked = op
	return op
}

// ownWords returns words of a segment of this rank, of some bytes together.
func (r *memory) ownWords(number int, offset, bytes uint64) ([]int64, wire.Report) {
	if !r.isExposed(number) {
		return nil, wire.Report{Code: wire.NotExposed}
	}
	return wordsIn(r.segments[number].memory, offset, bytes)
}

// modifyWords changes words, each at one moment, by operands that follow each other. What
// they were goes to was, if that is not nil, which may be the operands.
func modifyWords(words []int64, by onesided.Reduction, operands, was []byte) {
	change := onesided.Atomic{Reduction: by}
	for i := range words {
		change.Operand = wordAt(operands, i)
		found := modifyWord(&words[i], &change)
		if was != nil {
			putWord(was, i, found)
		}
	}
}

// wordAt returns an operand.
func wordAt(b []byte, i int) int64 { return int64(binary.NativeEndian.Uint64(b[i*onesided.WordSize:])) }

func putWord(b []byte, i int, word int64) {
	binary.NativeEndian.PutUint64(b[i*onesided.WordSize:], uint64(word))
}

package onesided

import (
	"encoding/binary"
	"fmt"
)

// WordSize is the size in bytes of the words of atomic operations.
const WordSize = 8

// Sizes of an encoded Atomic in bytes: operand and reduction, or expected word and replacement. The
// length tells the two apart.
const (
	FetchOpBytes     = WordSize + 2
	CompareSwapBytes = 2 * WordSize
)

// Atomic is an atomic operation on a word, as the arithmetic unit of an interface does it.
type Atomic struct {
	Compare   bool      // compare and swap; else fetch and operate
	Reduction Reduction // of fetch and operate
	Operand   int64     // operand of fetch and operate; otherwise the replacement of Expected
	Expected  int64     // of compare and swap
}

// Apply returns the new value of a word.
func (a *Atomic) Apply(word int64) int64 {
	switch {
	case !a.Compare:
		return a.Reduction.Apply(word, a.Operand)
	case word == a.Expected:
		return a.Operand
	}
	return word
}

// Append appends the operation to b in the encoding of packets.
func (a *Atomic) Append(b []byte) []byte {
	if a.Compare {
		b = binary.LittleEndian.AppendUint64(b, uint64(a.Expected))
		return binary.LittleEndian.AppendUint64(b, uint64(a.Operand))
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(a.Operand))
	return binary.LittleEndian.AppendUint16(b, uint16(a.Reduction))
}

// ParseAtomic reads an operation that takes all of b. It fails if b has neither of the two lengths,
// or if the reduction is unknown.
func ParseAtomic(b []byte) (Atomic, error) {
	switch len(b) {
	case FetchOpBytes:
		r := binary.LittleEndian.Uint16(b[WordSize:])
		if r > uint16(Replace) {
			return Atomic{}, fmt.Errorf("reduction %d; expected 0 to %d", r, uint8(Replace))
		}
		return Atomic{Reduction: Reduction(r), Operand: wordOf(b)}, nil
	case CompareSwapBytes:
		return Atomic{Compare: true, Expected: wordOf(b), Operand: wordOf(b[WordSize:])}, nil
	}
	return Atomic{}, fmt.Errorf("atomic operation of %d bytes; expected %d or %d", len(b), FetchOpBytes, CompareSwapBytes)
}

func wordOf(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }

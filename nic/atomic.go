package nic

import (
	"encoding/binary"
	"fmt"
)

// WordSize is the size in bytes of what atomic operations change.
const WordSize = 8

// Bytes of data of atomic operations: operand and reduction; what is expected and what is
// to take its place.
const (
	fetchOpBytes     = WordSize + 2
	compareSwapBytes = 2 * WordSize
)

// Atomic is an atomic operation on a word, as the arithmetic unit of an interface does it.
type Atomic struct {
	Compare   bool      // compare and swap; else fetch and operate
	Reduction Reduction // of fetch and operate
	Operand   int64     // of fetch and operate; else what takes the place of Expected
	Expected  int64     // of compare and swap
}

// Type returns the type of packets with such an operation.
func (a *Atomic) Type() MemoryType {
	if a.Compare {
		return MemoryCompareSwap
	}
	return MemoryFetchOp
}

// Apply returns what the operation makes of a word.
func (a *Atomic) Apply(word int64) int64 {
	switch {
	case !a.Compare:
		return a.Reduction.apply(word, a.Operand)
	case word == a.Expected:
		return a.Operand
	}
	return word
}

// Append appends the operation to b as a packet carries it.
func (a *Atomic) Append(b []byte) []byte {
	if a.Compare {
		b = binary.LittleEndian.AppendUint64(b, uint64(a.Expected))
		return binary.LittleEndian.AppendUint64(b, uint64(a.Operand))
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(a.Operand))
	return binary.LittleEndian.AppendUint16(b, uint16(a.Reduction))
}

// ParseAtomic reads the operation of a packet. It fails if the packet has none, or one that
// is not known.
func ParseAtomic(t MemoryType, data []byte) (Atomic, error) {
	switch {
	case t == MemoryFetchOp && len(data) == fetchOpBytes:
		r := binary.LittleEndian.Uint16(data[WordSize:])
		if r > uint16(ReduceReplace) {
			return Atomic{}, fmt.Errorf("nic: %v with reduction %d; expected 0 to %d", t, r, uint8(ReduceReplace))
		}
		return Atomic{Reduction: Reduction(r), Operand: wordOf(data)}, nil
	case t == MemoryCompareSwap && len(data) == compareSwapBytes:
		return Atomic{Compare: true, Expected: wordOf(data), Operand: wordOf(data[WordSize:])}, nil
	}
	return Atomic{}, fmt.Errorf("nic: %v with %d bytes of data; expected %d in a %v or %d in a %v", t, len(data), fetchOpBytes, MemoryFetchOp, compareSwapBytes, MemoryCompareSwap)
}

func wordOf(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }

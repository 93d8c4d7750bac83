package wire

import (
	"fmt"
	"musubi/onesided"
)

// Combination is what is to be done to many words.
type Combination struct {
	By    onesided.Reduction
	Wants bool // what the words were
}

// WantsBit says that what the words were is wanted, in an encoded Combination; the bits below are
// the reduction.
const WantsBit = 1 << 8

// Encode returns the combination as it travels.
func (c Combination) Encode() uint64 {
	if c.Wants {
		return uint64(c.By) | WantsBit
	}
	return uint64(c.By)
}

// DecodeCombination reads a combination. It fails if there is no such.
func DecodeCombination(b uint64) (Combination, error) {
	c := Combination{By: onesided.Reduction(b), Wants: b&WantsBit != 0}
	if c.By > onesided.Replace || c.Encode() != b {
		return Combination{}, fmt.Errorf("combination %#x; expected a reduction, 0 to %d", b, onesided.Replace)
	}
	return c, nil
}

// WholeWords returns how many of n bytes are in whole words.
func WholeWords(n int) int { return n &^ (onesided.WordSize - 1) }

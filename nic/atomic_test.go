package nic

import (
	"math"
	"testing"
)

func TestAtomicApply(t *testing.T) {
	for _, test := range []struct {
		name   string
		atomic Atomic
		word   int64
		want   int64
	}{
		{"nothing", Atomic{Reduction: ReduceNothing, Operand: 5}, 3, 3},
		{"sum that wraps round", Atomic{Reduction: ReduceSum, Operand: 1}, math.MaxInt64, math.MinInt64},
		{"replace", Atomic{Reduction: ReduceReplace, Operand: 5}, 3, 5},
		{"swap", Atomic{Compare: true, Expected: 3, Operand: 5}, 3, 5},
		{"no swap", Atomic{Compare: true, Expected: 4, Operand: 5}, 3, 3},
	} {
		if got := test.atomic.Apply(test.word); got != test.want {
			t.Errorf("%s: %d became %d; expected %d", test.name, test.word, got, test.want)
		}
		data := test.atomic.Append(nil)
		if got, err := ParseAtomic(test.atomic.Type(), data); err != nil || got != test.atomic {
			t.Errorf("%s: %+v came back as %+v, error %v", test.name, test.atomic, got, err)
		}
	}
}

package onesided

import (
	"math"
	"math/big"
	"musubi/internal/check"
	"testing"

	"pgregory.net/rapid"
)

func TestAtomicApply(t *testing.T) {
	for _, test := range []struct {
		name   string
		atomic Atomic
		word   int64
		want   int64
	}{
		{"nothing", Atomic{Reduction: NoOp, Operand: 5}, 3, 3},
		{"sum that wraps round", Atomic{Reduction: Sum, Operand: 1}, math.MaxInt64, math.MinInt64},
		{"min", Atomic{Reduction: Min, Operand: -1}, 0, -1},
		{"max", Atomic{Reduction: Max, Operand: -1}, 0, 0},
		{"and", Atomic{Reduction: And, Operand: 6}, 3, 2},
		{"or", Atomic{Reduction: Or, Operand: 6}, 3, 7},
		{"xor", Atomic{Reduction: Xor, Operand: 6}, 3, 5},
		{"replace", Atomic{Reduction: Replace, Operand: 5}, 3, 5},
		{"swap", Atomic{Compare: true, Expected: 3, Operand: 5}, 3, 5},
		{"no swap", Atomic{Compare: true, Expected: 4, Operand: 5}, 3, 3},
	} {
		if got := test.atomic.Apply(test.word); got != test.want {
			t.Errorf("%s: %d became %d; expected %d", test.name, test.word, got, test.want)
		}
	}
}

// naiveApply computes with numbers of any size, and takes the lower 64 bits.
func naiveApply(a Atomic, word int64) int64 {
	x, y := big.NewInt(word), big.NewInt(a.Operand)
	switch {
	case a.Compare && x.Cmp(big.NewInt(a.Expected)) != 0, !a.Compare && a.Reduction == NoOp:
		y = x
	case a.Compare, a.Reduction == Replace:
	case a.Reduction == Sum:
		y.Add(x, y)
	case a.Reduction == Min && x.Cmp(y) < 0, a.Reduction == Max && x.Cmp(y) > 0:
		y = x
	case a.Reduction == And:
		y.And(x, y)
	case a.Reduction == Or:
		y.Or(x, y)
	case a.Reduction == Xor:
		y.Xor(x, y)
	}
	low := new(big.Int).And(y, new(big.Int).SetUint64(math.MaxUint64))
	return int64(low.Uint64())
}

// drawWord draws a word, often one at a limit or a small one.
func drawWord(t *rapid.T, name string) int64 {
	limits := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64}
	return rapid.OneOf(rapid.SampledFrom(limits), rapid.Int64Range(-3, 3), rapid.Int64()).Draw(t, name)
}

func drawAtomic(t *rapid.T) Atomic {
	if rapid.Bool().Draw(t, "compare") {
		return Atomic{Compare: true, Expected: drawWord(t, "expected"), Operand: drawWord(t, "replacement")}
	}
	reduction := Reduction(rapid.IntRange(int(NoOp), int(Replace)).Draw(t, "reduction"))
	return Atomic{Reduction: reduction, Operand: drawWord(t, "operand")}
}

func TestAtomicsAgreeWithNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, word := drawAtomic(t), drawWord(t, "word")
		if got, want := a.Apply(word), naiveApply(a, word); got != want {
			t.Fatalf("%+v makes %d of %d; expected %d", a, got, word, want)
		}
		data := a.Append(nil)
		if got, err := ParseAtomic(data); err != nil || got != a {
			t.Fatalf("%+v came back as %+v, error %v", a, got, err)
		}
	})
}

func TestParseAtomicErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		data []byte
		err  string
	}{
		{"short", make([]byte, 9), "atomic operation of 9 bytes; expected 10 or 16"},
		{"long", make([]byte, 17), "atomic operation of 17 bytes; expected 10 or 16"},
		{"reduction beyond the last", []byte{8: byte(Replace) + 1, 9: 0}, "reduction 8; expected 0 to 7"},
		{"reduction of two bytes", []byte{9: 1}, "reduction 256; expected 0 to 7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseAtomic(test.data)
			check.Error(t, err, test.err)
		})
	}
}

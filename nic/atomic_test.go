package nic

import (
	"math"
	"math/big"
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
		{"nothing", Atomic{Reduction: ReduceNothing, Operand: 5}, 3, 3},
		{"sum that wraps round", Atomic{Reduction: ReduceSum, Operand: 1}, math.MaxInt64, math.MinInt64},
		{"min", Atomic{Reduction: ReduceMin, Operand: -1}, 0, -1},
		{"max", Atomic{Reduction: ReduceMax, Operand: -1}, 0, 0},
		{"and", Atomic{Reduction: ReduceAnd, Operand: 6}, 3, 2},
		{"or", Atomic{Reduction: ReduceOr, Operand: 6}, 3, 7},
		{"xor", Atomic{Reduction: ReduceXor, Operand: 6}, 3, 5},
		{"replace", Atomic{Reduction: ReduceReplace, Operand: 5}, 3, 5},
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
	case a.Compare && x.Cmp(big.NewInt(a.Expected)) != 0, !a.Compare && a.Reduction == ReduceNothing:
		y = x
	case a.Compare, a.Reduction == ReduceReplace:
	case a.Reduction == ReduceSum:
		y.Add(x, y)
	case a.Reduction == ReduceMin && x.Cmp(y) < 0, a.Reduction == ReduceMax && x.Cmp(y) > 0:
		y = x
	case a.Reduction == ReduceAnd:
		y.And(x, y)
	case a.Reduction == ReduceOr:
		y.Or(x, y)
	case a.Reduction == ReduceXor:
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
	reduction := Reduction(rapid.IntRange(int(ReduceNothing), int(ReduceReplace)).Draw(t, "reduction"))
	return Atomic{Reduction: reduction, Operand: drawWord(t, "operand")}
}

func TestAtomicsAgreeWithNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, word := drawAtomic(t), drawWord(t, "word")
		if got, want := a.Apply(word), naiveApply(a, word); got != want {
			t.Fatalf("%+v makes %d of %d; expected %d", a, got, word, want)
		}
		data := a.Append(nil)
		h := MemoryHeader{Type: a.Type(), Size: len(data)}
		if err := h.Check(); err != nil {
			t.Fatal(err)
		}
		if got, err := ParseAtomic(h.Type, data); err != nil || got != a {
			t.Fatalf("%+v came back as %+v, error %v", a, got, err)
		}
	})
}

func TestParseAtomicErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		of   MemoryType
		data []byte
		err  string
	}{
		{"short", MemoryFetchOp, make([]byte, 9), "fetch-and-op with 9 bytes of data; expected 10 in a fetch-and-op or 16 in a compare-and-swap"},
		{"long", MemoryCompareSwap, make([]byte, 17), "compare-and-swap with 17 bytes of data"},
		{"no atomic", MemoryWrite, make([]byte, 16), "write with 16 bytes of data"},
		{"reduction of barriers only", MemoryFetchOp, []byte{8: byte(ReduceConflict), 9: 0}, "fetch-and-op with reduction 8; expected 0 to 7"},
		{"unknown reduction", MemoryFetchOp, []byte{9: 1}, "fetch-and-op with reduction 256; expected 0 to 7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseAtomic(test.of, test.data)
			checkError(t, err, test.err)
		})
	}
}

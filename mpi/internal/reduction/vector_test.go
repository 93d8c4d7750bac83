package reduction

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"musubi/mpi/internal/elements"
)

// TestVectorsDoWhatLoopsDo: functions of the table, which may use vector instructions, give the same
// bytes as the loops, for any number of elements that begin anywhere, and touch nothing behind them.
func TestVectorsDoWhatLoopsDo(t *testing.T) {
	checkInteger[int8](t)
	checkInteger[uint8](t)
	checkInteger[int16](t)
	checkInteger[uint16](t)
	checkInteger[int32](t)
	checkInteger[uint32](t)
	checkInteger[int64](t)
	checkInteger[uint64](t)
	checkInteger[int](t)
	checkInteger[uint](t)
	number := func(rng *rand.Rand) float64 { return rng.NormFloat64() * 1e10 }
	checkLoop(t, SumID, Sum[float64], number)
	checkLoop(t, SumID, Sum[float32], func(rng *rand.Rand) float32 { return float32(number(rng)) })
	checkLoop(t, ProductID, Product[float64], number)
	checkLoop(t, ProductID, Product[float32], func(rng *rand.Rand) float32 { return float32(number(rng)) })
	checkReal(t, math.Float64frombits(0x7ff4000000000123))
	checkReal(t, math.Float32frombits(0x7fa00123))
	complexNumber := func(rng *rand.Rand) complex128 { return complex(number(rng), number(rng)) }
	checkLoop(t, SumID, Sum[complex128], complexNumber)
	checkLoop(t, SumID, Sum[complex64], func(rng *rand.Rand) complex64 { return complex64(complexNumber(rng)) })
	truth := func(rng *rand.Rand) bool { return rng.IntN(2) == 1 }
	checkLoop(t, LogicalAndID, LogicalAnd[bool], truth)
	checkLoop(t, LogicalOrID, LogicalOr[bool], truth)
	checkLoop(t, LogicalXorID, LogicalXor[bool], truth)
}

func checkInteger[T Integer](t *testing.T) {
	random := func(rng *rand.Rand) T { return T(rng.Uint64()) }
	checkLoop(t, SumID, Sum[T], random)
	checkLoop(t, AndID, And[T], random)
	checkLoop(t, OrID, Or[T], random)
	checkLoop(t, XorID, Xor[T], random)
	checkLoop(t, MinID, Min[T], random)
	checkLoop(t, MaxID, Max[T], random)
}

// checkReal also combines zeros of both signs, infinities, equal numbers, and what is no number, with several bits.
func checkReal[T float32 | float64](t *testing.T, other T) {
	special := []T{0, -1 / T(math.Inf(1)), T(math.Inf(1)), T(math.Inf(-1)), T(math.NaN()), other, -other, 1, -1}
	random := func(rng *rand.Rand) T {
		if rng.IntN(3) > 0 {
			return special[rng.IntN(len(special))]
		}
		return T(rng.NormFloat64())
	}
	checkLoop(t, MinID, Min[T], random)
	checkLoop(t, MaxID, Max[T], random)
}

func checkLoop[T any](t *testing.T, id ID, loop func(in, inout []T), random func(*rand.Rand) T) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(id), uint64(unsafe.Sizeof(random(rand.New(rand.NewPCG(1, 1)))))))
	for n := range 200 {
		begin, in, got := rng.IntN(5), make([]T, n+5), make([]T, n+10)
		for _, memory := range [][]T{in, got} {
			for i := range memory {
				memory[i] = random(rng)
			}
		}
		want := slices.Clone(got)
		loop(in[begin:][:n], want[begin:][:n])
		Of(id, kindOf[T]())(elements.Memory(in[begin:][:n]), elements.Memory(got[begin:][:n]))
		if !slices.Equal(elements.Memory(got), elements.Memory(want)) {
			t.Fatalf("operation %d of %d elements of %T: %v; expected %v", id, n, in[0], got, want)
		}
	}
}

func BenchmarkCombine(b *testing.B) {
	for _, kind := range []struct {
		name    string
		combine function
	}{
		{"sum/uint8", Of(SumID, kindOf[uint8]())}, {"sum/float32", Of(SumID, kindOf[float32]())}, {"sum/float64", Of(SumID, kindOf[float64]())},
		{"max/float64", Of(MaxID, kindOf[float64]())}, {"min/int32", Of(MinID, kindOf[int32]())}, {"max/int64", Of(MaxID, kindOf[int64]())},
		{"product/float64", Of(ProductID, kindOf[float64]())},
	} {
		b.Run(kind.name, func(b *testing.B) {
			in, inout := make([]byte, 32<<10), make([]byte, 32<<10)
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				kind.combine(in, inout)
			}
		})
	}
}

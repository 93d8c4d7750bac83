package reduction

import (
	"math"
	"math/big"
	"runtime"
	"testing"

	"musubi/mpi/internal/elements"
)

func longOf(f float64) (l longDouble) {
	switch {
	case math.IsNaN(f):
		return longDouble{exponent: longDoubleInfinite, fraction: 3 << 62}
	case math.IsInf(f, 0):
		l = longDouble{exponent: longDoubleInfinite, fraction: 1 << 63}
		if f < 0 {
			l.exponent |= longDoubleSign
		}
		return l
	}
	l.set(new(big.Float).SetPrec(64).SetFloat64(f))
	return l
}

// Of doubles whose results are doubles, operations on long doubles give the same.
func TestLongDoublesAreAsDoubles(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("long doubles of x86")
	}
	numbers := []float64{0, 1, -1, 3, -2.5, 1 << 40, -(1 << 40), 0x1p-300, math.Inf(1), math.Inf(-1), math.NaN()}
	doubles := kindOf[float64]()
	for _, id := range []ID{SumID, ProductID, MaxID, MinID, LogicalAndID, LogicalOrID, LogicalXorID, ReplaceID, NoOpID} {
		for _, a := range numbers {
			for _, b := range numbers {
				if math.IsNaN(a+b) && (id == MaxID || id == MinID || id >= LogicalAndID && id <= LogicalXorID) {
					continue // C leaves it open
				}
				if id == SumID && a != b && (a == 0x1p-300 || b == 0x1p-300) && a*b != 0 {
					continue // not the same in 53 and in 64 bits
				}
				in, want := []float64{a}, []float64{b}
				Of(id, doubles)(elements.Memory(in), elements.Memory(want))
				long, got := []longDouble{longOf(a)}, []longDouble{longOf(b)}
				Of(id, LongDouble)(elements.Memory(long), elements.Memory(got))
				if w := longOf(want[0]); got[0] != w && !(got[0].fraction == 0 && w.fraction == 0) {
					t.Errorf("%v of %v and %v: %+v; expected %v, which is %+v", id, a, b, got[0], want[0], w)
				}
			}
		}
	}
}

// Of complex numbers whose results are doubles, operations give the same as on those of Go.
func TestLongDoubleComplexes(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("long doubles of x86")
	}
	numbers := []complex128{0, 1, 1i, -1, 3 - 4i, -2.5 + 0.125i, 1 << 40}
	doubles := kindOf[complex128]()
	for _, id := range []ID{SumID, ProductID, ReplaceID, NoOpID} {
		for _, a := range numbers {
			for _, b := range numbers {
				in, want := []complex128{a}, []complex128{b}
				Of(id, doubles)(elements.Memory(in), elements.Memory(want))
				long := []longDoubleComplex{{longOf(real(a)), longOf(imag(a))}}
				got := []longDoubleComplex{{longOf(real(b)), longOf(imag(b))}}
				Of(id, LongDoubleComplex)(elements.Memory(long), elements.Memory(got))
				re, im := longOf(real(want[0])), longOf(imag(want[0]))
				if got[0].re.order(&re) != 0 || got[0].im.order(&im) != 0 {
					t.Errorf("%v of %v and %v: %+v; expected %v", id, a, b, got[0], want[0])
				}
			}
		}
	}
}

// A sum has 64 bits, as the processor has it.
func TestLongDoublesHave64Bits(t *testing.T) {
	sum, tiny := longOf(1), longOf(0x1p-63)
	sum.combine(&tiny, (*big.Float).Add, nil)
	if want := (longDouble{fraction: 1<<63 | 1, exponent: longDoubleBias}); sum != want {
		t.Errorf("1 and 2^-63 is %+v; expected %+v", sum, want)
	}
	one := longOf(1)
	if sum.order(&one) <= 0 || one.order(&sum) >= 0 {
		t.Error("1 is not less than 1 and 2^-63")
	}
}

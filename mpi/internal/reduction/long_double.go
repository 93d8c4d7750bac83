package reduction

import (
	"cmp"
	"math"
	"math/big"
	"runtime"

	"musubi/mpi/internal/elements"
)

// longDouble is a long double of C on x86: 80 bits in 16 bytes, of which the fraction has its highest bit set
// in all numbers but the smallest.
type longDouble struct {
	fraction uint64
	exponent uint16 // and the sign
	_        [6]byte
}

const (
	longDoubleSign     = 0x8000
	longDoubleBias     = 16383
	longDoubleInfinite = 0x7fff // exponent of what is infinite or no number
)

// addLongDouble adds the operations on long doubles. Elsewhere than on x86 they have other bits.
func addLongDouble(t *table) {
	if runtime.GOARCH != "amd64" {
		return
	}
	each := func(id ID, f func(a, b *longDouble)) {
		t[id][LongDouble] = func(in, inout []byte) {
			a, b := elements.Of[longDouble](in), elements.Of[longDouble](inout)
			for i := range a {
				f(&a[i], &b[i])
			}
		}
	}
	each(SumID, func(a, b *longDouble) { b.add(a) })
	each(ProductID, func(a, b *longDouble) { b.multiply(a) })
	each(MaxID, func(a, b *longDouble) {
		if a.order(b) > 0 {
			*b = *a
		}
	})
	each(MinID, func(a, b *longDouble) {
		if a.order(b) < 0 {
			*b = *a
		}
	})
	each(LogicalAndID, func(a, b *longDouble) { b.setTruth(a.fraction != 0 && b.fraction != 0) })
	each(LogicalOrID, func(a, b *longDouble) { b.setTruth(a.fraction != 0 || b.fraction != 0) })
	each(LogicalXorID, func(a, b *longDouble) { b.setTruth((a.fraction != 0) != (b.fraction != 0)) })
	addMoves[longDouble](t, LongDouble)
	add(t, SumID, LongDoubleComplex, func(in, inout []longDoubleComplex) {
		for i := range in {
			inout[i].add(&in[i])
		}
	})
	add(t, ProductID, LongDoubleComplex, func(in, inout []longDoubleComplex) {
		for i := range in {
			inout[i].multiply(&in[i])
		}
	})
	addMoves[longDoubleComplex](t, LongDoubleComplex)
}

// longDoubleComplex is a long double complex of C.
type longDoubleComplex struct{ re, im longDouble }

func (b *longDoubleComplex) add(a *longDoubleComplex) {
	b.re.add(&a.re)
	b.im.add(&a.im)
}

func (b *longDoubleComplex) multiply(a *longDoubleComplex) {
	re, im, across := b.re, b.re, b.im
	re.multiply(&a.re)
	im.multiply(&a.im)
	across.multiply(&a.im)
	across.exponent ^= longDoubleSign
	re.add(&across)
	b.im.multiply(&a.re)
	b.im.add(&im)
	b.re = re
}

func (b *longDouble) add(a *longDouble) {
	b.combine(a, (*big.Float).Add, func(x, y float64) float64 { return x + y })
}

func (b *longDouble) multiply(a *longDouble) {
	b.combine(a, (*big.Float).Mul, func(x, y float64) float64 { return x * y })
}

// combine sets b to what an operation gives for both: by precise if they are finite, else by rough.
func (b *longDouble) combine(a *longDouble, precise func(z, x, y *big.Float) *big.Float, rough func(x, y float64) float64) {
	if a.isFinite() && b.isFinite() {
		b.set(precise(new(big.Float).SetPrec(64), a.number(), b.number()))
		return
	}
	f := rough(a.special(), b.special())
	*b = longDouble{exponent: longDoubleInfinite, fraction: 1 << 63}
	switch {
	case math.IsNaN(f):
		b.fraction |= 1 << 62
	case f < 0:
		b.exponent |= longDoubleSign
	}
}

func (b *longDouble) isFinite() bool { return b.exponent&longDoubleInfinite != longDoubleInfinite }

// special returns what is infinite or no number as it is, and of others the sign.
func (b *longDouble) special() float64 {
	sign := 1 - 2*float64(b.exponent>>15)
	switch {
	case !b.isFinite() && b.fraction<<1 != 0:
		return math.NaN()
	case !b.isFinite():
		return math.Inf(int(sign))
	case b.fraction == 0:
		return 0
	}
	return sign
}

// number returns the value of a finite one.
func (b *longDouble) number() *big.Float {
	f := new(big.Float).SetPrec(64).SetUint64(b.fraction)
	f.SetMantExp(f, max(int(b.exponent&longDoubleInfinite), 1)-longDoubleBias-63)
	if b.exponent&longDoubleSign != 0 {
		f.Neg(f)
	}
	return f
}

// set sets the value, which has 64 bits at most.
func (b *longDouble) set(f *big.Float) {
	*b = longDouble{}
	if f.Signbit() {
		b.exponent = longDoubleSign
	}
	fraction := new(big.Float).Abs(f)
	exponent := fraction.MantExp(fraction) - 1 + longDoubleBias
	b.fraction, _ = fraction.SetMantExp(fraction, 64).Uint64()
	switch {
	case b.fraction == 0:
	case exponent >= longDoubleInfinite:
		b.exponent |= longDoubleInfinite
		b.fraction = 1 << 63
	case exponent <= 0:
		b.fraction >>= min(1-exponent, 64)
	default:
		b.exponent |= uint16(exponent)
	}
}

func (b *longDouble) setTruth(v bool) {
	*b = longDouble{}
	if v {
		*b = longDouble{fraction: 1 << 63, exponent: longDoubleBias}
	}
}

// order compares the values.
func (a *longDouble) order(b *longDouble) int {
	if a.fraction == 0 && b.fraction == 0 {
		return 0
	}
	negative, other := a.exponent >= longDoubleSign, b.exponent >= longDoubleSign
	switch {
	case negative && !other:
		return -1
	case other && !negative:
		return 1
	case negative:
		a, b = b, a
	}
	return cmp.Or(cmp.Compare(a.exponent&longDoubleInfinite, b.exponent&longDoubleInfinite), cmp.Compare(a.fraction, b.fraction))
}
